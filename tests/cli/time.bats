#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# --time: parts of a recording, against INTERVAL, against what trace prints, and what it cannot be.

# shellcheck disable=SC2154 # run --separate-stderr sets stderr
bats_require_minimum_version 1.5.0
load lib/json.bash
load lib/data.bash

NVT=$BATS_TEST_DIRNAME/lib/nvt.py

# records COMMAND...: those of a stream, without its head and foot, and without their number.
records()
{
	"$NVMETOOL" "$@" --json 2>"$out.err" | jq -c 'select(.type | IN("meta", "summary") | not)'
}

@test "a range has what completes at its begin, and not what completes at its end" {
	python3 "$NVT" times 0,999999999,1000000000,1500000000,1999999999,2000000000,3000000000 "$out.nvt"
	count()
	{
		"$NVMETOOL" trace --json -i "$out.nvt" --time "$1" >"$out"
		jq -se '(map(select(.type == "io")) | length) as $n | .[-1] | .emitted == $n and .filtered == 7 - $n and
			.paired == 7 and .complete' "$out" >/dev/null
		jq -s 'map(select(.type == "io")) | length' "$out"
	}
	[ "$(count 0-)" = 7 ]
	[ "$(count 1-2)" = 3 ]
	[ "$(count 1000000000ns-1999999999ns)" = 2 ]
	[ "$(count 0-1ns)" = 1 ]
	[ "$(count 0-1,2-3)" = 3 ]
	[ "$(count 2-)" = 2 ]
	[ "$(count 2-3s,3-)" = 2 ]
	[ "$(count 0.5-0.6)" = 0 ]
}

@test "trace shows the times that --time counts" {
	lines() { "$NVMETOOL" trace -i "$DATA/latency.nvt" --no-header "$@" | tr -s ' '; } # columns are as wide as their widest value
	lines | awk '$1 >= 0.3 && $1 < 0.4 || $1 >= 0.55 && $1 < 0.551' >"$out"
	lines --time 300ms-0.4,0.55-551ms | diff -q "$out" -
	[ "$(wc -l <"$out")" -gt 50 ]
}

@test "ranges are the intervals of the same length" {
	for line in latency:"latency --by opcode,dev" latency:"latency -Q --by none" report:"latency -H rows" \
		latency:"top -Q --by dev,opcode" latency:"top --view queue" report:"top --view ctrl" report:stacks \
		latency:"errors -s -a"; do
		read -ra words <<<"${line#*:} -i $DATA/${line%%:*}.nvt"
		records "${words[@]}" 100ms | jq -c 'select(.ts | test(":24.[235]0*Z")) | del(.seq)' >"$out"
		records "${words[@]}" --time 100ms-0.2,0.2-300ms,400ms-500ms | jq -c 'del(.seq)' | diff -q "$out" -
		[ -s "$out" ]
	done
}

@test "figures are of the range's length, and of what was outstanding in it" {
	python3 "$NVT" times 3000000000,4000000000,5000000000 "$out.nvt"
	records latency -i "$out.nvt" --by none --time 2-4,4.5- |
		jq -se 'map([.count, .interval_ns, .iops]) == [[1, 2000000000, 0.5], [1, 500000000, 2]]'
	records top -i "$DATA/latency.nvt" --by none --time 120ms-230ms,700ms-701ms >"$out"
	records trace -i "$DATA/latency.nvt" --no-meta -q io | jq -se --slurpfile top "$out" '
		def depth(from; to): map([([.mono_ns - 4e9, to] | min), ([.mono_ns - 4e9 - .lat_ns, from] | max)] |
			select(.[0] > .[1]) | .[0] - .[1]) | add / (to - from);
		. as $io | ($top | map(.interval_ns)) == [110000000, 1000000] and
		($top[0].qd - ($io | depth(120e6; 230e6)) | fabs) < 1e-6 and
		($top[1].qd - ($io | depth(700e6; 701e6)) | fabs) < 1e-6 and $top[0].qd > 0 and $top[1].qd > 0'
}

@test "each other command takes it" {
	"$NVMETOOL" metrics -i "$DATA/latency.nvt" --time 200ms-400ms -w "$out.prom"
	sum=$(awk '/_duration_seconds_count/ { n += $2 } END { print n }' "$out.prom")
	[ "$sum" = "$(records latency -i "$DATA/latency.nvt" --by none --time 200ms-400ms | jq .count)" ]
	records pattern -i "$DATA/latency.nvt" 100ms | jq -c 'select(.seq | IN(2, 4)) | [.ts, .count, .bytes]' >"$out"
	records pattern -i "$DATA/latency.nvt" --time 200ms-300ms,400ms-500ms |
		jq -c '[.ts, .count, .bytes]' | diff "$out" -
	[ "$("$NVMETOOL" latency -i "$DATA/latency.nvt" -H heat --time 200ms-300ms,300ms-400ms --no-header | wc -l)" = 2 ]
	"$NVMETOOL" latency -i "$DATA/latency.nvt" -f svg --time 200ms-400ms | grep -q "22:13:24.200 to 22:13:24.400 +00:00. $sum commands"
	"$NVMETOOL" export -f hdr -i "$DATA/latency.nvt" --by none --time 200ms-300ms,300ms-400ms -w "$out.hdr"
	[ "$(grep -v '^[#"]' "$out.hdr" | cut -d, -f1,2)" = "$(printf '%s\n' 0.200,0.100 0.300,0.100)" ]
	"$NVMETOOL" latency --json --time 200ms-400ms - <"$DATA/latency.nvt" >"$out"
	check_json latency "$out"
	jq -se --argjson n "$sum" '.[0].filters == { time: ["200ms-400ms"] } and .[-1].emitted == $n and .[-1].filtered == 1000 - $n' "$out"
}

