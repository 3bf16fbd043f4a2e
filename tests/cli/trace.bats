#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# trace on recordings (tests/unit/record/test_data.c): rows in every format (expected.bats has them whole), events apart, filters, contradictions.

# shellcheck disable=SC2154 # run --separate-stderr sets stderr
bats_require_minimum_version 1.5.0
load lib/json.bash
load lib/data.bash

mixed()
{
	"$NVMETOOL" trace -i "$DATA/mixed.nvt" "$@"
}

stream()
{
	"$NVMETOOL" trace -i "$DATA/stream.nvt" "$@"
}

@test "a row for each command, an event for each submission and completion" {
	[ "$(mixed --json | jq -c 'select(.type == "io")' | wc -l)" = 20 ]
	mixed --json -E >"$out"
	[ "$(jq -s 'map(select(.type == "submit")) | length' "$out")" = 20 ]
	[ "$(jq -s 'map(select(.type == "complete")) | length' "$out")" = 22 ]
	[ "$(mixed --json --show complete | jq -s 'map(select(.type == "complete")) | length')" = 22 ]
	[ "$(mixed --json --show submit | jq -s 'map(select(.type == "submit")) | length')" = 20 ]
	[ "$(stream --json | jq -c 'select(.type == "io")' | wc -l)" = 3000 ]
	[ "$(stream --no-header | wc -l)" = 3000 ]
}

# How many rows jq's condition $1 is true of, without options, and how many rows the options behind it give.
left_out()
{
	local want

	want=$(mixed --json 2>/dev/null | jq -s "map(select(.type == \"io\") | select($1)) | length")
	[ "$want" -gt 0 ]
	[ "$want" -lt 20 ]
	[ "$(mixed --json "${@:2}" 2>/dev/null | jq -s 'map(select(.type == "io")) | length')" = "$want" ]
}

@test "a ! leaves out of each list what follows it" {
	left_out '.op != "read"' -O '!read'
	left_out '.op == "read" or .op == "write"' -O read,write,flush,'!flush'
	left_out '.comm | startswith("fio") | not' --comm '!fio*'
	left_out '.qid != 1' -q '!1'
	left_out '.qid != 0' -q '!admin'
	left_out '.dev != "nvme0n1"' -d '!nvme0n1'
	left_out '.ctrl != "nvme0"' -d '!nvme0'
	left_out '.ctrl_id != 0' -c '!0'
	left_out '.status != null and .status != 0' --status '!ok'
	run --separate-stderr mixed -O 'read,!read'
	[ "$status" = 2 ]
	[[ $stderr == *"-O: nothing is left of the selection; leave out less"* ]]
}

@test "time_ns is ts as a number, and sct_sc is the status as nvme-cli prints it" {
	mixed -E --aer --sq --json >"$out"
	# Floating point holds microseconds of it: the digits are compared as text.
	diff <(grep -o '"ts":"[^"]*","time_ns":[0-9]*' "$out" | sed 's/.*:\([0-9]*\)$/\1/') \
		<(jq -r 'select(.ts).ts' "$out" | while read -r ts; do date -ud "$ts" +%s%N; done)
	[ "$(jq -s 'map(select(.time_ns)) | length' "$out")" -gt 40 ]
	[ "$(jq -r 'select(.status != null) | "\(.sct) \(.sc) \(.sct_sc)"' "$out" | sort -u | xargs)" = \
		"$(jq -r 'select(.status != null) | "\(.sct) \(.sc)"' "$out" | sort -u |
			while read -r sct sc; do printf '%d %d %x/%02x\n' "$sct" "$sc" "$sct" "$sc"; done | xargs)" ]
	[[ $(jq -r .sct_sc "$out") == *0/00*2/81* ]]
	jq -es 'map(select(.type == "complete" and .status == null)) | length > 0 and all(.sct_sc == null)' "$out"
}

