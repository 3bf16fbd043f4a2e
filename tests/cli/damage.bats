#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Recordings that no run of nvmetool makes: names that are not there, times that jump, counters that are wrong, many
# commands in flight. Each command ends soon, crashes on none of them, and says what is not right.

# shellcheck disable=SC2154 # run --separate-stderr sets stderr
bats_require_minimum_version 1.5.0
load lib/data.bash

# made KIND ARGUMENT...: writes a recording to $made
made()
{
	made=$BATS_TEST_TMPDIR/made.nvt
	python3 "$BATS_TEST_DIRNAME/lib/nvt.py" "$@" "$made"
}

# runs COMMAND OPTION...: it ends well, or says what the recording lacks; its output is in $out
runs()
{
	local code=0

	timeout 20 "$NVMETOOL" "$@" >"$out" 2>"$out.err" || code=$?
	[ $code = 0 ] || { [ $code = 5 ] && grep -Eq 'not in the recording|the recording has no status' "$out.err"; } ||
		{ echo "$* ends with $code:" && cat "$out.err" && false; }
}

is_xml()
{
	[ ! -s "$1" ] || python3 -c 'import sys, xml.etree.ElementTree as e; e.parse(sys.argv[1])' "$1"
}

KEYS=host,ctrl,ns,dev,qid,cpu,opcode,size,flags,pid,comm,cgroup,owner,sched,during,status

# shows OPTION...: every command prints its records by these options
shows()
{
	runs trace --show both --sq --aer -kuPQ --flushes "$@"
	runs latency -AQ --by $KEYS "$@"
	runs pattern -a --by dev,ctrl,ns,comm,pid,opcode,cgroup,qid "$@"
	runs stacks -ku --by comm,pid,dev,ctrl,opcode,cgroup --hist "$@"
	runs errors -R --block -k "$@"
	runs errors -s -a "$@"
	runs top "$@"
	runs top --view cgroup "$@"
	runs inflight --at 0.02 "$@"
}

# nothing_breaks KEY...: whatever each command makes of a recording that has this of no command
nothing_breaks()
{
	made unknown nothing
	cp "$made" "$out.other.nvt"
	for key; do
		made unknown "$key"
		shows -i "$made"
		shows -i "$made" --json
		runs trace --csv -i "$made"
		runs latency -AQ --by $KEYS --csv -i "$made"
		runs latency -A -H heat -i "$made" 10ms
		runs latency -f svg -i "$made"
		is_xml "$out"
		runs stacks -ku -f svg -i "$made"
		is_xml "$out"
		runs stacks -ku -f folded -i "$made"
		runs trace -f kernel --show both -i "$made"
		runs trace -f perf --show both -i "$made"
		runs errors -f kernel -i "$made"
		for format in fio blktrace hdr chrome; do
			runs export -f $format -i "$made" -w "$out.$format"
		done
		runs metrics -AQ --by ctrl,dev,opcode,cgroup -i "$made" -w "$out.prom"
		runs info "$made"
		runs diff "$made" "$out.other.nvt"
		runs report -i "$made" -w "$out.html"
		is_xml "$out.html"
		runs report -i "$made" -i "$out.other.nvt" -w "$out.html"
		is_xml "$out.html"
		runs report -i "$out.other.nvt" -i "$made" -w "$out.html"
		is_xml "$out.html"
		runs record -i "$made" -w "$out.again.nvt"
	done
}

@test "nothing breaks when the controller is not known of any command" {
	nothing_breaks ctrl
}

# bats test_tags=all
@test "nothing breaks, whatever is not known of any command" {
	# shellcheck disable=SC2046 # words are wanted
	nothing_breaks $(python3 "$BATS_TEST_DIRNAME/lib/nvt.py" keys)
}

@test "what is not known is null in JSON, empty in CSV, and - in text and in a page" {
	made unknown ctrl
	cp "$made" "$out.other.nvt"
	[ "$("$NVMETOOL" latency --json --no-meta -i "$made" | jq -c 'select(.op == "read") | [.ctrl, .ctrl_id]')" = '[null,null]' ]
	"$NVMETOOL" latency --table -i "$made" | grep -Eq '^- +read'
	"$NVMETOOL" report -i "$made" -i "$out.other.nvt" -w "$out"
	python3 "$BATS_TEST_DIRNAME/lib/page.py" "$out" text >"$out.text"
	grep -q '^- read p50' "$out.text"
}

