#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Text on a real terminal (tmux): no line is longer than it, no figure is cut, and headings are whole.

# shellcheck disable=SC2154 # run --separate-stderr sets stderr
bats_require_minimum_version 1.5.0
load lib/data.bash

# Commands, with the recordings of tests/data. -P, -W, --unit ns and +COLUMN are for the widest values.
COMMANDS='
trace -i mixed.nvt
trace -i mixed.nvt -E --aer --sq -R -T -k -u
trace -i mixed.nvt -W -Q -P -T --unit ns
trace -i corners.nvt -W
trace -i flushes.nvt --flushes
trace -i stream.nvt -O write --unit s
errors -i mixed.nvt
errors -i mixed.nvt -R -T --block -k
errors -i mixed.nvt -s -a --block -T
errors -i corners.nvt --unit ns
errors --decode 0x4281 2/81 1/80 7/12 0x0f
latency -i readme.nvt
latency -i mixed.nvt --unit ns -e
latency -i mixed.nvt -H table --by cgroup,comm
latency -i keys.nvt --by host,owner,cgroup,comm,dev,sched,during --table -T -P 50,90,95,99,99.9,99.99,100
latency -i mixed.nvt --phases --table -P 50,90,95,99,99.9,99.99,100
latency -i mixed.nvt --table --unit ns -P 50,90,95,99,99.9,99.99,100 --columns +bytes,+bytes_per_s,+sum_ns,+min_ns
latency -i load.nvt -H heat 0.2
pattern -i mixed.nvt -a
pattern -i readme.nvt -S -K -A -T --by comm,dev 0.5
stacks -i stacks.nvt -k -u --hist
stacks -i stacks.nvt -k -u --by pid,comm,dev,opcode,cgroup
top -b -i mixed.nvt 1h
top -b -Q -i mixed.nvt 1h
top -b -i keys.nvt --by host,owner,dev,opcode 1h
top -b -i corners.nvt --view dev --unit ns --columns +inflight,+bytes,+bytes_per_s 1h
diff before.nvt after.nvt
diff before.nvt after.nvt --by ctrl,dev,opcode,comm --unit ns --columns +why
inflight -i mixed.nvt --at 0.0005
inflight -i mixed.nvt --at 0.0005 --columns +tag,+nsid,+nlb,+age_source,+state,+ino,+ino_dev
info mixed.nvt
info keys.nvt
list --sysfs SYSFS
list --sysfs SYSFS --columns +subsysnqn,+cntlid,+numa_node,+queue_entries,+wwid
doctor
'

# A controller with long names, for commands that read sysfs.
make_sysfs()
{
	local dir=$1/class/nvme/nvme10 pair

	mkdir -p "$dir"
	for pair in "transport rdma" "state connecting" "serial 12345678901234567890" "firmware_rev 12345678" "cntlid 65535" \
		"address traddr=fe80:1234:5678:9abc:def0:1234:5678:9abc,trsvcid=4420" "queue_count 129" "sqsize 1023" \
		"subsysnqn nqn.2014-08.org.nvmexpress:uuid:12345678-1234-1234-1234-123456789012" \
		"model A Model Whose Name Is Long And Has Forty"; do
		echo "${pair#* }" >"$dir/${pair%% *}"
	done
}

# script: prints the number of each command and runs it.
script()
{
	local n=0 tool

	tool=$(realpath "$NVMETOOL")
	printf 'cd "%s" || exit\n' "$DATA"
	while read -r words; do
		n=$((n + 1))
		[ -z "$words" ] || printf 'echo "=== %s"\n"%s" %s --quiet 2>/dev/null\n' $n "$tool" \
			"${words//SYSFS/"$BATS_TEST_TMPDIR/sys"}"
	done <<<"$COMMANDS"
	echo true # doctor's status is the host's
}

@test "no line is longer than the terminal, no figure is cut, headings are whole" {
	make_sysfs "$BATS_TEST_TMPDIR/sys"
	script >"$BATS_TEST_TMPDIR/script"
	NO_COLOR=1 bash "$BATS_TEST_TMPDIR/script" >"$out.whole"
	for columns in 60 80 100 200; do
		{ NO_COLOR=1 "$BATS_TEST_DIRNAME/lib/terminal.sh" $columns "$BATS_TEST_TMPDIR/script" "$out.$columns" &&
			python3 "$BATS_TEST_DIRNAME/lib/fits.py" $columns "$out.whole" "$out.$columns"; } >"$out.said.$columns" 2>&1 &
	done
	wait
	cat "$out".said.*
	[ "$(cat "$out".said.* | wc -l)" = 0 ]
	[ "$(grep -c '^===' "$out.200")" = "$(grep -c . <<<"$COMMANDS")" ]
}