@test "events come in time order, and say what the joined row says" {
	stream --json -E | jq -c 'select(.mono_ns)' >"$out"
	jq -es 'map(select(.type | IN("submit", "complete")).mono_ns) | length == 6000 and . == sort' "$out"
	diff <(stream --json | jq -c 'select(.type == "io") | [.cid, .qid, .mono_ns - .lat_ns, .mono_ns]' | sort) \
		<(jq -sc 'group_by([.qid, .cid, .dev, .slba, .bytes])[] | (map(select(.type == "submit")) | sort_by(.mono_ns)) as $s |
			(map(select(.type == "complete")) | sort_by(.mono_ns)) as $c | range($s | length) |
			[$s[.].cid, $s[.].qid, $s[.].mono_ns, $c[.].mono_ns]' "$out" | sort)
}

@test "CSV has the values of JSON" {
	mixed --csv -Q >"$out"
	check_csv "$out"
	python3 - "$out" <(mixed --json -Q) <<'END'
import csv, json, sys
rows = list(csv.DictReader(open(sys.argv[1], newline='')))
want = [json.loads(line) for line in open(sys.argv[2])]
want = [w for w in want if w['type'] == 'io']
assert len(rows) == len(want) == 20
for r, w in zip(rows, want):
    assert list(r) == [k for k in w if k not in ('flags', 'fields')], list(r)
    for k, v in r.items():
        have = '' if w[k] is None else str(w[k]).lower() if isinstance(w[k], bool) else str(w[k])
        assert v == have, (k, v, w[k])
END
}

@test "the usual widths fit in 80 columns" {
	stream >"$out"
	[ "$(awk 'length($0) > 80' "$out")" = "" ]
	[ "$(head -n 1 "$out" | tr -s ' ')" = "TIME(s) DEV QID CID OP SLBA BYTES STATUS LAT(us) PID COMM" ]
}

@test "what is not known is null, never 0" {
	[ "$(mixed --json -E | jq -c 'select(.tag == 99 and .status == 881) | [.op, .slba, .bytes, .lat_ns, .pid, .cid, .flags]')" = \
		'[null,null,null,null,null,null,null]' ]
	[ "$(mixed --json | jq -c 'select(.cid == 5) | [.status, .result, .retries, .status_name, .lat_ns]')" = \
		'[null,null,null,null,7000]' ]
	[ "$(mixed --json | jq -c 'select(.op == "connect") | [.nsid, .fctype, .worker]')" = '[null,1,true]' ]
	mixed | grep -Eq '^0\.000987 +nvme0n1 +4 +5 +read +1 +512 +- '
}

@test "filters give their share" {
	count() { mixed --json "$@" | jq -c 'select(.type == "io")' | wc -l; }
	[ "$(count -O read)" = 6 ]
	[ "$(count -q admin)" = 6 ]
	[ "$(count -d nvme1n1)" = 3 ]
	[ "$(count -c 0 -O write,0x02)" = 7 ]
	[ "$(count --status error)" = 5 ]
	[ "$(count --status media -L 9ms)" = 1 ]
	[ "$(count -p 601)" = 2 ]
	[ "$(count --comm 'post*')" = 2 ]
	[ "$(count --size 128k)" = 2 ]
	[ "$(count --lba 8000-8010)" = 2 ]
	[ "$(mixed --json -O read --comm 'post*' | jq -c 'select(.type == "summary") | [.paired, .emitted, .filtered, .complete]')" = \
		'[20,2,18,true]' ]
}

@test "each range of a list selects" {
	[ "$("$NVMETOOL" trace --quiet --json -i "$DATA/alike.nvt" -n 1,3 | jq -sc 'map(.nsid | numbers)')" = '[1,1,1,3,3,3,3]' ]
	[ "$("$NVMETOOL" trace --quiet --json -i "$DATA/alike.nvt" -n 7,2-3 | jq -sc 'map(.nsid | numbers)')" = '[2,2,3,3,3,3]' ]
}

@test "asynchronous events are of the controllers that are selected" {
	aers() { mixed --json --aer "$@" | jq -r 'select(.type == "aer").ctrl'; }
	[ "$(aers)" = nvme0 ]
	[ "$(aers -d nvme0)" = nvme0 ]
	[ "$(aers -d nvme0n1)" = nvme0 ]
	[ "$(aers -d nvme1)" = "" ]
	[ "$(aers -c 1)" = "" ]
}

@test "with a filter on the completion the pair is printed then" {
	[ "$(mixed --json -E -L 9ms | jq -r 'select(.cid) | "\(.type) \(.mono_ns)"' | xargs)" = \
		"submit 1000000700000 complete 1000009820400" ]
	run -2 --separate-stderr mixed --show submit -L 1ms
	[[ $stderr == *"--show both"* ]]
	run -2 mixed --show submit --status error
}

@test "patterns: streams are sequential, though they mix" {
	[ "$(stream -P --json -d nvme0n1 -O read --comm rand | jq -s 'map(select(.pattern == "S")) | length')" = 0 ]
	[ "$(stream -P --json --comm seq -d nvme1n2 | jq -s 'map(select(.type == "io")) | .[0].pattern')" = null ]
	jq -es 'map(select(.type == "io").pattern) | index("S") and index("R")' <(stream -P --json)
	[ "$(mixed -P --json -p 3218 | jq -r 'select(.slba == 8008).pattern')" = S ]
	[ "$(mixed --json | jq -s 'map(has("pattern")) | any')" = false ]
}

@test "an interval is how long to run, and counts end it" {
	[ "$(stream --duration 1 | tail -n +2 | wc -l)" = \
		"$(stream --json | jq -s '.[0].mono_ns as $began | map(select(.type == "io" and .mono_ns <= $began + 1e9)) | length')" ]
	[ "$(stream 1 | tail -n +2 | wc -l)" = "$(stream --duration 1 | tail -n +2 | wc -l)" ]
	[ "$(stream 500ms 2 | tail -n +2 | wc -l)" = "$(stream --duration 1 | tail -n +2 | wc -l)" ]
	[ "$(stream 500ms 2 --duration 100ms | wc -l)" = "$(stream --duration 100ms | wc -l)" ]
	[ "$(stream --max-events 7 | tail -n +2 | wc -l)" = 7 ]
	[ "$(mixed --show submit --max-events 2 --no-header | wc -l)" = 2 ]
	[ "$(mixed -E --max-events 4 -f perf | wc -l)" = 4 ]
}

@test "a flag that has no name ends no list of flags" {
	# Commands with cmd_flags 0x80000000.
	run -0 --separate-stderr timeout 10 "$NVMETOOL" trace -i "$DATA/flags.nvt" --json --no-meta
	[ "$(jq -c 'select(.type == "io").flags' <<<"$output")" = '[]' ]
}

@test "retries are selected, whatever is printed" {
	[ "$(mixed --status retry --no-header | wc -l)" = 1 ]
	[ "$(mixed --status retry --json | jq -s 'map(select(.type == "io").retries) == [1]')" = true ]
	[ "$("$NVMETOOL" latency -i "$DATA/mixed.nvt" --status retry --by none --json | jq 'select(.type == "latency").count')" = 1 ]
}

@test "CSV without a row has its heading" {
	[ "$(mixed -p 99 --csv)" = "$(mixed --csv | head -1)" ]
	[ -z "$(mixed -p 99 --csv --no-header)" ]
}

@test "a condition cannot be about one opcode" {
	run -2 mixed --fail-if 'read.errors>=2'
	run -6 mixed -q 0-3 --fail-if 'errors>=2'
}

@test "what the recording lacks is named" {
	run -5 --separate-stderr stream -k
	[[ $stderr == *"record -k"* ]]
	run -5 --separate-stderr stream -Q
	[[ $stderr == *"record -Q"* ]]
	run -5 --separate-stderr stream --aer
	[[ $stderr == "error: asynchronous events: not in the recording; record again with this version" ]]
	run -5 stream --sq
	run -5 stream -u
}

@test "columns, units, time of day" {
	[ "$(mixed --columns time,op,lat_ns | sed -n 1p | tr -s ' ')" = "TIME(s) OP LAT(us)" ]
	mixed --unit ms | head -n 1 | grep -q 'LAT(ms)'
	mixed -T --utc | sed -n 2p | grep -q '^0\.000184 *04:40:00\.000184 '
	run -2 mixed --columns bogus
	run -2 mixed -E --show submit
	run -2 mixed --show nothing
}

@test "INTERVAL COUNT that no clock will see is no end" {
	[ "$("$NVMETOOL" trace -i "$DATA/stream.nvt" --no-header 34.359738368 536870912 | wc -l)" = 3000 ]
}

@test "a run without a row says so; record, export and errors have words of their own" {
	for cmd in record export errors; do
		read -ra words < <(replay "$cmd" "$DATA/stacks.nvt")
		run -0 --separate-stderr "$NVMETOOL" "$cmd" "${words[@]}" -O 0x77
		[[ $stderr != *"no matching"* ]]
	done
	run -0 --separate-stderr "$NVMETOOL" trace -i "$DATA/stacks.nvt" -O 0x77
	[ "$stderr" = "nvmetool: no matching command was seen" ]
	run -0 --separate-stderr "$NVMETOOL" trace -i "$DATA/mixed.nvt" -O 0x77 --json --quiet
	[ -z "$stderr" ]
	run -0 --separate-stderr "$NVMETOOL" trace -i "$DATA/mixed.nvt" -q 0-3
	[[ $stderr != *"no matching"* ]]
	[ "$(wc -l <<<"$output")" -gt 2 ]
}
