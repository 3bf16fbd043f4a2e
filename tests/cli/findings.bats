#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# report without -w: what stands out. The recordings of tests/data/findings are staged, those of tests/data/cases were said
# wrongly once (README.md of each says more), and lib/scenes.py makes one for each sentence.

# shellcheck disable=SC2154 # data.bash sets out, run --separate-stderr sets stderr
bats_require_minimum_version 1.5.0
load lib/data.bash

FINDINGS=$DATA/findings
CASES=$DATA/cases
LIB=$BATS_TEST_DIRNAME/lib

# kinds FILE: "severity kind" of each finding
kinds()
{
	"$NVMETOOL" report --json "$1" | jq -r 'select(.type == "finding") | "\(.severity) \(.kind)"'
}

# above_low FILE: the sentences above low
above_low()
{
	"$NVMETOOL" report --json --quiet "$1" |
		jq -rs 'if any(.type == "summary") then .[] | select(.type == "finding" and .severity != "low") | "\(.severity) \(.text)" else error("no report") end'
}

# shown_by FILE: the command of each finding
shown_by()
{
	"$NVMETOOL" report --json --quiet "$(realpath "$1")" | jq -r 'select(.type == "finding").command'
}

# scene WORD...: makes $out.nvt
scene()
{
	python3 "$LIB/scenes.py" "$@" "$out.nvt"
}

# said WORD...: severities and sentences of a scene, without the commands
said()
{
	scene "$@"
	"$NVMETOOL" report --utc "$out.nvt" 2>/dev/null | grep -v '^ \|^checked'
}

# says TEXT WORD...: the first sentence of a scene is this
says()
{
	[ "$(said "${@:2}" | head -n 1)" = "$1" ] || { said "${@:2}" && false; }
}

# silent WORD...: nothing is said of a scene
silent()
{
	[ "$(said "$@")" = 'nothing stands out' ] || { said "$@" && false; }
}

# case_says NAME TEXT: the first sentence of a case is this
case_says()
{
	[ "$("$NVMETOOL" report --utc "$CASES/$1.nvt" 2>/dev/null | head -n 1)" = "$2" ] || { "$NVMETOOL" report --utc "$CASES/$1.nvt" && false; }
}

