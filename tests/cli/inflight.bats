#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# inflight: what it refuses before it looks at the host.

# shellcheck disable=SC2154 # run --separate-stderr sets stderr
bats_require_minimum_version 1.5.0
load lib/data.bash

@test "options that a command in flight has no answer to are usage errors" {
	run -2 --separate-stderr "$NVMETOOL" inflight -L 1ms
	[ "$stderr" = "error: --min-lat: a command in flight has no latency yet; use --older-than" ]
	run -2 --separate-stderr "$NVMETOOL" inflight --status error
	[ "$stderr" = "error: --status: a command in flight has no status yet; drop it" ]
	run -2 --separate-stderr "$NVMETOOL" inflight -- true
	[[ $stderr == "error: inflight: this command runs no program"* ]]
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
		[[ $stderr == *"only inflight has this value"* ]]
	done
}

@test "the words of --sort, and the numbers of --rows" {
	run -2 --separate-stderr "$NVMETOOL" inflight --sort size
	[[ $stderr == "error: bad value 'size' for --sort: expected age, left, dev"* ]]
	run -2 "$NVMETOOL" inflight -r 0
}
