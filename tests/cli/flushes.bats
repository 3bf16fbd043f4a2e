#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# trace --flushes and record --flushes on a recording: flush requests of a mirror and of an encrypted volume, beside flush
# commands of their drives (tests/data/flushes.c).

# shellcheck disable=SC2154 # setup() of lib/data.bash sets out

load lib/data
load lib/json

trace()
{
	"$NVMETOOL" trace -i "$DATA/flushes.nvt" "$@"
}

# seen OPTION...: devices of the records, and their processes
seen()
{
	trace --flushes --json "$@" | jq -r 'select(.type | IN("io", "flush")) | "\(.dev):\(.pid)"' | xargs
}

@test "flush requests of devices above stand among the commands" {
	trace --flushes >"$out"
	diff -u - "$out" <<-'END'
		TIME(s)    DEV     QID CID   OP    SLBA       BYTES STATUS LAT(us) PID  COMM
		0.010000   nvme0n1   1 0     flush -              0 ok       400.0 3218 fio
		0.011000   nvme1n7   1 0     flush -              0 ok       410.0 3218 fio
		0.012000   md0       - -     flush nvme=2         0 -        450.0 3218 fio
		0.013000   md0       - -     flush nvme=2      4096 -       2100.0 411  jbd2/md0-8
		0.014000   md0       - -     flush -              0 -        700.0 4411 postgres
		0.015000   dm-3      - -     flush nvme=0         0 -         12.0 4411 postgres
	END
	[ "$(trace | grep -c md0)" = 0 ]
	[ "$(trace --json | jq -s 'map(select(.type == "flush")) | length')" = 0 ]
}

@test "JSON tells members, and what is not known" {
	trace --flushes --json >"$out"
	check_json trace "$out"
	jq -c 'select(.type == "flush") | [.dev, .comm, .lat_ns, .with_data, .fua, .members, .nvme_flushes, .shared]' "$out" |
		diff -u - <(
			cat <<-'END'
				["md0","fio",450000,false,false,["nvme0n1","nvme1n7"],2,1]
				["md0","jbd2/md0-8",2100000,true,true,["nvme0n1","nvme1n7"],2,3]
				["md0","postgres",700000,false,false,["nvme0n1","nvme1n7"],null,null]
				["dm-3","postgres",12000,false,false,["nvme1n7"],0,null]
			END
		)
	[ "$(jq -c 'select(.type == "flush") | .mono_ns' "$out" | head -1)" = 4012000000 ]
	[ "$(jq -c 'select(.type == "summary") | [.emitted, .complete]' "$out")" = '[2,true]' ]
	trace --flushes --csv >"$out"
	check_csv "$out"
	[ "$(grep -c '^flush,' "$out")" = 4 ]
}

@test "a selection takes a device by its members, and a flush by its process" {
	[ "$(seen)" = "nvme0n1:3218 nvme1n7:3218 md0:3218 md0:411 md0:4411 dm-3:4411" ]
	[ "$(seen -O flush)" = "$(seen)" ]
	[ "$(seen -O read)" = "" ]
	[ "$(seen -d nvme0n1)" = "nvme0n1:3218 md0:3218 md0:411 md0:4411" ]
	[ "$(seen -c 1 -p 4411)" = "md0:4411 dm-3:4411" ]
	[ "$(seen -n 7 -p 4411)" = "md0:4411 dm-3:4411" ]
	[ "$(seen -n 1 -p 4411)" = "md0:4411" ]
	[ "$(seen --comm 'jbd2*')" = md0:411 ]
	[ "$(seen -g /db)" = dm-3:4411 ]
	[ "$(seen -L 500us)" = "md0:411 md0:4411" ]
	[ "$(seen --size 4k)" = md0:411 ]
	[ "$(seen --lba 0-100)" = "" ]
	[ "$(seen -q io)" = "nvme0n1:3218 nvme1n7:3218" ]
	[ "$(seen --status ok)" = "nvme0n1:3218 nvme1n7:3218" ]
}

@test "a recording of a recording keeps them, and one without says so" {
	"$NVMETOOL" record -i "$DATA/flushes.nvt" -w "$BATS_TEST_TMPDIR/again.nvt"
	diff <(trace --flushes --json | jq -c 'select(.type == "flush")') \
		<("$NVMETOOL" trace -i "$BATS_TEST_TMPDIR/again.nvt" --flushes --json | jq -c 'select(.type == "flush")')
	"$NVMETOOL" info "$BATS_TEST_TMPDIR/again.nvt" | grep -q '^  extras .*--flushes'
	run "$NVMETOOL" trace -i "$DATA/mixed.nvt" --flushes
	[ "$status" = 5 ]
	[[ $output == "error: flushes of devices above (record --flushes): not in the recording; record again with it, or drop the option" ]]
}


@test "the lines of other programs have no flush requests" {
	run "$NVMETOOL" trace -i "$DATA/flushes.nvt" --flushes -f kernel
	[ "$status" = 2 ]
	[ "$output" = "error: --flushes: this format has no line for them; use another format" ]
}

@test "other commands count the commands alone" {
	[ "$("$NVMETOOL" latency -i "$DATA/flushes.nvt" --json | jq -s 'map(select(.type == "latency").count) | add')" = 2 ]
}