@test "a staged cause is the first or second finding" {
	local file name missed=''

	for file in "$FINDINGS"/*-*.nvt; do
		name=$(basename "$file" .nvt)
		kinds "$file" | head -n 2 | grep -qx "[a-z]* ${name#*-}" || missed+=" $name"
	done
	[ -z "$missed" ] || { echo "not found:$missed" && false; }
	[ "$(kinds "$FINDINGS/limit-slow.nvt" | head -n 1)" = 'high slow' ]
}

@test "a clean load has none but of low severity" {
	local file n=0

	for file in "$FINDINGS"/clean.*.nvt "$CASES"/{clean-*,admin-without-effect,unknown-ctrl-*}.nvt; do
		run -0 above_low "$file"
		[ -z "$output" ] || { echo "$file: $output" && false; }
		n=$((n + 1))
	done
	[ $n = 11 ]
}

@test "slow: one span, to the end, from the begin, again and again, growing" {
	local reads='nvme0n1: 8K reads of postgres (2107) took'

	says "high    $reads 1.01 ms instead of 100 us from 22:13:28.0 to 30.0; nothing else changed then" slow 4 6 1000
	says "high    $reads 1.01 ms instead of 100 us from 22:13:28.0 on; nothing else changed then" slow 4 20 1000
	says "low     $reads 1.01 ms instead of 100 us until 22:13:29.0; nothing else changed then" slow 0 5 1000
	says "high    $reads 19.9 ms instead of 100 us at 22:13:28.2, for 94.2 ms; nothing else changed then" slow 4.2 4.28 20000
	says "high    $reads 1.51 ms instead of 100 us 4 times from 22:13:25.5 to 32.0, 500 ms each, every 2.00 s; nothing else changed then" again
	says "high    $reads 1.39 ms instead of 100 us, ever more from 22:13:29.2 on; nothing else changed then" ramp
	says "high    $reads 10.1 ms instead of 100 us from 22:13:28.0 to 30.0; nothing else changed then" first
}

@test "slow: who was there, on whatever namespace, and what changed then" {
	local reads='high    nvme0n1: 8K reads of postgres (2107) took' tar='on average 16 of the 18 commands in flight then were of tar (3406), mostly 128K reads'

	says "$reads 10.6 ms instead of 100 us from 22:13:28.0 to 30.0; $tar, 209 MB/s" neighbour 1 none
	says "$reads 10.6 ms instead of 100 us from 22:13:28.0 to 30.0; $tar of nvme0n2, 209 MB/s" neighbour 2 none
	says "$reads 901 us instead of 100 us from 22:13:29.0 on; at the same time the scheduler became mq-deadline, it was none" sched
	says "$reads 901 us instead of 100 us from 22:13:29.0 on; get-log commands were in flight meanwhile, on average 0.9" got
	local stops='high    nvme0n1: 8K reads of postgres (2107) took 191 ms instead of 100 us 2 times from 22:13:26.0 to 31.4, 400 ms each;'
	says "$stops get-log commands were in flight meanwhile, on average 1" stops 0 400
	says "$reads 24.9 ms instead of 100 us 2 times from 22:13:26.0 to 31.0, 60.2 ms each; get-log commands were in flight meanwhile, on average 1" stops 0 60
	says "$stops nothing else changed then" stops 150 400
	says "$reads 1.39 ms instead of 100 us, ever more from 22:13:29.2 on, and 1 other kind of commands waited; on average 3.7 of the 4 commands in flight then were of tar (3406), mostly 128K reads, 25.1 MB/s" grows
}

@test "slow: nobody is named who came later, or does no harm" {
	says 'high    nvme0n1: 8K reads of postgres (2107) took 803 us instead of 100 us from 22:13:28.0 on; nothing else changed then' late
	says 'high    nvme0n1: 8K reads of postgres (2107) took 512 us instead of 100 us, ever more from 22:13:28.2 on' joins
	for who in innocent mouse; do
		said neighbour 1 "$who" >"$out"
		grep -q 'tar (3406)' "$out"
		run -1 grep -e "$who" "$out"
	done
	silent admin
	run -0 --separate-stderr "$NVMETOOL" report --json "$CASES/step-innocent-late.nvt"
	[ "$(jq -r 'select(.kind == "slow" and .severity == "high").with | length' <<<"$output")" = 0 ]
	[ -z "$(jq -r 'select(.type == "finding").text | select(test("late"))' <<<"$output")" ]
}

@test "slow: its own wish, and other sizes are not" {
	silent depth
	silent sizes
	silent quiet
}

@test "slow: below the limits nothing is said, or low" {
	silent slow 4 6 140
	[[ $(said slow 4 20 280) == 'high    nvme0n1: 8K reads of postgres'* ]] # 0.02 commands wait on average
	[[ $(said slow 4 20 255) == 'medium  nvme0n1: 8K reads of postgres'* ]]
	[[ $(said slow 4 4.3 200) == 'low     nvme0n1: 8K reads of postgres'* ]]
}

@test "slow: pauses; one is likely, three are sure" {
	says 'high    nvme0n1: nothing ended, though commands were in flight, 3 times from 22:13:26.0 to 30.5, 500 ms each, every 2.00 s; nothing else changed then' pauses 3
	says 'medium? nvme0n1: nothing ended, though commands were in flight, from 22:13:26.0 to 26.5; nothing else changed then' pauses 1
}

@test "hung: completed, aborted, failed, in flight at the end" {
	local it='high    nvme0n1: one of the 4K reads of dd (77), block 800, took 9.00 s from 22:13:26.0 to 35.0' ended='; meanwhile 1620 other commands ended on the controller'

	says "$it$ended" hung completed 9
	says "$it, and was aborted$ended" hung aborted 9
	[ "$(said hung failed 9 | grep -c "^$it, and failed$ended\$")" = 1 ]
	says 'high    1 command was in flight at the end, the oldest for 9.00 s' hung inflight 9
	silent hung completed 0.9
	silent hung inflight 0.9
}

@test "overload, and not of few commands" {
	says 'high    nvme0n1: reads of webapp (81) took 60.3 ms, all the time behind backup (77), which had 30 of the 31 commands in flight' overload 30 1
	says 'high    nvme0n1: reads of webapp (81) took 60.3 ms, all the time behind backup, which had 30 of the 31 commands in flight' overload 30 2
	silent overload 3 1
}

@test "queue-wait: of whom, and the scheduler" {
	local it='nvme0n1: reads of capped (50) waited 20.0 ms on average in the block layer, 100 % of their time, and 100 us for the drive;'

	[ "$(said wait 20 none)" = "high    $it without a scheduler, a lack of tags or a limit holds them" ]
	[ "$(said wait 20 mq-deadline)" = "high    $it the scheduler mq-deadline holds them, or a limit or a lack of tags does" ]
	[[ $(said wait 6 none) == 'high    nvme0n1: reads of capped (50) waited 6.00 ms on average'* ]]
	[[ $(said wait 4 none) == 'low     nvme0n1: reads of capped (50) waited 4.00 ms on average'*'; without a scheduler, a plug, a lack of tags or a limit holds them' ]] # few are in flight
	silent wait 0.09 none
}

@test "tail" {
	says 'medium  nvme0n1: 2.0 % of the 8K reads of postgres (2107) took 20.2 ms, 201 times as long as most, at any time; the median is 100 us' tail 50 20
	says 'medium  nvme0n1: 6.6 % of the 8K reads of postgres (2107) took 20.2 ms, 201 times as long as most, 4 times from 22:13:24.0 to 33.5, 500 ms each, every 3.00 s; the median is 100 us; nothing else changed then' spells
	says 'medium  nvme0n1: 0.6 % of the 8K reads of postgres (2107) took 59.8 ms, 596 times as long as most, from 22:13:28.0 to 28.1; the median is 100 us; nothing else changed then' slow 4 4.06 60000
	silent tail 50 0.9
}

@test "uneven: CPU, path, queue, namespace, drive, region; but not the end of a scan" {
	local of='medium  nvme0n1: 4K reads of fio (77)' like='took 205 us; at like depth and time 3.8 times as long as those of other'

	for what in 'cpu by way of CPU 3' 'path by way of the path by nvme1'; do
		python3 "$LIB/nvt.py" parts "${what%% *}" "$out"
		run -0 --separate-stderr "$NVMETOOL" report "$out"
		[[ ${lines[0]} == "$of ${what#* } $like "* ]]
	done
	python3 "$LIB/nvt.py" parts region "$out"
	run -0 --separate-stderr "$NVMETOOL" report "$out"
	[ "${lines[0]}" = "$of from block 3000024 to 3003191 took 205 us, those of other blocks 53.2 us" ]
	says 'medium  nvme0n1: 8K reads of postgres (2107) by way of queue 3 took 401 us; at like depth and time 4 times as long as those of other queues' queues_of
	says 'medium  nvme0n2: 8K reads of postgres (2107) took 401 us; at like depth and time 4 times as long as those of other namespaces of the controller' namespaces
	python3 "$LIB/nvt.py" parts scan "$out"
	[ "$(kinds "$out")" = 'high slow' ]
	scene scan
	[ "$(kinds "$out.nvt")" = 'low slow' ]
}

@test "uneven: a drive among those of its model, whatever others do" {
	local it='medium  nvme3n1: 4K reads of fio (77) took 254 us; at like depth and time 4.8 times as long as those of other drives of the model'

	python3 "$LIB/nvt.py" drives 5 A "$out"
	run -0 --separate-stderr "$NVMETOOL" report "$out"
	[ "${lines[0]}" = "$it" ]
	[ "$(grep -c 'other drives' <<<"$output")" = 1 ]
	for others in '5 B' '1 A'; do
		# shellcheck disable=SC2086 # words
		python3 "$LIB/nvt.py" drives $others "$out"
		[ "$("$NVMETOOL" report "$out" | head -n 1)" = 'nothing stands out' ]
	done
}

@test "flush-load names who waits for flushes, beside who sends them, where the recording tells it" {
	run -0 --separate-stderr "$NVMETOOL" report "$DATA/waits.nvt"
	[[ ${lines[0]} == *"; jbd2/nvme0n1-8 (55) sent 100 % of them; postgres (2107) waited for 90 % of them" ]]
	[[ ${lines[1]} == *" --by opcode,flags,syncer "* ]]
	"$NVMETOOL" report --json "$DATA/waits.nvt" | jq -es 'map(select(.kind == "flush-load") | [.comm, .pid]) == [["postgres", 2107]]'
}

@test "flush-load, discards, writeback, retries, timeouts" {
	says 'medium  nvme0n1: 1000 flushes and 0 writes with FUA took 40 % of the time of all commands; mydb (12) sent 100 % of them' flushes 0.4
	silent flushes 0.15
	says 'medium  nvme0n1: 200 discards took 200 us each, 29 % of the time of all commands; fstrim (12) sent 100 % of them' trims
	says 'low     nvme0n1: 100 % of 12.5M that were written are sent by workers of the kernel, for others; most of all bytes are caused by the cgroup /batch' writeback
	says 'medium  nvme0n1: 5 commands succeeded only when tried again, 0.25 % of all' retried 5
	silent retried 1
	says 'high    nvme0: the driver waited in vain for 1 command and aborted 0: the drive, its link or its fabric hangs' timeouts
}

@test "errors, resets" {
	run -0 --separate-stderr "$NVMETOOL" report "$FINDINGS/media-errors.nvt"
	[ "${lines[0]}" = 'high    nvme0: 24 read commands failed (Unrecovered Read Error), all at block 1000: save the data; rewrite the block; read the SMART log' ]
	run -0 --separate-stderr "$NVMETOOL" report "$FINDINGS/reset-resets.nvt"
	[ "${lines[0]}" = 'high    nvme0: the controller was reset 1 time; commands in flight are cancelled then, and tried again' ]
}

@test "misaligned: commands that are too small, and that the drive splits" {
	local at='medium  nvme0n1:' bytes='bytes, '

	python3 "$LIB/nvt.py" limits 2048 4096 0 "$out"
	run -0 --separate-stderr "$NVMETOOL" report "$out"
	[ "${lines[0]}" = "$at 100 % of 200 commands do not begin or end at multiples of 4096 ${bytes}the drive's physical block; 100 % are smaller than that" ]
	python3 "$LIB/nvt.py" limits 65536 512 131072 "$out"
	run -0 --separate-stderr "$NVMETOOL" report "$out"
	[ "${lines[0]}" = "$at 50 % of 200 commands cross a multiple of 131072 ${bytes}where the drive splits them" ]
	python3 "$LIB/nvt.py" limits 65536 4096 0 "$out" # it begins off, and is large
	run -0 --separate-stderr "$NVMETOOL" report "$out"
	[ "${lines[0]}" = "$at 100 % of 200 commands do not begin or end at multiples of 4096 ${bytes}the drive's physical block" ]
}

@test "path-change: a path that commands have left" {
	python3 "$LIB/nvt.py" paths 100 "$out"
	run -0 --separate-stderr "$NVMETOOL" report --utc "$out"
	[ "${lines[0]}" = 'high    nvme0n1: no command took the path by nvme0 from 22:13:24.0 on, after 50; others took that by nvme1' ]
	for left in 200 170 20; do # neither one that stopped just now, nor one with few commands
		python3 "$LIB/nvt.py" paths $left "$out"
		[ "$("$NVMETOOL" report "$out" | head -n 1)" = 'nothing stands out' ]
	done
}

@test "change: slower, faster, other sizes; first in text, JSON and page" {
	local what made=$BATS_TEST_TMPDIR

	for what in '100 4096' '200 4096' '300 65536'; do
		# shellcheck disable=SC2086 # words
		python3 "$LIB/scenes.py" whole $what "$made/${what% *}.nvt"
	done
	run -0 --separate-stderr "$NVMETOOL" report "$made/100.nvt" "$made/200.nvt"
	[ "${lines[0]}" = 'high    nvme0: read commands became slower from A to B: p50 from 100 us to 201 us, +100 % (surely 98 to 102 %)' ]
	[ "${lines[1]}" = "        nvmetool diff $made/100.nvt $made/200.nvt" ]
	run -0 --separate-stderr "$NVMETOOL" report "$made/200.nvt" "$made/100.nvt"
	[ "${lines[0]}" = 'low     nvme0: read commands became faster from A to B: p50 from 201 us to 100 us, -50 % (surely -51 to -49 %)' ]
	run -0 --separate-stderr "$NVMETOOL" report "$made/100.nvt" "$made/300.nvt"
	[[ ${lines[0]} == 'low     nvme0: read commands became slower from A to B: '*'; their sizes differ, 4096 and 65536 bytes on average' ]]
	scene overload 30 1
	run -0 --separate-stderr "$NVMETOOL" report "$made/100.nvt" "$out.nvt"
	[[ ${lines[0]} == 'low     nvme0: read commands became slower from A to B: '* ]]
	[[ ${lines[2]} == 'high    B: nvme0n1: reads of webapp'* ]]
	[ "$("$NVMETOOL" report --json "$made/100.nvt" "$out.nvt" | jq -r 'select(.type == "finding").kind' | xargs)" = 'change overload' ]
	"$NVMETOOL" report -f html "$made/100.nvt" "$out.nvt" >"$out"
	[[ $(grep -m 1 '<li class="\(high\|medium\|low\)">' "$out") == *'commands became '*' from A to B'* ]]
}

@test "text: README's recording, word for word" {
	run -0 --separate-stderr "$NVMETOOL" report --utc "$DATA/readme.nvt"
	[ "$output" = "high    nvme0: 6 read commands failed (Unrecovered Read Error), all at block 423536864: save the data; rewrite the block; read the SMART log
        nvmetool errors -c 0 -i $DATA/readme.nvt
high    nvme0n1: 8K reads of postgres took 1.49 ms instead of 101 us from 22:13:25.0 on; on average 0.5 of the 0.9 commands in flight then were of tar (3406), mostly 128K reads, 40.1 MB/s
        nvmetool latency --table --hist-bits 6 --by dev,opcode,comm,size --split-size=8191,16383 -P 50,99 --columns +qd -c 0 --time 0.000-0.990,1.015-1.988 -i $DATA/readme.nvt
medium  nvme0n1: reads of tar (3406) waited 5.44 ms on average in the block layer, 76 % of their time, and 1.70 ms for the drive
        nvmetool top -b -Q --by dev,opcode,comm,pid -d nvme0n1 -O read --time 0- -i $DATA/readme.nvt
low     nvme0: 1 get-log command failed (Invalid Log Page): the drive does not have this log page
        nvmetool errors -c 0 -i $DATA/readme.nvt
checked 1200 commands in 2.0 s, nothing was lost; not looked at: owners (record --keys owner), I/O schedulers, who waits for flushes (record --keys syncer), timeouts, controller resets" ]
	run -0 --separate-stderr "$NVMETOOL" report "$DATA/before.nvt"
	[ "${lines[0]}" = 'nothing stands out' ]
}

@test "the last line says what was not looked at, and how it would be" {
	scene lacking
	run -0 --separate-stderr "$NVMETOOL" report "$out.nvt"
	[ "${lines[-1]}" = 'checked 2000 commands in 10.0 s, nothing was lost; not looked at: times of block layer entry (record -Q), owners (record --keys owner), I/O schedulers' ]
	scene quiet
	run -0 --separate-stderr "$NVMETOOL" report "$out.nvt"
	[ "${lines[-1]}" = 'checked 2000 commands in 10.0 s, nothing was lost' ]
}

@test "no command: there is nothing to judge" {
	scene none
	run -0 --separate-stderr "$NVMETOOL" report "$out.nvt"
	[ "${lines[0]}" = 'no command completed; nothing to judge' ]
	[ "${lines[1]}" = 'checked 0 commands in 0.0 s, nothing was lost' ]
	"$NVMETOOL" report -f html "$out.nvt" >"$out"
	grep -q '<p>no command completed; nothing to judge</p>' "$out"
}

@test "text on a terminal folds under the sentence" {
	scene neighbour 2 none
	unset TMUX
	tmux -L "findings-$$" -f /dev/null new-session -d -x 80 -y 30 "$NVMETOOL report --utc $out.nvt >$out.status; $NVMETOOL report --utc $out.nvt; touch $out.done; sleep 60"
	for ((i = 0; i < 200; i++)); do [ ! -e "$out.done" ] || break; sleep 0.1; done
	tmux -L "findings-$$" capture-pane -p >"$out"
	tmux -L "findings-$$" kill-server
	[ "$(awk 'length > 80' "$out" | wc -l)" = 0 ]
	[ "$(head -n 1 "$out" | cut -c 1-40)" = 'high    nvme0n1: 8K reads of postgres (2' ]
	[[ $(sed -n 2p "$out") =~ ^\ {8}[^\ ] ]] && [[ $(sed -n 3p "$out") =~ ^\ {8}[^\ ] ]]
}

# mains FILE: for each finding the command and its main figures, as tables have them; apart by \x1f
mains()
{
	"$NVMETOOL" report --json --quiet "$(realpath "$1")" | jq -r 'select(.type == "finding") | [.command, .text,
		(.figures | [.p50_ns, .before_p50_ns, .tail_ns, .wait_ns, .lat_ns] | map(select(. != null) / 1000) | join(" "))] | join("\u001f")'
}

# shows FILE: each printed command runs, and its output holds the main figures of the sentence
shows()
{
	local command text figures figure seconds

	while IFS=$'\x1f' read -r command text figures; do
		(cd "$(dirname "$NVMETOOL")" && PATH=.:$PATH sh -c "$command" >"$out.shown" 2>"$out.err") || { echo "$command" && cat "$out.err" && return 1; }
		for figure in $figures; do
			seconds=$(awk -v us="$figure" 'BEGIN { printf "%.3f s", us / 1e6 }')
			figure=$(awk -v us="$figure" 'BEGIN { printf "%.1f", us }')
			grep -qw -- "$figure\|$seconds" "$out.shown" || { echo "$figure is not shown: $text: $command" && cat "$out.shown" && return 1; }
		done
	done < <(mains "$1")
}

@test "the command beneath runs, and shows the figures" {
	local made=$BATS_TEST_TMPDIR what file

	for what in 'slow 4 6 1000' 'neighbour 2 none' again ramp 'pauses 3' 'hung completed 9' 'hung aborted 9' 'hung inflight 9' 'overload 30 1' \
		'wait 20 none' 'tail 50 20' spells 'stops 0 400' queues_of namespaces got sched 'flushes 0.4' trims writeback 'retried 5' timeouts hosts; do
		# shellcheck disable=SC2086 # words
		python3 "$LIB/scenes.py" $what "$made/${what// /-}.nvt"
	done
	for what in 'parts cpu' 'parts path' 'parts region' 'limits 2048 4096 0' 'drives 5 A' 'paths 100'; do
		# shellcheck disable=SC2086 # words
		python3 "$LIB/nvt.py" $what "$made/${what// /-}.nvt"
	done
	for file in "$made"/*.nvt; do
		shows "$file" && [ -n "$(shown_by "$file")" ] || { echo "$file" && false; }
	done
}

@test "the command beneath shows the figures of recordings, too" {
	local file

	for file in "$DATA"/{readme,load,keys,report,latency,mixed,sqlite}.nvt "$FINDINGS"/*.nvt "$CASES"/*.nvt; do
		[[ $file != *times-jump* ]] || continue # damaged: each command says so
		shows "$file"
	done
}

@test "the command beneath is safe to paste" {
	local name what path

	path=$(dirname "$(realpath "$NVMETOOL")"):$PATH
	mkdir "$BATS_TEST_TMPDIR/pasted"
	for name in '$(touch PWNED)' 'x;touch PWNED' "a'b\`touch PWNED\`"; do
		for what in troubles paths; do
			scene "$what" "$name"
			[ "$(shown_by "$out.nvt" | grep -c -e ' -d ')" -ge 1 ]
			shown_by "$out.nvt" | (cd "$BATS_TEST_TMPDIR/pasted" && PATH=$path sh -e >"$out" 2>&1)
			[ -s "$out" ]
		done
	done
	shown_by "$CASES/device-name-in-shell.nvt" | (cd "$BATS_TEST_TMPDIR/pasted" && PATH=$path sh -e >"$out")
	[ -z "$(ls -A "$BATS_TEST_TMPDIR/pasted")" ]
}

@test "the command beneath selects the host" {
	scene hosts
	shown_by "$out.nvt" >"$out"
	[ "$(wc -l <"$out")" = 2 ]
	[ "$(grep -c -- '-c host-b/nvme0 ' "$out")" = 2 ]
	[ "$("$NVMETOOL" report "$out.nvt" | grep -c '^high    host-b/nvme0')" = 2 ]
}

@test "JSON: keys, figures, who coincides, since when" {
	"$NVMETOOL" report --json "$DATA/readme.nvt" | jq -se 'map(select(.kind == "slow"))[0] |
		.dev == "nvme0n1" and .op == "read" and .comm == "postgres" and .pid == null and .confidence == "sure" and
		.figures.p50_ns > 10 * .figures.before_p50_ns and .figures.lost_s > 0 and (.with | length) == 1 and
		.with[0].comm == "tar" and .with[0].pid == 3406 and .with[0].op == "read" and .with[0].dev == "nvme0n1" and
		.with[0].event == null and .with[0].bytes_per_s > 3e7 and .with[0].depth > 0.4 and .to_ns > .from_ns'
	scene both
	"$NVMETOOL" report --json "$out.nvt" | jq -se 'map(select(.kind == "slow"))[0].with |
		map(.comm) == ["tar", "restore", null] and map(.event) == [null, null, "scheduler"] and map(.pid) == [3406, 55, null]'
	scene got
	"$NVMETOOL" report --json "$out.nvt" | jq -se 'map(select(.kind == "slow"))[0].with[0] | .event == "admin" and .op == "get-log" and .comm == null'
	scene pauses 1
	"$NVMETOOL" report --json "$out.nvt" | jq -se 'map(select(.type == "finding"))[0].confidence == "likely"'
}

@test "columns: a table, CSV has all" {
	run -0 --separate-stderr "$NVMETOOL" report "$DATA/readme.nvt" --columns severity,kind,dev
	[[ ${lines[0]} =~ ^SEVERITY\ +KIND\ +DEV$ ]]
	[[ ${lines[2]} =~ ^high\ +slow\ +nvme0n1$ ]]
	[ "$("$NVMETOOL" report "$DATA/readme.nvt" --csv | grep -c '^high,')" = 2 ]
}

@test "at most seven, the first of all; the page begins with the same" {
	"$NVMETOOL" report "$DATA/readme.nvt" -w "$out"
	[ "$(grep -c '<li class="\(high\|medium\|low\)">' "$out")" = "$(kinds "$DATA/readme.nvt" | wc -l)" ]
	[ "$(grep -n 'id="findings"' "$out" | cut -d : -f 1)" -lt "$(grep -n 'id="time"' "$out" | cut -d : -f 1)" ]
	"$NVMETOOL" report -f html "$DATA/readme.nvt" | cmp - "$out"
	python3 "$LIB/nvt.py" status 0x281 0x280 0x282 0x283 0x284 0x285 0x286 0x287 0x2 0x4 "$out.nvt"
	[ "$(kinds "$out.nvt" | wc -l)" = 7 ]
	[ "$(kinds "$out.nvt" | sort -u)" = 'high errors' ]
}

@test "one time of a drive is one finding" {
	said together >"$out"
	[ "$(wc -l <"$out")" = 1 ]
	[[ $(<"$out") == *' from 22:13:28.0 to 30.0, and 2 other kinds of commands waited; nothing else changed then' ]]
}

@test "a damaged recording is the first finding" {
	head -c 20000 "$DATA/readme.nvt" >"$out"
	run -5 --separate-stderr "$NVMETOOL" report "$out"
	[[ ${lines[0]} == 'high    the recording is cut or damaged: more may be missing'* ]]
	[[ ${lines[-1]} != *'nothing was lost'* ]]
	run -5 --separate-stderr "$NVMETOOL" report "$CASES/times-jump.nvt"
	[ "${lines[0]}" = 'high    the recording is cut or damaged: more may be missing' ]
	[ "${lines[2]%%;*}" = 'checked 0 commands in 0.0 s' ]
}

@test "no sentence of foreign names reaches a terminal as it is" {
	"$NVMETOOL" report "$DATA/latency.nvt" >"$out" # has a name of other bytes than text
	grep -qF '\xff\xc3(\\ (1003) sent' "$out"
	run -1 grep -P '[\x00-\x08\x0b-\x1f\x7f-\xff]' "$out"
}

@test "help findings has each kind, and its limits" {
	local kind

	"$NVMETOOL" help findings >"$out"
	while read -r kind; do
		grep -q "^$kind: " "$out" || { echo "$kind" && false; }
	done < <(sed -nE 's/^FINDING\([A-Z_]+, "([a-z-]+)".*/\1/p' "$BATS_TEST_DIRNAME/../../lib/view/finding.def")
	[ "$(awk 'length > 79' "$out" | wc -l)" = 0 ]
	[ "$(grep -c '^  *[0-9.]\+ ' "$out")" = "$(grep -c '^LIMIT(' "$BATS_TEST_DIRNAME/../../lib/view/finding.def")" ]
}

