#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# stacks on a recording (tests/data/stacks.c): frames, keys, weights, formats, what is refused.

# shellcheck disable=SC2154 # run --separate-stderr sets stderr
bats_require_minimum_version 1.5.0
load lib/json.bash
load lib/data.bash

stacks()
{
	"$NVMETOOL" stacks -i "$DATA/stacks.nvt" "$@"
}

# rows OPTION...: the records, without meta and summary.
rows()
{
	stacks --json "$@" | jq -c 'select(.type == "stack")'
}

# sum OPTION...: of the weights of folded lines.
sum()
{
	stacks -f folded "$@" | awk '{ n += $NF } END { print n }'
}

@test "folded: root first, keys in front, user before kernel, the count last" {
	run -0 stacks -f folded -k -u
	[ "${#lines[@]}" = 5 ]
	[[ $output == *"main [fio];inner [fio];entry;vfs_read;nvme_queue_rq [nvme];nvme_setup_cmd [nvme_core] 30"* ]]
	[[ $output == *"[worker];[no user stack];kthread;wb_workfn;blk_mq_insert 30"* ]]
	run -0 stacks -f folded -b comm,dev,opcode
	[[ $output == *"dev=nvme0n1;op=read;comm=fio;entry;vfs_read;nvme_queue_rq [nvme];nvme_setup_cmd [nvme_core] 29"* ]]
}

@test "folded: a semicolon in a name parts no words" {
	stacks -f folded --by comm | grep comm=x >"$out"
	[ "$(cut -d ';' -f 1 "$out" | sort -u)" = 'comm=x,"y",\x1b\x0a' ]
}

@test "folded lines are what a flame graph tool reads: frames, a blank, a number" {
	for options in "" "-u" "-k -u" "-b comm,pid,dev,ctrl,opcode,cgroup -k -u --offsets --addr"; do
		# shellcheck disable=SC2086 # several options
		stacks -f folded $options >"$out"
		[ "$(grep -cvE '^[^;]+(;[^;]+)* [0-9]+$' "$out")" = 0 ]
		[ "$(LC_ALL=C tr -d '\n -\176\200-\377' <"$out" | wc -c)" = 0 ]
	done
}

@test "sums hold, whatever the rows" {
	for options in "" "-u" "-k -u" "-b comm" "-b opcode,dev --offsets" "--addr -b cgroup,pid,ctrl"; do
		# shellcheck disable=SC2086 # several options
		[ "$(sum $options)" = 120 ]
		# shellcheck disable=SC2086 # several options
		stacks --json $options >"$out.${options// /}"
		jq -es '(map(select(.type == "stack").count) | add == 120) and
			(.[-1] | [.paired, .emitted, .filtered, .complete] == [120, 120, 0, true])' "$out.${options// /}"
	done
	check_json stacks "$out".*
	[ "$(sum --weight bytes)" = $((90 * 4096 + 30 * 65536)) ]
	[ "$(sum --weight lat)" = $((1000 * 120 * 121 / 2)) ]
}

@test "stacks that read the same are one" {
	[ "$(rows -b comm | jq -s 'map(select(.comm == "fio")) | length')" = 1 ]
	[ "$(rows -b comm --offsets | jq -s 'map(select(.comm == "fio")) | length')" = 2 ]
	[ "$(rows --offsets | jq -r '.kstack[1]' | grep -c '^nvme_queue_rq+0x[0-9a-f]* \[nvme\]$')" = 2 ]
	[ "$(rows --addr | jq -r '.kstack[0]' | grep -c '^0xffffffff81000010 nvme_setup_cmd \[nvme_core\]$')" = 1 ]
	[ "$(rows -k -u --depth 1 | jq -c 'select(.kstack[0] != "[lost]") | [(.kstack, .ustack | length)]' | sort -u)" = '[1,1]' ]
}

