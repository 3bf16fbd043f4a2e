#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# diff on two recordings (tests/data/diff.c): reads take 1.5 times as long in the second one, writes are as before.

# shellcheck disable=SC2154 # run --separate-stderr sets stderr
bats_require_minimum_version 1.5.0
load lib/json.bash
load lib/data.bash

# verdicts OPTION...: a line "OP PERCENTILE VERDICT" for each row
verdicts()
{
	"$NVMETOOL" diff --json --no-meta "$@" "$DATA/before.nvt" "$DATA/after.nvt" |
		jq -r 'select(.type == "diff") | "\(.op) \(.percentile) \(.verdict)"'
}

@test "what changed is found, what did not is not accused, and few commands tell nothing" {
	run -0 verdicts
	[ "$output" = 'flush p50 ?
flush p90 ?
flush p99 ?
flush p99.9 ?
write p50 =
write p90 =
write p99 ?
write p99.9 ?
read p50 +
read p90 +
read p99 ?
read p99.9 ?' ]
	run -0 "$NVMETOOL" diff --csv --no-header --columns verdict -O read -P 50,90 "$DATA/after.nvt" "$DATA/before.nvt"
	[ "$output" = $'-\r\n-\r' ]
}

@test "figures of each recording are those of latency with the finest histogram" {
	"$NVMETOOL" diff --json --no-meta -P 50,99,99.9 "$DATA/before.nvt" "$DATA/after.nvt" >"$out"
	for side in a b; do
		file=before
		[ "$side" = a ] || file=after
		"$NVMETOOL" latency --json --no-meta --hist-bits 6 -P 50,99,99.9 -i "$DATA/$file.nvt" |
			jq -c 'select(.type == "latency") | . as $r | .pct_ns | to_entries[] | [$r.op, $r.count, $r.iops, .key, .value]' >"$out.want"
		jq -c "select(.type == \"diff\") | [.op, .count_$side, .iops_$side, .percentile, .${side}_ns]" "$out" |
			diff "$out.want" -
	done
}

@test "the change is within its bounds, and the bounds hold what was made" {
	"$NVMETOOL" diff --json --no-meta -O read "$DATA/before.nvt" "$DATA/after.nvt" >"$out"
	jq -es '[.[] | select(.type == "diff" and .verdict == "+")] | length == 3 and
		all(.low_pct < .change_pct and .change_pct < .high_pct and .low_pct < 50 and .high_pct > 50)' "$out"
	# A figure that is not known is null, never 0.
	jq -es 'map(select(.percentile == "p99.9")) | length > 0 and all(.low_pct == null and .high_pct == null)' "$out"
}

@test "a recording too short for how slowly it wanders tells nothing, and how long to record is said" {
	run -0 "$NVMETOOL" diff --no-header -O read -P 50,99 "$DATA/wander.nvt" "$DATA/after.nvt"
	[[ ${lines[0]} == *' +63.0       -       - ?' && ${lines[1]} == *' ?' ]]
	[ "${lines[2]}" = '  A is too short: it wanders over 0.63 s; record at least 19 s' ]
	[ "${#lines[@]}" = 3 ]
	run -0 "$NVMETOOL" diff --no-header -O read -P 50 "$DATA/after.nvt" "$DATA/wander.nvt"
	[ "${lines[1]}" = '  B is too short: it wanders over 0.63 s; record at least 19 s' ]
	"$NVMETOOL" diff --json -P 50 "$DATA/wander.nvt" "$DATA/after.nvt" >"$out"
	check_json diff "$out"
	jq -es '[.[] | select(.type == "diff")] | length == 3 and (.[] | select(.op == "read") |
		(.why | startswith("A is too short: ")) and .wander_ns * 30 < .need_ns + 30 and .low_pct == null and .verdict == "?")' "$out"
	# Few commands are another reason.
	jq -es 'map(select(.op == "flush")) | length > 0 and all((.why | startswith("too few commands")) and .need_ns == null)' "$out"
	"$NVMETOOL" diff --json --no-meta -O read -P 50 "$DATA/before.nvt" "$DATA/after.nvt" >"$out"
	jq -es '.[0] | .verdict == "+" and .why == null and .wander_ns == null' "$out"
	# It is half as slow again, but not surely.
	run -0 "$NVMETOOL" diff --fail-if 'read.p50>+1%' "$DATA/wander.nvt" "$DATA/after.nvt"
	"$NVMETOOL" report -i "$DATA/wander.nvt" -i "$DATA/after.nvt" -w "$out.html"
	grep -q 'read p50</b><em>A is too short: it wanders over 0.63 s; record at least 19 s</em>' "$out.html"
}

@test "more comparisons make each of them more careful" {
	one=$("$NVMETOOL" diff --json --no-meta -O read -P 50 "$DATA/before.nvt" "$DATA/after.nvt" | jq -s '.[0].high_pct - .[0].low_pct')
	all=$("$NVMETOOL" diff --json --no-meta -P 50,10,20,30,40,60,70,80 "$DATA/before.nvt" "$DATA/after.nvt" |
		jq -s '[.[] | select(.op == "read" and .percentile == "p50")][0] | .high_pct - .low_pct')
	jq -en "$all > $one"
}

@test "a key that one recording lacks is shown, and nothing is said of its change" {
	"$NVMETOOL" record --quiet -i "$DATA/after.nvt" -O read -w "$out.nvt"
	"$NVMETOOL" diff --json --no-meta -O write -P 50 "$DATA/before.nvt" "$out.nvt" >"$out"
	jq -es '.[0] | .count_a == 998 and .count_b == 0 and .b_ns == null and .change_pct == null and .verdict == "?"' "$out"
}

