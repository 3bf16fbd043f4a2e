#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# report: a page whose figures are those that other commands print, and that runs and loads nothing.

# shellcheck disable=SC2154 # run --separate-stderr sets stderr
bats_require_minimum_version 1.5.0
load lib/data.bash

# page RECORDING... [-- OPTION...]: writes the page of these to $out
page()
{
	local inputs=()

	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		inputs+=(-i "$DATA/$1")
		shift
	done
	shift $(($# > 0))
	"$NVMETOOL" report "${inputs[@]}" --utc "$@" -w "$out"
}

# in_page table|cells|text|boxes ...: what the page holds, see lib/page.py
in_page()
{
	python3 "$BATS_TEST_DIRNAME/lib/page.py" "$out" "$@"
}

# says TEXT: does the page?
says()
{
	in_page text >"$out.text"
	grep -qF "$1" "$out.text"
}

# rows FILE COMMAND OPTION...: the rows of a command's text, with one blank between columns
rows()
{
	"$NVMETOOL" "$2" --no-header --quiet -i "$DATA/$1" "${@:3}" | sed -E 's/ +/ /g; s/^ //; s/ $//'
}

# commands FILE: how many there are of each device and opcode, as JSON says
commands()
{
	"$NVMETOOL" latency --json --no-meta -i "$DATA/$1" --by dev,opcode | jq -r 'select(.type == "latency") | "\(.dev) \(.op) \(.count)"'
}

LATENCY=count,err,iops,mb_per_s,mean_ns,p50_ns,p90_ns,p99_ns,p99.9_ns,max

@test "a page is well-formed, runs nothing and loads nothing, whatever it shows" {
	for name in corners flags flushes keys latency mixed report sqlite stacks; do
		page $name.nvt
		says 'This page loads nothing and has no script'
	done
	page before.nvt after.nvt
	says 'What changed from A to B'
	page readme.nvt -- --comm nobody
	says 'No command completed'
}

@test "tables have the figures of the commands that they name" {
	for name in readme latency corners report; do
		page $name.nvt
		in_page table 'By device and opcode' >"$out.rows"
		rows $name.nvt latency -A --hist-bits 6 --by dev,opcode -P 50,90,99,99.9 --columns dev,op,$LATENCY | cmp - "$out.rows"
		in_page table 'By device' 1 >"$out.rows"
		rows $name.nvt pattern | cmp - "$out.rows"
	done
	in_page table 'All 3 of 3' | sort >"$out.rows"
	rows report.nvt latency -A --hist-bits 6 --by pid,comm -P 50,90,99,99.9 --columns pid,comm,$LATENCY | sort | cmp - "$out.rows"
	in_page table 'All 2 of 2' | sort >"$out.rows"
	rows report.nvt latency -A --hist-bits 6 --by cgroup -P 50,90,99,99.9 --columns cgroup,$LATENCY | sort | cmp - "$out.rows"
}

@test "cgroups are those that caused the commands, where the recording tells" {
	page keys.nvt
	in_page table 'All 2 of 2' 1 | sort >"$out.rows"
	says 'Cgroups that caused them, by commands'
	says 'latency -A --hist-bits 6 --table --by cgroup -i keys.nvt'
	rows keys.nvt latency -A --hist-bits 6 --by cgroup -P 50,90,99,99.9 --columns cgroup,$LATENCY | sort | cmp - "$out.rows"
	rows keys.nvt latency -A --hist-bits 6 --by owner -P 50,90,99,99.9 --columns owner,$LATENCY | sort | cmp - "$out.rows"
	page report.nvt
	run ! says 'Cgroups that caused them'
	says 'recordings made with --keys owner tell the cgroup that wrote it'
}

@test "errors and the slowest commands are those of errors and trace" {
	page report.nvt
	in_page table 'Commands that failed' | cut -d ' ' -f 1,2,3-7 >"$out.rows"
	"$NVMETOOL" errors -s --json --no-meta -i "$DATA/report.nvt" |
		jq -r 'select(.type == "errors" and .status) | "\(.ctrl) \(.op) \(.status_name) \(.count)"' | sort >"$out.want"
	sed -E 's/ [0-9.]+ [0-9.]+$//' "$out.rows" | sort | cmp - "$out.want"
	[ -s "$out.want" ]
	columns=ts,time,dev,qid,cid,op,slba,status,name,retry,hints,lat_ns,pid,comm
	in_page table 'The first 22 of 22' >"$out.rows"
	rows report.nvt errors --utc --columns $columns | cmp - "$out.rows"
	in_page table 'The slowest' >"$out.rows"
	rows report.nvt trace --utc --columns ts,time,dev,qid,op,slba,bytes,status,lat_ns,pid,comm |
		sort -s -k 9,9nr | sed -n 1,20p | cmp - "$out.rows"
}

@test "the time of a command is that of trace when the clock was set meanwhile" {
	python3 "$BATS_TEST_DIRNAME/lib/nvt.py" back_an_hour "$out.nvt"
	"$NVMETOOL" report --utc -i "$out.nvt" -w "$out"
	in_page table 'The slowest' | cut -d ' ' -f 1 >"$out.rows"
	[ "$("$NVMETOOL" trace --utc --no-header -i "$out.nvt" --columns ts | tr -d ' ')" = "$(<"$out.rows")" ]
}

@test "cells of the heat maps and boxes of the flame graph add up to the commands" {
	for name in readme stream report; do
		page $name.nvt
		[ "$(in_page cells 'Latency of all commands')" = \
			"$("$NVMETOOL" latency -A --json --by none -i "$DATA/$name.nvt" | jq 'select(.type == "latency").count')" ]
		while read -r dev op count; do
			[ "$(in_page cells "$dev $op")" = "$count" ]
		done < <(commands $name.nvt)
	done
	for name in report stacks corners; do
		[ $name = report ] || page $name.nvt
		[ "$(in_page boxes)" = "$("$NVMETOOL" info --json "$DATA/$name.nvt" | jq 'select(.type == "info").commands')" ]
	done
}

@test "throughput and commands in flight add up" {
	page stream.nvt
	in_page table 'Each column' >"$out.rows"
	want=$("$NVMETOOL" latency -A --json --by none -i "$DATA/stream.nvt" | jq -r 'select(.type == "latency") | "\(.count) \(.bytes) \(.sum_ns)"')
	python3 - "$out.rows" "$want" <<-'END'
		import sys
		rows = [line.split() for line in open(sys.argv[1])]
		count, moved, busy = map(int, sys.argv[2].split())
		assert sum(int(row[1]) for row in rows) == count
		begin = [sum(float(part) * unit for part, unit in zip(row[0].split(":"), (3600, 60, 1))) for row in rows]
		step = begin[1] - begin[0]
		assert abs(sum(float(row[3]) for row in rows) * step * 1e6 - moved) < 0.06 * step * 1e6 * len(rows)
		# Commands that were in flight when the recording began are counted from then on.
		assert abs(sum(float(row[4]) for row in rows) * step * 1e9 - busy) < 0.06 * step * 1e9 * len(rows), busy
	END
}

@test "names that would be markup are text" {
	cp "$DATA/report.nvt" "$BATS_TEST_TMPDIR/<b onload='x'>\"&amp;"$'\x1b''.nvt'
	"$NVMETOOL" report -i "$BATS_TEST_TMPDIR/<b onload='x'>\"&amp;"$'\x1b''.nvt' -w "$out"
	in_page text >"$out.text"
	grep -qF "NVMe commands of </title><script>document.title='owned'</script>\"'&amp;\\xe2\\x80\\xae" "$out.text"
	grep -qF "<b onload='x'>\"&amp;\\x1b.nvt" "$out.text"
	grep -qF '</pre><script> (100)' "$out.text"
	grep -qF '/</title><script>alert(1)</script>' "$out.text"
	grep -qF 'operator<<(std::ostream&, "x")' "$out.text"
	run ! grep -qP '[\x00-\x08\x0b-\x1f\x7f]|\xe2\x80\xae' "$out"
	# Nor do they run when a command is pasted.
	cp "$DATA/report.nvt" "$BATS_TEST_TMPDIR/a \$(id).nvt"
	"$NVMETOOL" report -i "$BATS_TEST_TMPDIR/a \$(id).nvt" -w "$out"
	says "nvmetool errors -s -i 'a \$(id).nvt'"
}

@test "two recordings: what changed is what diff says, and each has its own figures" {
	page before.nvt after.nvt
	in_page table '+ slower' >"$out.rows"
	"$NVMETOOL" diff --no-header -P 50,90,99,99.9 "$DATA/before.nvt" "$DATA/after.nvt" | sed -E 's/ +/ /g; s/^ //; s/ $//' | cmp - "$out.rows"
	for side in 0 1; do
		file=before.nvt
		[ $side = 0 ] || file=after.nvt
		in_page table 'By device and opcode' $side >"$out.rows"
		rows $file latency -A --hist-bits 6 --by dev,opcode -P 50,90,99,99.9 --columns dev,op,$LATENCY | cmp - "$out.rows"
		[ "$(in_page cells 'Latency of all commands' $side)" = 3000 ]
	done
}

@test "a percentile has the same value in every table of the page" {
	page before.nvt after.nvt
	for side in 0 1; do
		# DEV OP p50 p90 p99 p99.9 of the one table, OP and its four lines of the other
		in_page table 'By device and opcode' $side | awk '{ print $2, $8, $9, $10, $11 }' | sort >"$out.rows"
		in_page table '+ slower' | awk -v side=$side '{ of[$2] = of[$2] " " $(8 + side) } END { for (op in of) print op of[op] }' |
			sort | cmp - "$out.rows"
	done
	[ "$(wc -l <"$out.rows")" = 3 ]
}

@test "of recordings of other times each has its own rates, and their pictures have the same axes" {
	page latency.nvt stream.nvt
	in_page axes >"$out.axes"
	says Bnvme0n2\ read
	page readme.nvt after.nvt
	in_page axes >>"$out.axes"
	run ! grep -v ' equal$\| alone$' "$out.axes"
	[ "$(grep -c 'Heat map: Latency of all commands over time equal' "$out.axes")" = 2 ]
	grep -q '^Heat map: nvme0n1 read over time equal$' "$out.axes"
	grep -q '^Commands per second over time, at most .* equal$' "$out.axes"
	for side in 0 1; do
		file=readme.nvt
		[ $side = 0 ] || file=after.nvt
		in_page table 'By device and opcode' $side >"$out.rows"
		rows $file latency -A --hist-bits 6 --by dev,opcode -P 50,90,99,99.9 --columns dev,op,$LATENCY | cmp - "$out.rows"
		[ "$(in_page cells 'Latency of all commands' $side)" = "$("$NVMETOOL" info --json "$DATA/$file" | jq 'select(.type == "info").commands')" ]
	done
}

@test "a selection is that of every figure, and --unit is theirs" {
	page latency.nvt -- -O read --status ok -m
	in_page table 'By device and opcode' >"$out.rows"
	rows latency.nvt latency -m --hist-bits 6 -O read --status ok --by dev,opcode -P 50,90,99,99.9 --columns dev,op,$LATENCY | cmp - "$out.rows"
	says 'No command failed'
	in_page table 'By device' 1 >"$out.rows"
	rows latency.nvt pattern -O read --status ok | cmp - "$out.rows"
}

@test "what a recording does not tell is said, not shown as nothing" {
	page readme.nvt
	says 'The recording does not tell of timeouts and resets'
	says 'They are not in the recording'
	run ! grep -q 'id="stacks"' "$out"
}

@test "of two recordings what changed comes first, and the head has date and kernel of both" {
	"$NVMETOOL" record -i "$DATA/after.nvt" -w "$out.nvt" --quiet
	page before.nvt after.nvt
	[ "$(grep -o '<section id="[a-z]*"' "$out" | head -n 2 | xargs)" = '<section id=changes <section id=findings' ]
	[ "$(grep -o '<nav.*' "$out" | grep -o '#[a-z]*' | head -n 2 | xargs)" = '#changes #findings' ]
	[ "$(sed '/<\/header>/q' "$out" | grep -c 'from 2023-11-14 22:13:24 Z<br/>Linux 6.1.0')" = 2 ]
	# In the order of what is known: changed, not changed, not known.
	grep -oE '<em>(slower|faster|no change|too few)' "$out" | cut -c 5-10 | uniq | xargs >"$out.order"
	[ "$(<"$out.order")" = "slower no cha too fe" ]
	page load.nvt
	[ "$(sed '/<\/header>/q' "$out" | grep -c 'from 2023-11-14 22:13:24 Z<br/>Linux 6.1.0')" = 1 ]
	[ "$(grep -o '<section id="[a-z]*"' "$out" | head -n 1)" = '<section id="findings"' ]
}

# lanes: those of the page that are hatched
lanes()
{
	grep -o '<g class="unknown"><title>[a-z]*: unknown' "$out" | sed 's/.*<title>//; s/:.*//' | xargs
}

@test "what a recording does not know looks unlike what did not happen" {
	page load.nvt
	[ "$(lanes)" = "timeouts resets events" ]
	says 'hatched: unknown, the recording does not tell'
	says 'The recording does not tell of timeouts, resets and asynchronous events.'
	says 'timeouts / resetsunknown'
	[ "$(in_page table 'Each column of the charts' | awk '{ print $(NF - 3), $(NF - 2), $(NF - 1), $NF }' | sort -u | xargs)" = "- 0 - -" ]
	page report.nvt
	[ -z "$(lanes)" ]
	run ! says hatched
	run ! says 'does not tell of'
	says 'timeouts / resets1 / 1'
	# Of aborts a selection tells only if it has admin commands; of a controller it has.
	page report.nvt -- -O read
	[ "$(lanes)" = aborts ]
	page report.nvt -- -c 0
	[ -z "$(lanes)" ]
	"$NVMETOOL" record -i "$DATA/report.nvt" -O read -w "$out.nvt" --quiet
	"$NVMETOOL" report -i "$out.nvt" -w "$out" --quiet
	[ "$(lanes)" = aborts ]
	says 'The recording does not tell of aborts.'
	"$NVMETOOL" record -i "$DATA/report.nvt" --time 0s-10s -w "$out.nvt" --quiet
	"$NVMETOOL" report -i "$out.nvt" -w "$out" --quiet
	[ -z "$(lanes)" ]
	# Each of two by itself.
	page report.nvt load.nvt
	[ "$(lanes)" = "timeouts resets events" ]
	says 'timeouts / resets1 / 1'
	says 'timeouts / resetsunknown'
}

@test "one style of numbers, and of time" {
	for args in "report.nvt" "before.nvt after.nvt"; do
		# shellcheck disable=SC2086 # words are wanted
		page $args
		in_page text | sed 's/nvmetool [a-z].*//' >"$out.text" # what is typed is typed without a blank
		run -1 grep -E '[0-9](ns|us|ms)([^a-z]|$)' "$out.text"
		run -1 grep -P '[0-9]\xe2\x80\xaf[0-9]' "$out.text"
		grep -qE 'a column is [0-9]+ ms' "$out.text"
		grep -q 'MB/s' "$out.text"
		run -1 grep -E '[0-9.][KMGT]/s' "$out.text"
	done
	"$NVMETOOL" latency -i "$DATA/latency.nvt" -f svg | sed 's/<title>.*//' >"$out"
	grep -q 'A column is [0-9]* ms' "$out"
	grep -q '>131 us</text>' "$out"
	run -1 grep -E '[0-9](ns|us|ms)[^a-z]' "$out"
}

@test "one recording or two" {
	run -2 --separate-stderr "$NVMETOOL" report -i "$DATA/bits.nvt" -i "$DATA/bits.nvt" -i "$DATA/bits.nvt" -w "$out"
	[ "$stderr" = 'error: 3 recordings: a page is of one recording, or compares two; make a page of each' ]
	run -5 --separate-stderr "$NVMETOOL" report -i /dev/null -w "$out"
	head -c 9000 "$DATA/stream.nvt" >"$BATS_TEST_TMPDIR/cut.nvt"
	run -5 --separate-stderr "$NVMETOOL" report -i "$BATS_TEST_TMPDIR/cut.nvt" -w "$out"
	says 'the file is cut or damaged: more may be missing'
	run ! says 'nothing was lostno'
	says 'recording is completeno'
}

@test "a page of half a recording says so, one that cannot be written fails" {
	mkfifo "$out.fifo"
	"$NVMETOOL" report -i - -w "$out" <"$out.fifo" &
	pid=$!
	exec 9>"$out.fifo"
	head -c 20000 "$DATA/stream.nvt" >&9
	python3 -c 'import array, fcntl, termios
left = array.array("i", [1])
while left[0]: fcntl.ioctl(9, termios.FIONREAD, left)'
	kill -INT "$pid"
	wait "$pid"
	exec 9>&-
	says 'nvmetool was interrupted: this is of the first part of what was recorded'
	page stream.nvt
	run ! says 'interrupted'
	run -1 --separate-stderr "$NVMETOOL" report -i "$DATA/stream.nvt" -w /dev/full
	[[ $stderr == *'error: cannot write output'* ]]
}

@test "findings of each interval, and one page of all" {
	run -0 --separate-stderr "$NVMETOOL" report "$DATA/latency.nvt" 0.2
	[ "$(grep -c '^checked' <<<"$output")" = 6 ]
	[ "$(awk '/^checked/ { n += $2 } END { print n }' <<<"$output")" = 1000 ]
	run -2 --separate-stderr "$NVMETOOL" report "$DATA/latency.nvt" 2 -w "$out"
	[ "$stderr" = 'error: INTERVAL with -w: there is one page, of the whole run; use --duration' ]
}