@test "cases: a hung read, alone and among others" {
	local quiet='; nothing else ended on the controller meanwhile'

	case_says hung-read-6.1 "high    nvme3n1: one of the 4K reads of dd (577), block 2400, took 9.34 s from 03:38:14.2 to 23.6$quiet"
	case_says hang10 "high    nvme1n1: one of the 4K reads of dd (77), block 800, took 9.30 s from 22:13:24.5 to 33.8; 99.9 % of the others took less than 100 us$quiet"
	case_says stuck-among 'high    nvme0n1: one of the 4K reads of dd (77), block 800, took 9.30 s from 22:13:24.5 to 33.8; meanwhile 3356 other commands ended on the controller'
}

@test "cases: a neighbour for two seconds, and one on another namespace" {
	local reads='high    nvme0n1: 8K reads of postgres (2107) took 10.6 ms instead of'

	case_says neighbour-brief "$reads 81.9 us from 22:13:28.0 to 30.0; on average 16 of the 18 commands in flight then were of tar (3406), mostly 128K reads, 198 MB/s"
	case_says neighbour-other-namespace "$reads 80.9 us from 22:13:28.0 on; on average 8 of the 10 commands in flight then were of restore (3406), mostly 256K writes of nvme0n2, 198 MB/s"
}

@test "cases: a step until the end, as the live run said" {
	case_says step-unseen-6.1 'high    nvme0n1: 4K reads of fio (214) took 15.7 ms instead of 1.25 ms from 03:36:59.3 on; nothing else changed then'
}