@test "record keeps a range, which has the same figures" {
	figures() { records "$@" --by ctrl,opcode | jq -c 'del(.seq, .ts, .time_ns, .interval_ns, .iops, .bytes_per_s, .wall_ns)'; }
	"$NVMETOOL" record -i "$DATA/latency.nvt" --time 200ms-400ms -w "$out.nvt"
	figures latency -i "$DATA/latency.nvt" --time 200ms-400ms >"$out"
	figures latency -i "$out.nvt" | diff "$out" -
	[ -s "$out" ]
	"$NVMETOOL" info -i "$out.nvt" | grep -q '22:13:24.200 to 22:13:24.399 .*, 0.200 s'
	"$NVMETOOL" info -i "$out.nvt" | grep -q 'selection time=200ms-400ms'
}

@test "times of merged recordings are of all of them together" {
	python3 "$NVT" wall 1700000000 1700000001 1700000002 "$out.a"
	python3 "$NVT" wall 1700000010 1700000011 "$out.b"
	start=$("$NVMETOOL" trace --json -i "$out.a" -i "$out.b" | jq -s '.[0].mono_ns')
	records trace -i "$out.a" -i "$out.b" | jq -c --argjson s "$start" 'select(.mono_ns - $s >= 1e9 and .mono_ns - $s < 11e9)' >"$out"
	records trace -i "$out.a" -i "$out.b" --time 1-11 | diff "$out" -
	[ "$(wc -l <"$out")" -ge 2 ]
}

@test "recordings that are compared have times of their own" {
	python3 "$NVT" wall 1700000000 1700000001 1700000001 1700000002 1700000003 "$out.a"
	python3 "$NVT" wall 1700001000 1700001001 1700001002 1700001003 "$out.b"
	for file in a b; do
		"$NVMETOOL" latency -i "$out.$file" --json --by none --time 1-3 | jq '.count // empty'
	done >"$out"
	"$NVMETOOL" diff "$out.a" "$out.b" --by none -P 50 --json --time 1-3 | jq '.count_a // empty, .count_b // empty' | diff "$out" -
	[ "$(xargs <"$out")" = "3 2" ]
	"$NVMETOOL" diff "$out.a" "$out.b" --by none -P 50 --json --time 1-3 | jq -se 'map(select(.type == "diff") | .iops_a) == [1.5]'
}

# refuses MESSAGE COMMAND...
refuses()
{
	run -2 --separate-stderr "$NVMETOOL" "${@:2}"
	[[ $stderr == *"$1"* ]] || { echo "$stderr"; false; }
}

@test "what it cannot be together with is a usage error" {
	refuses "--time 0-1: it is about recordings; give one: -i FILE; a live run takes --duration" latency --time 0-1
	refuses "--time and INTERVAL: each range is an interval of its own" latency -i "$DATA/latency.nvt" --time 0-1 1
	refuses "--time and --duration" trace -i "$DATA/latency.nvt" --time 0-1 --duration 1
	refuses "--time 1-2: it begins before" top -i "$DATA/latency.nvt" --time 0-1.5,1-2
	for words in "record -w $out.nvt" "metrics -w $out.prom" "latency -f svg" "stacks -f svg" "latency --cumulative"; do
		read -ra words <<<"$words"
		refuses "there is one report, of the whole run; give one range" "${words[@]}" -i "$DATA/stacks.nvt" --time 0-1,1-2
	done
	refuses "give one range" diff "$DATA/before.nvt" "$DATA/after.nvt" --time 0-1,1-2
	refuses "--time: no such option" inflight -i "$DATA/latency.nvt" --at 0 --time 0-1
}

@test "a range behind the end of the recording is status 5" {
	for cmd in latency trace top; do
		run -5 --separate-stderr "$NVMETOOL" "$cmd" -i "$DATA/latency.nvt" --time 0-1,2-3
		[[ $stderr == *"--time: 1.009 s are recorded: the recording has no event so late; give earlier times"* ]]
	done
	run -5 --separate-stderr "$NVMETOOL" diff "$DATA/before.nvt" "$DATA/latency.nvt" --time 2-3
	[[ $stderr == *"--time: 1.009 s are recorded"* ]]
	run -0 "$NVMETOOL" latency -i "$DATA/latency.nvt" --time 0-1,1-3
	run -0 "$NVMETOOL" diff "$DATA/before.nvt" "$DATA/after.nvt" --time 2-3
}