@test "what is not known is said" {
	[ "$(rows -u -b comm | jq -c 'select(.comm == "dd").ustack')" = '["0x7f0010 [libc.so.6]","[no frame pointers]"]' ]
	[ "$(rows -u -b comm | jq -c 'select(.worker) | [.comm, .ustack]')" = '["kworker/u8:1",["[no user stack]"]]' ]
	[ "$(rows -k | jq -c 'select(.kstack == ["[lost]"]).count')" = 1 ]
	[ "$(rows -u | jq -r '.ustack[0]' | grep -c '\[x (deleted)\]$')" = 1 ]
}

@test "the kernel's own way to its listeners is no part of a stack" {
	[[ $(stacks -f folded --offsets) != *__traceiter* ]]
}

@test "keys asked for are there, others are absent" {
	[ "$(rows | jq -r 'keys[]' | sort -u | xargs)" = \
		"bytes count errors interval_ns kstack lat_ns lost seq time_ns ts type weight worker" ]
	rows -u -b comm,pid,dev,ctrl,opcode,cgroup --hist | jq -es 'length > 0 and all(.[]; has("comm") and has("pid") and
		has("dev") and has("ctrl_id") and has("ctrl") and has("op") and has("opcode") and has("admin") and
		has("cgroup_id") and has("cgroup") and has("ustack") and has("hist") and (has("kstack") | not))'
}

@test "--hist has every command in its buckets" {
	rows --hist -b comm | jq -es 'length > 0 and all(.[]; (.hist.buckets | map(.[2]) | add) == .count)'
	[ "$(stacks --hist -r 1 | awk '/ - / { n += $4 } /^count / { print n, $2 + 0 }')" = "89 89" ]
}

@test "--at error counts what failed, the rest is filtered" {
	stacks --at error --json -b comm >"$out"
	[ "$(jq -c 'select(.type == "stack") | [.comm, .count, .errors]' "$out")" = '["dd",3,3]' ]
	[ "$(jq -sc '.[-1] | [.emitted, .filtered, .errors]' "$out")" = '[3,117,3]' ]
}

@test "filters of a selection" {
	[ "$(sum --comm fio)" = 30 ]
	[ "$(sum -O write)" = 29 ]
	[ "$(sum -q admin)" = 4 ]
	[ "$(sum -d nvme0n1)" = 116 ]
	[ "$(sum -p 101,102)" = 60 ]
	[ "$(sum --size 64k)" = 30 ]
	[ "$(sum -L 100us)" = 21 ]
	[ "$(sum --status error)" = 3 ]
	[ "$(sum -g /user.slice)" = 60 ]
	[ "$(sum -c 1)" = 4 ]
}

@test "rows are sorted by weight, -r takes the heaviest" {
	rows -b comm --weight bytes | jq -es 'map(.weight) | length > 2 and . == (sort | reverse)'
	[ "$(rows -b comm --weight bytes -r 1 | jq -r .comm)" = kworker/u8:1 ]
	[ "$(rows -b comm -r 2 | wc -l)" = 2 ]
}

@test "text: keys, frames, figures" {
	run -0 stacks -k -u -b comm -T --utc --comm fio
	[ "${lines[0]}" = 22:13:24 ]
	[ "${lines[1]}" = "stack: comm=fio" ]
	[ "${lines[2]}" = "    nvme_setup_cmd [nvme_core]" ]
	[ "${lines[6]}" = "    --" ]
	[ "${lines[7]}" = "    inner [fio]" ]
	[[ ${lines[9]} =~ ^count\ 30,\ errors\ 0,\ bytes\ 122880,\ total\(us\)\ 1770.0,\ avg\(us\)\ 59.0,\ 100.0\ %$ ]]
}

@test "CSV has the frames joined, innermost first" {
	stacks --csv -k -u -b comm >"$out"
	check_csv "$out"
	[ "$(head -n 1 "$out" | tr -d '\r')" = \
		"ts,time_ns,interval_ns,seq,comm,worker,lost,count,errors,bytes,lat_ns,weight,kstack,ustack" ]
	[ "$(grep -c ',fio,.*,nvme_setup_cmd \[nvme_core\];nvme_queue_rq \[nvme\];vfs_read;entry,inner \[fio\];main \[fio\]' "$out")" = 1 ]
}

