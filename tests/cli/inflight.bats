#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# inflight: what it refuses before it looks at the host, and what was in flight at a moment of a recording.

# shellcheck disable=SC2154 # run --separate-stderr sets stderr
bats_require_minimum_version 1.5.0
load lib/data.bash

@test "a command in flight has neither latency nor status: there are no options for them" {
	for option in --min-lat=1ms --status=error; do
		run -2 --separate-stderr "$NVMETOOL" inflight "$option"
		[ "$stderr" = "error: ${option%=*}: no such option; try 'nvmetool inflight --help'" ]
		[ "$("$NVMETOOL" __complete inflight "${option%=*}")" = "" ]
		[ "$("$NVMETOOL" help inflight | grep -cF -- "${option%=*}")" = 0 ]
	done
	run -2 --separate-stderr "$NVMETOOL" inflight -L 1ms
	[ "$stderr" = "error: -L: no such option; try 'nvmetool inflight --help'" ]
	run -2 --separate-stderr "$NVMETOOL" inflight 1 2 3
	[[ $stderr == "error: 3: this word is one too many"* ]]
}

@test "--fail-if knows what commands in flight have, and units of time" {
	for expr in 'p99>1ms' 'errors>0' 'lost>0' 'read.count>0' 'oldest>5' 'left<x' 'count>1s'; do
		run -2 --separate-stderr "$NVMETOOL" inflight --fail-if "$expr"
		[[ $stderr == "error: --fail-if '$expr', at position "* ]]
	done
	for expr in 'oldest>5s' 'left<1s' 'overdue>0'; do
		run -2 --separate-stderr "$NVMETOOL" latency -i "$DATA/load.nvt" --fail-if "$expr"
		[[ $stderr == *"this command has only pNN, min, "* ]]
	done
}

@test "the words of --sort, and the numbers of --rows" {
	run -2 --separate-stderr "$NVMETOOL" inflight --sort size
	[[ $stderr == "error: bad value 'size' for --sort: expected age, left, dev"* ]]
	run -2 "$NVMETOOL" inflight -r 0
}

# in_flight_at FILE NS: what a trace of the recording shows to be in flight so long after it began
in_flight_at()
{
	"$NVMETOOL" trace --json -i "$DATA/$1" | jq -c --argjson at "$2" 'if .type == "meta" then .mono_ns + $at
		else select(.type == "io") end' | jq -sc '.[0] as $t | .[1:][] |
		select(.mono_ns - .lat_ns <= $t and .mono_ns > $t) |
		[.qid, .cid, .tag, .op, .slba, .nlb, .bytes, .pid, .comm, .cgroup, $t - (.mono_ns - .lat_ns)]' | sort
}

@test "-i and --at: what was in flight then, as a trace of the recording has it" {
	for at in 300000 20036094 893186473; do
		"$NVMETOOL" inflight --json -i "$DATA/load.nvt" --at "${at}ns" >"$out"
		jq -c 'select(.type == "inflight") | [.qid, .cid, .tag, .op, .slba, .nlb, .bytes, .pid, .comm, .cgroup, .age_ns]' \
			"$out" | sort >"$out.rows"
		diff "$out.rows" <(in_flight_at load.nvt "$at")
		[ "$(jq -s 'map(select(.type == "summary").inflight) | add' "$out")" = "$(wc -l <"$out.rows")" ]
		jq -se 'map(select(.type == "inflight")) | all(.age_source == "trace" and .left_ns == null and .expiries == null
			and .timeout_ns == null and .state == null and .rq_state == null and .ino == null)' "$out"
	done
	[ "$(wc -l <"$out.rows")" = 3 ]
}