@test "keys that find no row are counted, and not compared" {
	"$NVMETOOL" diff --json --by cpu -P 50 "$DATA/before.nvt" "$DATA/after.nvt" >"$out" 2>"$out.err"
	jq -es '[.[] | select(.type == "diff")] | length == 513 and (map(.count_a) | add) == 3000 and
		(.[-1] | .cpu == null and .count_a == 440 and .a_ns == null and .verdict == "?")' "$out"
	jq -es '.[-1] | .lost.keys_full == 880 and .emitted == 6000 and .complete == false' "$out"
	grep -q '^nvmetool: lost: 880 samples counted under (other)' "$out.err"
	run -7 "$NVMETOOL" diff --strict --by cpu -P 50 "$DATA/before.nvt" "$DATA/after.nvt"
}

@test "recordings of two hosts are compared by the same names" {
	[ "$("$NVMETOOL" info --json "$DATA/before.nvt" "$DATA/after.nvt" | jq -r 'select(.type == "info").host' | xargs)" = 'host-a host-b' ]
	run -0 "$NVMETOOL" diff --csv --no-header --by ctrl,dev -P 50 --columns ctrl,dev,count_a,count_b "$DATA/before.nvt" "$DATA/after.nvt"
	[ "$output" = $'nvme0,nvme0n1,3000,3000\r' ]
}

@test "the selection counts for both, and for the account" {
	"$NVMETOOL" diff --json -d nvme0n1 -O read -L 1us "$DATA/before.nvt" "$DATA/after.nvt" >"$out"
	jq -es '.[-1] | .paired == 6000 and .emitted == 3992 and .filtered == 2008 and .complete' "$out"
	check_json diff "$out"
}

@test "--fail-if is true only for what is sure" {
	run -6 --separate-stderr "$NVMETOOL" diff --json --fail-if 'p50>+10%' "$DATA/before.nvt" "$DATA/after.nvt"
	[[ $stderr == 'failed: read.p50 changed by at least +'*' % > +10 %, nvme0, '* ]]
	[ "$(tail -n 1 <<<"$output" | jq -c '.fail_if[0] | [.op, .row, (.values[0] > 10)]')" = '["read","nvme0",true]' ]
	# It is more than 50 % by what was seen, but not surely.
	run -0 "$NVMETOOL" diff --fail-if 'read.p50>+50%' "$DATA/before.nvt" "$DATA/after.nvt"
	run -0 "$NVMETOOL" diff --fail-if 'write.p50>+0% or write.p50<-0% or flush.p50>+0%' "$DATA/before.nvt" "$DATA/after.nvt"
	run -6 --separate-stderr "$NVMETOOL" diff --fail-if 'read.p50<-20% and read.p90<=-20%' "$DATA/after.nvt" "$DATA/before.nvt"
	[[ $stderr == 'failed: read.p50 changed by at most -'*' % < -20 % and read.p90 changed by at most -'*' % <= -20 %, '* ]]
}

@test "what is refused" {
	for words in '' "$DATA/before.nvt" "$DATA/before.nvt $DATA/after.nvt $DATA/load.nvt"; do
		# shellcheck disable=SC2086 # words
		run -2 "$NVMETOOL" diff $words
		[[ $output == *'expected two recordings; name the earlier one first' ]]
	done
	run -2 "$NVMETOOL" diff "$DATA/before.nvt" "$DATA/before.nvt"
	run -5 "$NVMETOOL" diff "$DATA/before.nvt" /no/such
	for condition in 'p99>10us' 'p99>10' 'p99==+10%' 'avg>+10%' 'count>+10%' 'p98>+10%' 'p99>+10% x' 'p99>-101%' 'p99>nan%'; do
		run -2 "$NVMETOOL" diff --fail-if "$condition" "$DATA/before.nvt" "$DATA/after.nvt"
	done
	run -2 "$NVMETOOL" diff --by dev --fail-if 'read.p99>+10%' "$DATA/before.nvt" "$DATA/after.nvt"
	run -2 "$NVMETOOL" diff --by pid "$DATA/before.nvt" "$DATA/after.nvt"
	run -2 "$NVMETOOL" diff -w "$DATA/before.nvt" "$DATA/before.nvt" "$DATA/after.nvt"
	run -2 "$NVMETOOL" diff "$DATA/before.nvt" "$DATA/after.nvt" -- true
}

@test "what a recording lacks is refused, what it lost is counted" {
	run -5 "$NVMETOOL" diff -Q "$DATA/before.nvt" "$DATA/after.nvt"
	[[ $output == *'times of block layer entry'* ]]
	head -c 20000 "$DATA/after.nvt" >"$out.nvt"
	run -7 "$NVMETOOL" diff --strict "$DATA/before.nvt" "$out.nvt"
}

@test "text is a table of at most 100 columns, CSV is well-formed" {
	"$NVMETOOL" diff "$DATA/before.nvt" "$DATA/after.nvt" >"$out"
	[ "$(awk '{ print length }' "$out" | sort -n | tail -n 1)" -le 100 ]
	[ "$(sed -n 1p "$out" | tr -s ' ')" = 'CTRL OP COUNT(A) COUNT(B) IOPS(A) IOPS(B) PCT A(us) B(us) CHANGE% LOW% HIGH% IS' ]
	"$NVMETOOL" diff --csv "$DATA/before.nvt" "$DATA/after.nvt" >"$out"
	check_csv "$out"
}