# keeps COMMAND...: refuses to write to $made, with status 2, and leaves it as it is
keeps()
{
	run -2 --separate-stderr "$@"
	[[ $stderr == *"it is both input and output; write to another file" ]] || { echo "$*: $stderr" && false; }
	cmp "$made" "$out.before"
}

@test "no command replaces what it reads, whatever the names are" {
	made unknown nothing
	cp "$made" "$out.before"
	for way in "trace -i" "latency -i" "pattern -i" "stacks -k -i" "errors -i" "top -i" "inflight --at 0.01 -i" \
		"export -f fio -i" "export -f chrome -i" "report -i" "record -i" "metrics -i" "diff $out.before" "info"; do
		# shellcheck disable=SC2086 # words of a command
		keeps "$NVMETOOL" $way "$made" -w "$made"
	done
	ln -s "$made" "$out.link"
	keeps "$NVMETOOL" info "$made" -w "$out.link"
	keeps "$NVMETOOL" info "$out.link" -w "$made"
	keeps "$NVMETOOL" info "$made" -w "$BATS_TEST_TMPDIR/../${BATS_TEST_TMPDIR##*/}/made.nvt"
	# shellcheck disable=SC2016 # for the inner shell
	keeps bash -c '"$0" info - -w "$1" <"$1"' "$NVMETOOL" "$made"
	# shellcheck disable=SC2016 # for the shell that runs it
	keeps bash -c '"$0" info "$1" 1<>"$1"' "$NVMETOOL" "$made"
	ln "$made" "$out.hard"
	keeps "$NVMETOOL" info "$made" -w "$out.hard"
}

@test "two runs do not write to one file" {
	made unknown nothing
	mkfifo "$out.fifo"
	"$NVMETOOL" record -i - -w "$out" <"$out.fifo" &
	exec 9>"$out.fifo"
	cat "$made" >&9
	until [ -s "$out" ]; do :; done
	for way in "record -w" "trace -w" "info $made -w"; do
		# shellcheck disable=SC2086 # words of a command
		[[ $way == info* ]] && words="$way $out" || words="$way $out -i $made"
		# shellcheck disable=SC2086 # words are wanted
		run -1 --separate-stderr "$NVMETOOL" $words
		[[ $stderr == *"cannot write '$out': another program is writing to it; wait for its end, or name another file" ]]
	done
	exec 9>&-
	wait
	[ "$("$NVMETOOL" info --json --no-meta "$out" | jq -c '[.commands, .whole]')" = '[40,true]' ]
}

@test "a size out of range is refused with the range, not with an example that is refused as well" {
	run -2 "$NVMETOOL" record --ring 64k -w "$out-%t.nvt"
	[ "$output" = "error: bad value '64k' for --ring: expected a size, 4m..64g" ]
	run -2 "$NVMETOOL" record --ring much -w "$out-%t.nvt"
	[[ $output == "error: bad value 'much' for --ring: expected a size such as 512, 64k or 8m, 4m..64g" ]]
}

@test "a flight recorder replaces no file" {
	made unknown nothing
	"$NVMETOOL" record -i "$made" --ring 4M --trigger 'errors>0' -w "$BATS_TEST_TMPDIR/r-%t.nvt"
	file=$(echo "$BATS_TEST_TMPDIR"/r-*.nvt)
	echo mine >"$file"
	run -1 --separate-stderr "$NVMETOOL" record -i "$made" --ring 4M --trigger 'errors>0' -w "$BATS_TEST_TMPDIR/r-%t.nvt"
	[[ $stderr == *"cannot write '$file': File exists; move it away: it is not replaced"* ]]
	[ "$(cat "$file")" = mine ]
}