@test "--at: a command is in flight from its submission until it completes" {
	local tag sent ended

	read -r tag sent ended < <("$NVMETOOL" trace --json -i "$DATA/load.nvt" | jq -rs '.[0].mono_ns as $t |
		map(select(.type == "io"))[100] | "\(.tag) \(.mono_ns - .lat_ns - $t) \(.mono_ns - $t)"')
	there() { "$NVMETOOL" inflight --json -i "$DATA/load.nvt" --at "$1ns" | jq -s "map(select(.tag == $tag)) | length"; }
	[ "$(there $((sent - 1)))$(there "$sent")$(there $((ended - 1)))$(there "$ended")" = 0110 ]
}

@test "--at: a kernel worker is told from a submitter, as trace does" {
	local at

	at=$("$NVMETOOL" trace --json -i "$DATA/mixed.nvt" | jq -s 'map(select(.type == "meta").mono_ns)[0] as $t |
		map(select(.worker))[0].mono_ns - $t - 1')
	"$NVMETOOL" inflight --json -i "$DATA/mixed.nvt" --at "${at}ns" | jq -se 'map(select(.type == "inflight")) |
		any(.worker) and any(.worker == false) and all(.pid != null or .worker == null)'
}

@test "--at: a command that was sent before the recording began has no age and no opcode" {
	"$NVMETOOL" inflight --json -i "$DATA/mixed.nvt" --at 905us >"$out"
	[ "$(jq -c 'select(.type == "inflight" and .age_ns == null) | [.qid, .tag, .op, .pid, .age_source]' "$out")" = \
		'[4,99,null,null,null]' ]
	[ "$(jq -c 'select(.type == "inflight") | .tag' "$out" | wc -l)" = 6 ]
	for option in '-O read' '-p 1' '--older-than 1ns' '--size 4k'; do
		read -ra words <<<"$option"
		"$NVMETOOL" inflight --json -i "$DATA/mixed.nvt" --at 905us "${words[@]}" |
			jq -se 'length > 2 and all(.tag != 99)'
	done
}

@test "--at: the selection, the order, --rows and --fail-if" {
	at=(-i "$DATA/load.nvt" --at 893186473ns)
	[ "$("$NVMETOOL" inflight "${at[@]}" --json -d nvme0n1 | jq -c 'select(.type == "inflight") | [.dev, .tag]')" = '["nvme0n1",884]' ]
	[ "$("$NVMETOOL" inflight "${at[@]}" --json | jq -sc 'map(select(.type == "inflight").tag)')" = "[884,886,883]" ]
	[ "$("$NVMETOOL" inflight "${at[@]}" --json -s dev -r 1 | jq -sc '[map(select(.type == "inflight").tag), map(.inflight | numbers)]')" = \
		"[[884],[2,1]]" ]
	run -6 --separate-stderr "$NVMETOOL" inflight "${at[@]}" --fail-if 'count>1 and oldest>1ms'
	[[ $stderr == "failed: count = 2 > 1 and oldest = "*", nvme0, "* ]]
	run -0 "$NVMETOOL" inflight "${at[@]}" --fail-if 'count>2 or oldest>1s'
}

@test "--at: what the recording cannot have is told" {
	run -0 --separate-stderr "$NVMETOOL" inflight -i "$DATA/stream.nvt" --at 1ms
	[ "$stderr" = "nvmetool: 2 commands were still in flight at the end of the recording: it does not have them" ]
	run -7 "$NVMETOOL" inflight --strict -i "$DATA/stream.nvt" --at 1ms
	run -5 --separate-stderr "$NVMETOOL" inflight -i "$DATA/load.nvt" --at 2s
	[[ $stderr == "error: --at: 1.009 s are recorded: the recording has no event so late"* ]]
}

# hung OPTION...: what inflight shows of a recording of three commands that were in flight when it ended, after 8 s
hung()
{
	"$NVMETOOL" inflight -i "$out.nvt" --json "$@" | jq -c 'select(.type == "inflight") | [.op, .slba, .pid, .tag, .age_ns / 1e6]'
}

@test "--at: a recording has what was in flight at its end" {
	python3 "$BATS_TEST_DIRNAME/lib/nvt.py" hung 3 "$out.nvt"
	hung --at 7s >"$out"
	diff "$out" - <<-'END'
		["write",0,100,0,6980]
		["read",8,101,1,6970]
		["write",16,102,2,6960]
	END
	[ "$(hung --at 8s | wc -l)" = 3 ]
	[ "$(hung --at 30ms)" = "$(printf '%s\n' '["write",0,100,0,10]' '["read",8,101,1,0]')" ]
	[ "$(hung --at 15ms)" = "" ]
	[ "$(hung --at 7s -O read --older-than 6965ms)" = '["read",8,101,1,6970]' ]
	run -0 --separate-stderr "$NVMETOOL" inflight --strict -i "$out.nvt" --at 7s
	[ -z "$stderr" ]
	run -5 --separate-stderr "$NVMETOOL" inflight -i "$out.nvt" --at 8001ms
	[[ $stderr == "error: --at: 8.000 s are recorded"* ]]
}

@test "what was in flight at the end of a recording stays in what is made of it" {
	made() { "$NVMETOOL" record --quiet -i "$out.hung" -w "$out.nvt" "$@" && hung --at "${moment:-7s}" | jq '.[2]' | xargs; }
	python3 "$BATS_TEST_DIRNAME/lib/nvt.py" hung 3 "$out.hung"
	[ "$(made)" = "100 101 102" ]
	[ "$(made -O write)" = "100 102" ]
	[ "$(made -p 101,102)" = "101 102" ]
	[ "$(made -L 7970ms)" = "100 101" ]
	[ "$(moment=2s made --time 5-)" = "100 101 102" ]
	[ "$(moment=6ms made --time 2ms-)" = "" ]
	[ "$(moment=7.998 made --time 2ms-)" = "100 101 102" ]
	[ "$(moment=5ms made --time 0-7)" = "" ]
	run -5 "$NVMETOOL" inflight -i "$out.nvt" --at 6s # it is cut off
	"$NVMETOOL" record --quiet -i "$out.hung" -w "$out.nvt" --status ok
	run -5 "$NVMETOOL" inflight -i "$out.nvt" --at 6s # what has not completed has no status
}

@test "commands that are not about what is in flight do not see what was at the end" {
	python3 "$BATS_TEST_DIRNAME/lib/nvt.py" hung 3 "$out.nvt"
	python3 "$BATS_TEST_DIRNAME/lib/nvt.py" hung 0 "$out.none"
	cp "$out.none" "$out.other"
	for words in trace "trace -E" "latency 1" "top" "errors -s -a" "pattern" "stacks" "diff -i $out.other" "latency --time 0-"; do
		read -ra words <<<"$words"
		for file in nvt none; do
			"$NVMETOOL" "${words[0]}" -i "$out.$file" "${words[@]:1}" --json 2>/dev/null | jq -c 'select(.type | IN("meta", "summary") | not)' >"$out.$file.json"
		done
		diff "$out.nvt.json" "$out.none.json"
		[ -s "$out.nvt.json" ]
	done
	for format in fio chrome hdr; do
		for file in nvt none; do
			"$NVMETOOL" export --quiet -f "$format" -i "$out.$file" -w "$out.$file.$format"
		done
		cmp "$out.nvt.$format" "$out.none.$format"
	done
	"$NVMETOOL" info -i "$out.nvt" | grep -q '^ *3 in flight at the end, 3 of them in the file; the oldest for '
	"$NVMETOOL" info -i "$DATA/stream.nvt" | grep -q '^ *2 in flight at the end, 0 of them in the file; the oldest for '
	[ "$("$NVMETOOL" info --json -i "$out.nvt" | jq -c '[.commands, .duration_ns, .inflight_at_exit] | select(.[0])')" = "[10,10000000,3]" ]
}

@test "--at 0 is the beginning of the recording" {
	# A command that completed without a submission was in flight then; one that was submitted later was not.
	[ "$("$NVMETOOL" inflight -i "$DATA/mixed.nvt" --at 0 --json | jq -sc 'map(select(.type == "inflight")) | map(.age_ns)')" = '[null]' ]
	[ "$("$NVMETOOL" inflight -i "$DATA/stacks.nvt" --at 0 --json | jq -sc 'map(.inflight | numbers)')" = '[0,0]' ]
	run -2 --separate-stderr "$NVMETOOL" inflight --at 0
	[ "$stderr" = "error: --at: there is no recording; give one with -i" ]
	run -2 --separate-stderr "$NVMETOOL" inflight -i "$DATA/stacks.nvt" --at 1x
	[ "$stderr" = "error: bad value '1x' for --at: expected a time such as 500us, 2ms or 1.5 (seconds)" ]
}

@test "-i and --at belong together, and have no INTERVAL and no timeouts" {
	run -2 --separate-stderr "$NVMETOOL" inflight -i "$DATA/load.nvt"
	[[ $stderr == "error: -i: it is not said which moment of the recording to show; give --at TIME"* ]]
	run -2 --separate-stderr "$NVMETOOL" inflight --at 1s
	[[ $stderr == "error: --at: there is no recording; give one with -i" ]]
	run -2 --separate-stderr "$NVMETOOL" inflight -i "$DATA/load.nvt" --at 1s 1
	[[ $stderr == "error: INTERVAL with -i: a recording is looked at once; drop it" ]]
	run -2 --separate-stderr "$NVMETOOL" inflight -i "$DATA/load.nvt" --at 1s --duration 1s
	[[ $stderr == "error: --duration with -i: a recording is looked at once; drop it" ]]
	for expr in 'left<1s' 'count>0 and overdue>0'; do
		run -2 --separate-stderr "$NVMETOOL" inflight -i "$DATA/load.nvt" --at 1ms --fail-if "$expr"
		[ "$stderr" = "error: --fail-if '$expr': a recording does not know timeouts; use count and oldest" ]
	done
}