@test "cases: reads that become slow after a brief and noisy time" {
	case_says noise-then-slow-6.1 'high    nvme0n1: 4K reads of fio (2146) took 3.64 ms instead of 463 us, ever more from 00:32:38.6 on; nothing else changed then'
}

@test "cases: the one who waits before the drive" {
	run -0 --separate-stderr "$NVMETOOL" report "$CASES/wait-of-one.nvt"
	[ "${lines[0]}" = 'high    nvme0n1: reads of capped (50) waited 20.0 ms on average in the block layer, 100 % of their time, and 81.7 us for the drive' ]
	run -1 grep free <<<"$output"
}

@test "cases: a hot region, within 1 %" {
	run -0 above_low "$CASES/hot-region.nvt"
	[ "${#lines[@]}" = 1 ]
	[[ $output =~ ^medium\ nvme0n1:\ 8K\ reads\ of\ postgres\ \(2107\)\ from\ block\ ([0-9]+)\ to\ ([0-9]+)\ took\ [0-9]+\ us,\ those\ of\ other\ blocks\ 80\.[0-9]\ us$ ]]
	((BASH_REMATCH[1] > 999000 && BASH_REMATCH[1] < 1001000 && BASH_REMATCH[2] > 1099000 && BASH_REMATCH[2] < 1101000))
}