@test "times that jump are damage, which is said, and end no command late" {
	made times 1000000,2000000,3000000,18446744069709551615,4000000
	run -5 --separate-stderr timeout -s KILL 20 "$NVMETOOL" latency -H heat -i "$made" 100ms
	[[ $stderr == *"made.nvt: it is damaged; events left out because of their time: 1, the first of "*" s; events read: 4"* ]]
	run -5 --separate-stderr "$NVMETOOL" info --json --no-meta "$made"
	[ "$(jq -c '[.commands, .duration_ns, .whole]' <<<"$output")" = '[4,4000000,false]' ]
	made wall 1700000000 1700000001 5000000000 1700000002
	for way in "latency --json 1" "latency 1" "latency -f svg" "latency -H heat 1" "pattern --json 1"; do
		# shellcheck disable=SC2086 # words of a command
		run -5 --separate-stderr timeout -s KILL 20 "$NVMETOOL" $way --quiet -i "$made"
		[ "${#lines[@]}" -lt 400 ]
	done
	run -5 --separate-stderr "$NVMETOOL" report -i "$made" -w "$out"
	is_xml "$out"
}

@test "the CPU that submitted is not CPU 0 where a recording does not hold it" {
	made unknown cpu
	"$NVMETOOL" trace --json --no-meta -i "$made" 2>"$out.err" >"$out"
	jq -se 'map(select(.type == "io")) | length > 9 and all(.submit_cpu == null)' "$out"
}

@test "a long run of empty intervals is one report of its true length" {
	made wall 1700000000
	cp "$made" "$out.early.nvt"
	made wall 1900000000
	"$NVMETOOL" latency --json --no-meta -i "$out.early.nvt" -i "$made" 1 2>"$out.err" >"$out"
	[ "$(wc -l <"$out")" -lt 10 ]
	jq -se '[.[] | select(.type == "latency").count] | add == 2' "$out"
	grep -Eq 'nothing happened in [0-9]{9} intervals: they are reported as one' "$out.err"
}

@test "submissions of commands far behind are cheap, and of a file that goes backward" {
	made deep 200000 20000
	(ulimit -t 5 && "$NVMETOOL" pattern --json --no-meta -i "$made") |
		jq -se 'map(select(.type == "pattern").count) == [200000]'
	(ulimit -t 5 && "$NVMETOOL" trace --show both --csv --columns mono_ns --no-header -i "$made") >"$out"
	[ "$(wc -l <"$out")" = 400000 ]
	cut -d , -f 2 "$out" | sort -nc
	made back 100000
	(ulimit -t 5 && "$NVMETOOL" pattern --json --no-meta -i "$made") |
		jq -se 'map(select(.type == "pattern").count) == [100000]'
}

# after SIGNALS COMMAND...: runs a command to which these signals came before its begin
after()
{
	python3 -c 'import os, signal, sys
signals = [signal.Signals["SIG" + name] for name in sys.argv[1].split()]
signal.pthread_sigmask(signal.SIG_BLOCK, signals)
for number in signals:
    os.kill(os.getpid(), number)
os.execv(sys.argv[2], sys.argv[2:])' "$@"
}

@test "a signal ends a replay wherever it is, and the account is of what was read until then" {
	made deep 200000 20000
	for way in "pattern" "latency" "latency --comm nobody" "latency -H heat" "trace" "trace --show both" "trace --max-events 1"; do
		# shellcheck disable=SC2086 # words of a command
		after TERM "$NVMETOOL" $way --json --no-meta -i "$made" >"$out" 2>"$out.err"
		grep -q 'a signal ended the reading: the account covers what was read before it' "$out.err"
		jq -se 'map(select(.type == "summary"))[0] | .submitted < 1000 and .paired == .emitted + .filtered + .lost.output and
			.inflight_at_exit == null and .complete == false' "$out"
	done
	# shellcheck disable=SC2086 # words are wanted
	run -7 after TERM "$NVMETOOL" latency --strict -i "$made"
	run -0 after TERM "$NVMETOOL" latency -d nvme0n1 -i "$made"
	run -0 after TERM "$NVMETOOL" report -i "$made" -w "$out"
	for way in "pattern" "latency" "trace -w /dev/null" "report -w $out"; do
		# shellcheck disable=SC2086 # words are wanted
		run -130 after 'HUP INT' "$NVMETOOL" $way -i "$made"
	done
}

