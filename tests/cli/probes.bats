#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Recordings of probes, replayed without root: tests/usdt/hits.nvt has three rounds of tests/usdt/probes.c, by
# `spdk --probe '*state*,*listener,made_up,by_*,interrupt*,nvmf_ctrlr_destruct' -f nvt`.

# shellcheck disable=SC2154 # run --separate-stderr sets stderr
bats_require_minimum_version 1.5.0
load lib/json.bash

FILE=$BATS_TEST_DIRNAME/../usdt/hits.nvt

setup()
{
	set -o pipefail
	out=$BATS_TEST_TMPDIR/out
}

# rows OPTION...: the hits that are printed, as JSON
rows()
{
	"$NVMETOOL" spdk --json "$@" | jq -c 'select(.type == "spdk")'
}

@test "a recording is replayed, in all formats, and what is recorded of it replays the same" {
	"$NVMETOOL" spdk -i "$FILE" --json >"$out"
	check_json spdk "$out"
	jq -es '.[-1] | .hits == 39 and .emitted == 39 and .errors == 1 and .complete and
		.processes == [{"pid": 22686, "comm": "pie", "version": "v25.05", "probes": 12, "places": 14, "ended": "exit"}]' "$out"
	"$NVMETOOL" spdk -i "$FILE" --csv >"$out.csv"
	check_csv "$out.csv"
	[ "$(wc -l <"$out.csv")" = 40 ]
	"$NVMETOOL" spdk -i "$FILE" -f nvt -w "$out.nvt"
	[ "$(stat -c %a "$out.nvt")" = 600 ]
	for format in text csv json; do
		diff <("$NVMETOOL" spdk -i "$FILE" -f "$format" --no-meta) <("$NVMETOOL" spdk -i "$out.nvt" -f "$format" --no-meta)
	done
	diff <("$NVMETOOL" spdk -i "$FILE") <("$NVMETOOL" spdk -i "$FILE" -f nvt | "$NVMETOOL" spdk -i -)
}

@test "meta says where and when it was recorded" {
	jq -es --argjson info "$("$NVMETOOL" info --json --no-meta "$FILE")" '.[0] | .host == $info.host and .kernel == $info.kernel and
		.arch == $info.arch and .time_ns == $info.time_ns' <("$NVMETOOL" spdk -i "$FILE" --json)
}

@test "a replay selects by set, probe and process, and ends early" {
	[ "$(rows -i "$FILE" --set wakeups | jq -r .probe | uniq -c | xargs)" = "3 interrupt_fd_process" ]
	[ "$(rows -i "$FILE" --probe 'nvmf_*_listener' | wc -l)" = 6 ]
	[ "$(rows -i "$FILE" -p 22686 | wc -l)" = 39 ]
	[ "$(rows -i "$FILE" -p 1 | wc -l)" = 0 ]
	[ "$(rows -i "$FILE" --comm 'p?e' | wc -l)" = 39 ]
	diff <(rows -i "$FILE" --max-events 5) <(rows -i "$FILE" | head -5)
	[ "$(rows -i "$FILE" --duration 33050us | wc -l)" = 3 ]
	"$NVMETOOL" spdk -i "$FILE" --json --probe '*state' --max-events 2 | jq -es '.[-1] | .hits == 2 and .emitted == 2 and .complete'
	run -6 "$NVMETOOL" spdk -i "$FILE" --fail-if 'errors>0'
	run -0 "$NVMETOOL" spdk -i "$FILE" --fail-if 'errors>1 or lost>0'
}

@test "info says what is in it" {
	"$NVMETOOL" info --json --no-meta "$FILE" >"$out"
	check_records info "$out"
	jq -e --argjson all "$(rows -i "$FILE" | jq -cs 'group_by(.probe) | map({ (.[0].probe): length }) | add')" '.holds == "probes" and
		.hits == 39 and .errors == 1 and .commands == 0 and .whole and .complete and .probes == $all and
		.processes[0].comm == "pie"' "$out"
	run -0 "$NVMETOOL" info "$FILE"
	[[ $output == *$'\n  processes 22686 (pie), SPDK v25.05: 12 probes at 14 places, ended by exit\n  hits      39, 1 failed\n'* ]]
	[[ $output == *$'\n  lost      nothing' ]]
	run ! grep -E '.{81}| $' <<<"${output//$FILE/}"
}

@test "commands refuse hits, and spdk refuses commands" {
	for cmd in trace latency errors pattern stacks top "report -w $out.html" "inflight --at 0.01" "record -w $out" "export -f fio" "metrics -w $out.prom"; do
		# shellcheck disable=SC2086 # options
		run -5 --separate-stderr "$NVMETOOL" $cmd -i "$FILE"
		[ -z "$output" ]
		[ "$stderr" = "error: cannot read '$FILE': it holds no commands, but hits of probes; read it with 'nvmetool spdk -i FILE'" ]
	done
	run -5 "$NVMETOOL" diff "$FILE" "$BATS_TEST_DIRNAME/../data/readme.nvt"
	run -5 --separate-stderr "$NVMETOOL" spdk -i "$BATS_TEST_DIRNAME/../data/readme.nvt"
	[[ $stderr == *"it holds no hits of probes; "*"spdk -f nvt"* ]]
	run -2 "$NVMETOOL" spdk -i "$FILE" --list
	run -2 "$NVMETOOL" spdk -i "$FILE" -i "$FILE.2"
}

@test "a file that is cut is read up to the cut, one that is damaged around the damage" {
	size=$(stat -c %s "$FILE")
	head -c $((size - 10)) "$FILE" >"$out.nvt"
	run -5 --separate-stderr "$NVMETOOL" spdk -i "$out.nvt" --csv
	[ "${#lines[@]}" = 40 ]
	[[ $stderr == *"it is cut at byte $((size - 10)); events read: 39"* ]]
	run -5 "$NVMETOOL" info "$out.nvt"
	[[ $output == *", cut or damaged"* ]]
	cp "$FILE" "$out.nvt"
	printf '\xff\xff' | dd of="$out.nvt" bs=1 seek=$((size - 500)) conv=notrunc status=none
	run -5 --separate-stderr "$NVMETOOL" spdk -i "$out.nvt" --csv
	[ "${#lines[@]}" = 1 ]
	[[ $stderr == *"it is damaged at byte "* ]]
}