@test "cases: what a recording of a host that swaps cannot tell is said" {
	run -0 --separate-stderr "$NVMETOOL" report "$CASES/swap-7.2.nvt"
	[[ ${lines[-1]} == *'; not looked at: times of block layer entry (record -Q), owners (record --keys owner), who waits for flushes (record --keys syncer)' ]]
	run -1 grep 'queue-wait\|waited .* in the block layer' <<<"$output"
	[ "$("$NVMETOOL" report --json "$CASES/swap-7.2.nvt" | jq -r 'select(.kind == "slow").with[].comm')" = '' ]
}

@test "cases: backup fills the drive, webapp waits behind it" {
	"$NVMETOOL" report --json "$CASES/steady-overload.nvt" 2>/dev/null | jq -se 'map(select(.type == "finding"))[:2] |
		any(.kind == "overload" and .comm == "webapp" and .with[0].comm == "backup")'
}

@test "cases: controllers that are not known, in two recordings" {
	run -0 "$NVMETOOL" report -f html "$CASES/unknown-ctrl-a.nvt" "$CASES/unknown-ctrl-b.nvt"
	[[ $output == *'id="findings"'* ]]
	run -0 --separate-stderr "$NVMETOOL" report "$CASES/unknown-ctrl-a.nvt" "$CASES/unknown-ctrl-b.nvt"
	[[ ${lines[-1]} == 'checked 2000 commands in '* ]]
}