@test "counters that contradict the events are not complete" {
	for wrong in "emitted=12 paired=12 submitted=12 completed=12" "paired=12" "submitted=3" "completed=11"; do
		# shellcheck disable=SC2086 # words
		made counters $wrong
		for way in trace latency pattern "errors -s"; do
			# shellcheck disable=SC2086 # words are wanted
			"$NVMETOOL" $way --json --no-meta -i "$made" 2>/dev/null | jq -e 'select(.type == "summary").complete == false'
			# shellcheck disable=SC2086 # words are wanted
			run -7 --separate-stderr "$NVMETOOL" $way --strict -i "$made"
		done
		[ "$("$NVMETOOL" info --json --no-meta "$made" | jq -c '[.whole, .complete, .contradiction != null]')" = '[true,false,true]' ]
		"$NVMETOOL" info "$made" | grep -q 'whole, but its counters are wrong'
	done
	"$NVMETOOL" info "$made" | grep -q 'counters  submitted 10, completed 11,'
	for name in "$DATA"/*.nvt; do
		[ "$("$NVMETOOL" info --json --no-meta "$name" | jq .contradiction)" = null ]
	done
}

@test "names of a recording that share a slot of a table without a key cost no more than others" {
	made cgroups 200000
	for way in "trace --csv" "latency --by cgroup" "record -w $out.nvt"; do
		# shellcheck disable=SC2086 # words of a command
		(ulimit -t 4 && "$NVMETOOL" $way -i "$made" >"$out")
	done
	made queues 262144
	(ulimit -t 2 && "$NVMETOOL" latency --by host -i "$made" >"$out" 2>"$out.err")
	grep -q 'names that found no room, and are shown as unknown: 258051 ' "$out.err"
}

@test "blocks that jump by decades, one or all that follow, are damage, and no other blocks are" {
	made jump 3155760000000000000 # a century
	run -5 --separate-stderr "$NVMETOOL" info --json --no-meta "$made"
	[ "$(jq -c '[.commands, .duration_ns < 1e9, .whole]' <<<"$output")" = '[50,true,false]' ]
	[[ $stderr == *"events left out because of their time: 50, the first of 3155760004.051"* ]]
	run -5 --separate-stderr "$NVMETOOL" latency --json 1 -i "$made"
	[ "${#lines[@]}" -lt 10 ]
	made jump 315576000000000000 # ten years, as between recordings that were merged
	[ "$("$NVMETOOL" info --json --no-meta "$made" | jq -c '[.commands, .whole]')" = '[100,true]' ]
}

@test "sums of latencies end at the largest number" {
	made slow 600000000000000000 40
	for way in "latency" "stacks --weight lat"; do
		# shellcheck disable=SC2086 # words of a command
		"$NVMETOOL" $way --json --no-meta -i "$made" >"$out"
		grep -Eq '"(sum_ns|weight|mean_ns)":(18446744073709551615|461168601842738790)' "$out" || { echo "$way" && cat "$out" && false; }
	done
}

@test "times end at the largest and smallest number of their clock" {
	for start in "0 -9223372036854775808" "0 9223372036854775807" "9223372036854775000 9223372036854775807" \
		"18446744073709551615 -1" "9223372036854000000 -9223372036854775808"; do
		# shellcheck disable=SC2086 # two words
		made start $start
		for way in "trace --json" "latency -H heat 100ms" "latency --json 1" "pattern 1" "report -w $out.html"; do
			code=0
			# shellcheck disable=SC2086 # words of a command
			timeout -s KILL 10 "$NVMETOOL" $way -i "$made" >"$out" 2>"$out.err" || code=$?
			[ $code = 0 ] || [ $code = 5 ]
		done
	done
	made start 0 9223372036854775807
	[ "$("$NVMETOOL" trace --json --no-meta -i "$made" | jq -r 'select(.type == "io").ts' | sort -u)" = 2262-04-11T23:47:16.854775807Z ]
}

# The recording has the partition table of its host.
@test "trims are selected by their blocks, and partitions by their names" {
	made trims
	trimmed() { "$NVMETOOL" trace --json --no-meta --quiet -i "$made" "$@" | jq -c 'select(.type == "io") | [.op, .slba, .nlb]' | xargs; }
	all='[dsm,0,8] [dsm,1024,8] [dsm,2048,2048] [dsm,null,null] [read,2050,8]'
	[ "$(trimmed)" = "$all" ]
	[ "$(trimmed -d nvme0n1)" = "$all" ]
	[ "$(trimmed -d nvme0n1p1)" = '[dsm,1024,8]' ]
	[ "$(trimmed -d /dev/nvme0n1p2)" = '[dsm,2048,2048] [read,2050,8]' ]
	[ "$(trimmed -d 259:2)" = '[dsm,2048,2048] [read,2050,8]' ]
	[ "$(trimmed --lba 0-7,1031)" = '[dsm,0,8] [dsm,1024,8]' ]
	[ "$(trimmed --lba 4095)" = '[dsm,2048,2048]' ]
	[ "$(trimmed -d nvme0n1p2 --lba 4095)" = '[dsm,2048,2048]' ]
	[ "$("$NVMETOOL" latency -d nvme0n1p1 --by opcode --json --no-meta -i "$made" | jq -c 'select(.op) | [.op, .count]')" = '["dsm",1]' ]
	"$NVMETOOL" record --quiet -i "$made" -d nvme0n1p2 -w "$out.part.nvt"
	mv "$out.part.nvt" "$made"
	[ "$(trimmed -d nvme0n1p2)" = '[dsm,2048,2048] [read,2050,8]' ] # again, from the second recording
	run -5 --separate-stderr "$NVMETOOL" trace -d nvme0n1p3 -i "$made"
}

@test "a snapshot without controllers has a summary" {
	made unknown ctrl
	"$NVMETOOL" inflight --json --at 0.02 -i "$made" >"$out"
	jq -ce 'select(.type == "summary") | [.ctrl, .ctrl_id, .inflight, .oldest_ns, .host_inflight] == [null, null, 0, null, null]' "$out"
	[ "$("$NVMETOOL" inflight --csv --no-header --at 0.02 -i "$made" | cut -d , -f 1)" = summary ]
}

@test "a log of HdrHistogram has the commands that latency has" {
	made admin
	[ "$("$NVMETOOL" export -f hdr -i "$made" | grep -c Tag=)" = 1 ]
	"$NVMETOOL" export -f hdr -i "$made" -q 0- | grep -q 'Tag=dev=nvme0;op=identify,'
	[ "$("$NVMETOOL" latency --by dev,opcode --json --no-meta -i "$made" | jq -r 'select(.type == "latency").op')" = read ]
}

@test "a status is one row, whatever its flags are, in every table" {
	made status 0x281 0x4281 0x2281 0x281 0 0 0x4000 0x2000 0x371
	"$NVMETOOL" errors -s --json --no-meta -i "$made" | jq -r 'select(.type == "errors") | "\(.status) \(.count)"' | sort >"$out"
	[ "$(paste -sd , "$out")" = "0 2,641 4,881 1" ]
	"$NVMETOOL" latency --by status --json --no-meta -i "$made" |
		jq -r 'select(.type == "latency" and .errors > 0) | "\(.status) \(.count)"' | sort | diff "$out" -
	"$NVMETOOL" latency --by status --csv --columns status,count,errors --no-header -i "$made" | tr -d '\r' | sort |
		diff - <(printf '%s\n' 0,2,0 0,2,2 641,4,4 881,1,1)
	"$NVMETOOL" report -i "$made" -w "$out.html"
	python3 "$BATS_TEST_DIRNAME/lib/page.py" "$out.html" table 'Commands that failed' | cut -d ' ' -f 3- >"$out.page"
	"$NVMETOOL" errors -s --csv --columns status_name,sct_sc,count --no-header -i "$made" | tr -d '\r' |
		while IFS=, read -r _ name codes count; do
			[ "$codes" = 0/00 ] && name=0/00
			grep -q "^$name $count " "$out.page"
		done
	[ "$(wc -l <"$out.page")" = 3 ]
}

@test "times before 1970, and when summer time ends" {
	made wall -2
	[ "$("$NVMETOOL" trace --json --no-meta -i "$made" | jq -r 'select(.type == "io").ts')" = 1969-12-31T23:59:58.000000000Z ]
	made wall 1698541199 1698541201
	TZ=Europe/Berlin
	[ -e /usr/share/zoneinfo/$TZ ] || TZ=CET-1CEST,M3.5.0,M10.5.0/3
	export TZ
	"$NVMETOOL" info "$made" | grep -q 'time      2023-10-29 02:59:59.000 (+02:00) to 02:00:01.000 (+01:00), 2.000 s'
}
