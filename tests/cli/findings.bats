#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# report without -w: what stands out. The recordings of tests/data/findings are of the guest test findings, cut to size.

# shellcheck disable=SC2154 # data.bash sets out, run --separate-stderr sets stderr
bats_require_minimum_version 1.5.0
load lib/data.bash

FINDINGS=$DATA/findings

# kinds FILE: "severity kind" of each finding
kinds()
{
	"$NVMETOOL" report --json "$1" | jq -r 'select(.type == "finding") | "\(.severity) \(.kind)"'
}

# shown_by FILE: the command of each finding
shown_by()
{
	"$NVMETOOL" report --json --quiet "$(realpath "$1")" | jq -r 'select(.type == "finding").command'
}

@test "a staged cause is the first or second finding" {
	local file name missed=''

	for file in "$FINDINGS"/*-*.nvt; do
		name=$(basename "$file" .nvt)
		kinds "$file" | head -n 2 | grep -qx "[a-z]* ${name#*-}" || missed+=" $name"
	done
	[ -z "$missed" ] || { echo "not found:$missed" && false; }
}

@test "a clean load has none but of low severity" {
	local file

	for file in "$FINDINGS"/clean.*.nvt; do
		run kinds "$file"
		! grep -E '^(high|medium) ' <<<"$output" || { echo "$file" && false; }
	done
}

@test "the odd one of the drives of a model, under a like load" {
	python3 "$BATS_TEST_DIRNAME/lib/nvt.py" drives 5 A "$out"
	run -0 --separate-stderr "$NVMETOOL" report "$out"
	[ "${lines[0]}" = 'medium  nvme3n1: half of the reads took more than 254 us, half of those of other drives of the model under a like load less than 53.2 us' ]
	[ "$(grep -c 'other drives' <<<"$output")" = 1 ]
	python3 "$BATS_TEST_DIRNAME/lib/nvt.py" drives 5 B "$out"
	run ! grep 'other drives' < <("$NVMETOOL" report "$out")
	python3 "$BATS_TEST_DIRNAME/lib/nvt.py" drives 1 A "$out"
	run ! grep 'other drives' < <("$NVMETOOL" report "$out")
}

@test "a CPU, a path or a region is slower than its equals; but not the end of a scan" {
	local what

	for what in 'cpu of CPU 3' 'path by way of nvme1' 'region of blocks 2883584 to 3145727'; do
		python3 "$BATS_TEST_DIRNAME/lib/nvt.py" parts "${what%% *}" "$out"
		run -0 --separate-stderr "$NVMETOOL" report "$out"
		[[ ${lines[0]} == "medium  nvme0n1: half of the reads ${what#* } took more than 205 us, half of those of other "* ]]
		[[ ${lines[2]} == 'checked 16 kinds on 400 commands'* ]]
		run -0 sh -c "$(shown_by "$out" | sed "s|^nvmetool|$NVMETOOL|")"
		[[ $output == *100* ]]
	done
	python3 "$BATS_TEST_DIRNAME/lib/nvt.py" parts scan "$out"
	[ "$(kinds "$out")" = 'high latency-step' ]
}

@test "a step: the scheduler, admin commands or the depth that changed with it" {
	local what

	for what in 'sched at the same time the scheduler became mq-deadline, it was none' \
		'admin from then on admin commands, the last one get-log, were in flight for 79 % of the time, before for 2 %' \
		'depth from then on 4.0 instead of 0.1 commands were in flight'; do
		python3 "$BATS_TEST_DIRNAME/lib/nvt.py" step "${what%% *}" "$out"
		run -0 --separate-stderr "$NVMETOOL" report --utc "$out"
		[[ ${lines[0]} == 'high    nvme0n1: read commands became slower at 22:13:24.2, from '*"s; ${what#* }" ]]
	done
}

@test "commands that are too small, and that the drive splits" {
	local at='medium  nvme0n1:' bytes='bytes, '

	python3 "$BATS_TEST_DIRNAME/lib/nvt.py" limits 2048 4096 0 "$out"
	run -0 --separate-stderr "$NVMETOOL" report "$out"
	[ "${lines[0]}" = "$at 100 % of 200 commands do not begin or end at multiples of 4096 ${bytes}the drive's physical block; 100 % are smaller than that" ]
	python3 "$BATS_TEST_DIRNAME/lib/nvt.py" limits 65536 512 131072 "$out"
	run -0 --separate-stderr "$NVMETOOL" report "$out"
	[ "${lines[0]}" = "$at 50 % of 200 commands cross a multiple of 131072 ${bytes}where the drive splits them" ]
	python3 "$BATS_TEST_DIRNAME/lib/nvt.py" limits 65536 4096 0 "$out" # it begins off, and is large
	run -0 --separate-stderr "$NVMETOOL" report "$out"
	[ "${lines[0]}" = "$at 100 % of 200 commands do not begin or end at multiples of 4096 ${bytes}the drive's physical block" ]
}

@test "a path that commands have left" {
	python3 "$BATS_TEST_DIRNAME/lib/nvt.py" paths 100 "$out"
	run -0 --separate-stderr "$NVMETOOL" report --utc "$out"
	[ "${lines[0]}" = 'high    nvme0n1: no command took the path by nvme0 from 22:13:24.0 on, after 50; others took that by nvme1' ]
	for left in 200 170 20; do # neither one that stopped just now, nor one with few commands
		python3 "$BATS_TEST_DIRNAME/lib/nvt.py" paths $left "$out"
		run ! grep 'path' < <("$NVMETOOL" report "$out")
	done
}

@test "text: a sentence and its command for each, and how much was checked" {
	run -0 --separate-stderr "$NVMETOOL" report "$DATA/readme.nvt"
	[ "${lines[2]%% at *}" = 'high    nvme0n1: read commands became slower' ]
	[[ ${lines[2]} == *' from a median of 100 us to 1.61 ms; at the same time tar (3406) sent more, 128.0K each, '* ]]
	[ "${lines[3]}" = "        nvmetool latency -H heat 0.1 -d nvme0n1 -O read -i $DATA/readme.nvt" ]
	[ "${lines[-1]}" = 'checked 16 kinds on 1200 commands in 2.0 s; nothing was lost' ]
	run -0 --separate-stderr "$NVMETOOL" report "$DATA/before.nvt"
	[ "${lines[0]}" = 'nothing stands out' ]
}

@test "the commands that findings name can be run" {
	local made=$BATS_TEST_TMPDIR what file line

	for what in 'step admin' 'step depth' 'parts cpu' 'parts path' 'parts region' 'limits 2048 4096 0' 'drives 5 A' 'paths 100'; do
		# shellcheck disable=SC2086 # words
		python3 "$BATS_TEST_DIRNAME/lib/nvt.py" $what "$made/${what// /-}.nvt"
	done
	for file in "$DATA"/{readme,load,keys,report}.nvt "$FINDINGS"/*.nvt "$made"/*-*.nvt; do
		while read -r line; do
			(cd "$(dirname "$NVMETOOL")" && PATH=.:$PATH sh -c "$line" >/dev/null) || { echo "$line" && false; }
		done < <(shown_by "$file")
	done
}

@test "JSON: keys, figures, what coincides, since when" {
	"$NVMETOOL" report --json "$DATA/readme.nvt" | jq -se 'map(select(.kind == "latency-step"))[0] |
		.dev == "nvme0n1" and .op == "read" and .confidence == "sure" and .figures.after_ns > 10 * .figures.before_ns and
		.with[0].comm == "tar" and .with[0].pid == 3406 and .with[0].bytes_per_s > 3e7 and .to_ns > .from_ns'
}

@test "columns: a table, CSV has all" {
	run -0 --separate-stderr "$NVMETOOL" report "$DATA/readme.nvt" --columns severity,kind,dev
	[[ ${lines[0]} =~ ^SEVERITY\ +KIND\ +DEV$ ]] && [[ ${lines[2]} =~ ^high\ +latency-step\ +nvme0n1$ ]]
	[ "$("$NVMETOOL" report "$DATA/readme.nvt" --csv | grep -c '^high,')" = 2 ]
}

@test "at most seven; the page begins with the same" {
	"$NVMETOOL" report "$DATA/readme.nvt" -w "$out"
	[ "$(grep -c '<li class="\(high\|medium\|low\)">' "$out")" = "$(kinds "$DATA/readme.nvt" | wc -l)" ]
	[ "$(grep -n 'id="findings"' "$out" | cut -d : -f 1)" -lt "$(grep -n 'id="time"' "$out" | cut -d : -f 1)" ]
	"$NVMETOOL" report -f html "$DATA/readme.nvt" | cmp - "$out"
	[ "$(kinds "$DATA/corners.nvt" | wc -l)" -le 7 ]
}

@test "a damaged recording is the first finding" {
	head -c 20000 "$DATA/readme.nvt" >"$out"
	run -5 --separate-stderr "$NVMETOOL" report "$out"
	[[ ${lines[0]} == 'high    the recording is cut or damaged: more may be missing'* ]]
	[[ ${lines[-1]} != *'nothing was lost' ]]
}

@test "no sentence of foreign names reaches a terminal as it is" {
	run ! grep -P '[\x00-\x08\x0b-\x1f\x7f]' <("$NVMETOOL" report "$DATA/load.nvt")
}

@test "help findings has each kind, and its limits" {
	local kind

	"$NVMETOOL" help findings >"$out"
	while read -r kind; do
		grep -q "^$kind: " "$out" || { echo "$kind" && false; }
	done < <(sed -nE 's/^FINDING\([A-Z_]+, "([a-z-]+)".*/\1/p' "$BATS_TEST_DIRNAME/../../lib/view/finding.def")
	[ "$(awk 'length > 79' "$out" | wc -l)" = 0 ]
	[ "$(grep -c '^  ' "$out")" = "$(grep -c '^LIMIT(' "$BATS_TEST_DIRNAME/../../lib/view/finding.def")" ]
}
