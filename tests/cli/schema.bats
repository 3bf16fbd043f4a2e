#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# help --schema: JSON Schema that every record fits, and that declares every member.

# shellcheck disable=SC2154 # run --separate-stderr sets stderr
bats_require_minimum_version 1.5.0
load lib/json.bash
load lib/data.bash

# each_recording COMMAND OPTION...: makes its stream of every recording, for fits(); 5: one lacks what is asked for.
each_recording()
{
	local file status stream

	for file in "$DATA"/*.nvt; do
		status=0 stream=$BATS_TEST_TMPDIR/$(basename "$file" .nvt).${*:2}.stream
		"$NVMETOOL" "$1" -i "$file" --json "${@:2}" >"$stream" 2>"$out.err" || status=$?
		[ "$status" = 0 ] || [ "$status" = 5 ]
		[ "$status" = 0 ] || [ -s "$stream" ] || rm "$stream"
	done
}

# fits COMMAND: all of these streams fit.
fits()
{
	check_records "$1" "$BATS_TEST_TMPDIR"/*.stream
}

@test "the records of commands that print JSON have a schema, others a usage error" {
	for cmd in trace latency stacks errors pattern info list doctor; do
		"$NVMETOOL" help --schema "$cmd" | jq -es --arg cmd "$cmd" 'length == 1 and (.[0] |
			.["$schema"] == "https://json-schema.org/draft/2020-12/schema" and .title == "nvmetool \($cmd) --json" and
			.oneOf[0].properties.type.const == "meta" and all(.oneOf[].properties[]; .const or .description))'
	done
	for cmd in record completion help; do
		run -2 --separate-stderr "$NVMETOOL" help --schema "$cmd"
		[ "$stderr" = "error: --schema $cmd: this command prints no JSON" ]
	done
}

@test "a schema refuses what is no record" {
	"$NVMETOOL" trace -i "$DATA/corners.nvt" --json >"$out"
	check_records trace "$out"
	for change in '.type = "nosuch"' '.lat_ns = "1"' 'del(.qid)' '.unheard = 1' '.fields.x = "y"' '.flags = [1]'; do
		jq -nc "first(inputs | select(.type == \"io\") | $change)" "$out" >"$out.bad"
		run -1 check_records trace "$out.bad"
	done
	run -1 check_records trace /dev/null
	run -1 check_records trace "$out" "$out.bad"
	[ "${lines[0]}" = "$out.bad:1: io: does not fit" ]
}

@test "every expected output fits its schema" {
	check_records trace "$DATA"/expected/trace*.json
	check_records errors "$DATA"/expected/errors*.json
}

@test "trace: every recording" {
	each_recording trace --show both
	each_recording trace -R -W -Q -k -u -P --aer --sq
	fits trace
}

@test "latency: every recording" {
	each_recording latency -A --by host,ctrl,ns,dev,qid,cpu,opcode,size,flags,pid,comm,cgroup,status
	each_recording latency -Q --lat-min-us 50
	each_recording latency -H rows -A --by ctrl,ns,dev,qid,cpu,opcode,size,flags,pid,comm,cgroup,status
	fits latency
}

@test "stacks: every recording" {
	each_recording stacks -u -k --hist --by host,ctrl,dev,opcode,pid,comm,cgroup
	fits stacks
}

@test "errors: every recording" {
	each_recording errors -R -k --block
	each_recording errors -s -a --by host,ctrl,ns,dev,qid,cpu,opcode,size,flags,pid,comm,cgroup,status
	"$NVMETOOL" errors --decode 2/81 0x4281 --json >"$out.decode.stream"
	echo 'nvme0n1: Read(0x2) @ LBA 0, 8 blocks, Unrecovered Read Error (sct 0x2 / sc 0x81) DNR' |
		"$NVMETOOL" errors --decode - --json >"$out.line.stream"
	fits errors
}

@test "pattern: every recording" {
	each_recording pattern -a --by host,ctrl,ns,dev,qid,opcode,pid,comm,cgroup
	fits pattern
}

@test "what a run says of itself fits: selection, conditions, a recording of a recording" {
	run -6 --separate-stderr "$NVMETOOL" latency -i "$DATA/mixed.nvt" --json --fail-if 'p99>1ns or read.count>0' \
		-d nvme0n1 -L 1ns --status ok,error --size 1-1g
	echo "$output" >"$out"
	check_json latency "$out"
	"$NVMETOOL" record -i "$DATA/mixed.nvt" -O read -w "$out.nvt"
	"$NVMETOOL" trace -i "$out.nvt" --json >"$out"
	check_json trace "$out"
}

@test "list and doctor fit on this host, whatever it is" {
	for line in list 'list -v' doctor "doctor --functions nvme_*"; do
		set -f
		# shellcheck disable=SC2086 # a line of words
		"$NVMETOOL" $line --json >"$out" || [ "$?" -le 5 ]
		[ ! -s "$out" ] || check_records "${line%% *}" "$out"
	done
}