@test "--fail-if looks at every row" {
	run -6 stacks --fail-if 'errors>0'
	run -6 stacks -b opcode --fail-if 'write.count>=29 and write.avg>1us'
	run -6 stacks --hist --fail-if 'p50>1us'
	run -0 stacks --fail-if 'count>1M'
	run -6 stacks -O flush --fail-if 'count==0'
	run -6 stacks -p 101 --fail-if 'count==0' 1ms
	run -0 stacks -O flush --fail-if 'avg<1s or errors>0' --allow-none
	run -2 --separate-stderr stacks --fail-if 'p99>1us'
	[[ $stderr == *"--hist"* ]]
	run -2 --separate-stderr stacks --fail-if 'read.count>1'
	[[ $stderr == *"add opcode to --by"* ]]
}

@test "svg: every command is in the bottom row, and each box on the one that called it" {
	for options in "" "-u" "-k -u" "-b comm,pid,dev,ctrl,opcode,cgroup -k -u --offsets --addr"; do
		# shellcheck disable=SC2086 # several options
		stacks -f svg $options >"$out"
		[ "$(python3 "$BATS_TEST_DIRNAME/lib/flame.py" "$out")" = 120 ]
	done
	[ "$(grep -c '<g class="k1"><title>inner \[fio\]: 30 commands, 25.0 %</title>' "$out")" = 0 ] # with --addr
	stacks -f svg -u -w "$out"
	[ "$(grep -c '<g class="k1"><title>inner \[fio\]: 30 commands, 25.0 %</title>' "$out")" = 1 ]
}

@test "svg: widths are --weight, and an empty picture is one, too" {
	[ "$(stacks -f svg --weight bytes | grep -c '^<text class="about".*>2.2M bytes\. ')" = 1 ]
	[ "$(stacks -f svg --weight lat | grep -c '^<text class="about".*>7\.260 ms\. ')" = 1 ]
	[ "$(stacks -f svg --at error | grep -c '^<title id="title">Who sent the NVMe commands that failed<')" = 1 ]
	stacks -f svg --comm nobody >"$out"
	[ "$(grep -c 'Nothing was seen\.<' "$out")" = 2 ]
	python3 -c 'import sys, xml.etree.ElementTree as tree; tree.parse(sys.argv[1])' "$out"
	run -2 --separate-stderr stacks -f svg 1
	[[ $stderr == *"one picture of the whole run"* ]]
}

@test "what cannot be is refused" {
	run -2 stacks --by bogus
	run -2 stacks --depth 0
	run -2 stacks --depth 128
	run -2 stacks --weight bogus
	run -2 stacks --at bogus
	run -2 stacks --probe 'a b'
	run -2 stacks --probe 'vfs_read,'
	run -2 stacks --probe vfs_read --hist
	run -2 stacks --probe vfs_read -b dev
	run -2 stacks --probe vfs_read --at queue
	run -2 stacks --probe vfs_read -c 0
	run -2 stacks --probe vfs_read --fail-if 'avg>1us'
	run -2 stacks --probe vfs_read --fail-if 'errors==0'
}

@test "what a recording does not have is named" {
	run -5 --separate-stderr stacks --probe vfs_read
	[[ $stderr == *"--probe: not in the recording"* ]]
	run -5 --separate-stderr stacks --at queue
	[[ $stderr == *"block layer entry"* ]]
	run -5 --separate-stderr "$NVMETOOL" stacks -i "$DATA/latency.nvt"
	[[ $stderr == *"kernel stacks (record -k): not in the recording; record them: nvmetool record -k -w FILE"* ]]
	run -5 --separate-stderr "$NVMETOOL" stacks -u -i "$DATA/latency.nvt"
	[[ $stderr == *"record them: nvmetool record -u -w FILE"* ]]
}