# on_tty COLUMNS ARG...: what a terminal of that width gets to see; 0: one that does not tell.
on_tty()
{
	NO_COLOR=1 python3 "$BATS_TEST_DIRNAME/lib/tty.py" 0 "$1" "$NVMETOOL" "${@:2}" --quiet
}

@test "the width is the terminal's, else that of COLUMNS, else 80; elsewhere nothing is left out" {
	trace=(trace -i "$DATA/mixed.nvt")
	"$NVMETOOL" "${trace[@]}" --quiet >"$out.whole"
	on_tty 60 "${trace[@]}" >"$out.60"
	on_tty 80 "${trace[@]}" >"$out.80"
	run ! cmp "$out.60" "$out.80"
	cmp "$out.60" <(COLUMNS=60 on_tty 0 "${trace[@]}")
	cmp "$out.60" <(COLUMNS=200 on_tty 60 "${trace[@]}")
	for columns in '' x -1 0 99999999999999999999; do
		cmp "$out.80" <(COLUMNS=$columns on_tty 0 "${trace[@]}")
	done
	cmp "$out.whole" <(COLUMNS=60 "$NVMETOOL" "${trace[@]}" --quiet)
	cmp "$out.whole" <(COLUMNS=60 "$NVMETOOL" "${trace[@]}" --quiet --color always | sed 's/\x1b\[[0-9;]*m//g')
}

@test "where something stands out, the last line says so; to a file it does not" {
	local tty=(python3 "$BATS_TEST_DIRNAME/lib/tty.py" 0 80 "$NVMETOOL")

	for cmd in latency 'top -b' trace; do
		# shellcheck disable=SC2086 # words
		run -0 --separate-stderr "${tty[@]}" $cmd -i "$DATA/readme.nvt"
		[[ $output$stderr == *"nvmetool: "[67]" commands failed; what stands out: nvmetool report $DATA/readme.nvt"* ]]
	done
	run -0 --separate-stderr "${tty[@]}" trace -Q -i "$DATA/findings/queue-queue-wait.nvt"
	[[ $output$stderr == *"nvmetool: commands waited in the block layer for "*" % of their time; what stands out: "* ]]
	run -0 --separate-stderr "${tty[@]}" trace -Q -i "$DATA/findings/clean.reads.nvt"
	[[ $output$stderr != *"stands out"* ]]
	run -0 --separate-stderr "$NVMETOOL" latency -i "$DATA/readme.nvt"
	[[ $stderr != *"stands out"* ]]
}

@test "columns go in the order of their rank, names are cut to make room, and one column always stays" {
	[ "$(on_tty 80 trace -i "$DATA/mixed.nvt" | head -1 | xargs)" = \
		"TIME(s) DEV QID OP SLBA BYTES STATUS LAT(us) PID COMM" ]
	[ "$(on_tty 60 trace -i "$DATA/mixed.nvt" | head -1 | xargs)" = "TIME(s) DEV OP SLBA STATUS LAT(us) COMM" ]
	[ "$(on_tty 60 diff "$DATA/before.nvt" "$DATA/after.nvt" | head -1 | xargs)" = \
		"CTRL OP PCT A(us) B(us) CHANGE% IS" ]
	[[ $(on_tty 60 top -b -i "$DATA/mixed.nvt" 1h) == *"12345678~ nvme0n1"* ]]
	[ "$(on_tty 10 trace -i "$DATA/stream.nvt" | head -1 | xargs)" = DEV ]
	[ "$(on_tty 9 latency -i "$DATA/latency.nvt" --by none --table --columns p50_ns,p99_ns | head -1)" = "P99(us)" ]
}

@test "a picture is not written to a terminal" {
	for command in latency stacks; do
		for to in '' '-w -'; do
			run -2 timeout 20 script -qec "$NVMETOOL $command -f svg $to -i $DATA/stacks.nvt" /dev/null
			[[ $output == "error: -f svg: a picture is not text for a terminal; give a file: -w FILE.svg"* ]]
		done
		timeout 20 script -qec "$NVMETOOL $command -f svg -i $DATA/stacks.nvt -w $out" /dev/null
		[[ $(head -c 100 "$out") == *'<svg'* ]]
	done
}
