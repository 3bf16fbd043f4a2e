#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# -c and -d in recordings of several hosts, whose controllers and devices have the same names.

# shellcheck disable=SC2154 # run --separate-stderr sets stderr
bats_require_minimum_version 1.5.0
load lib/data.bash

NVT=$BATS_TEST_DIRNAME/lib/nvt.py

# host-a has nvme0n1, nvme0n2 and nvme1n1, host-c nvme0n1, nvme0n2 and nvme0n3.
merged()
{
	"$NVMETOOL" "$1" -i "$DATA/latency.nvt" -i "$DATA/alike.nvt" "${@:2}"
}

# devices OPTION...: the devices that trace shows of both, each once
devices()
{
	merged trace --json "$@" >"$out.json"
	jq -se '.[-1] | .complete and .paired == .emitted + .filtered' "$out.json" >/dev/null
	jq -r 'select(.type == "io" and (.dev | test("n[0-9]$"))).dev' "$out.json" | sort -u | xargs
}

@test "a device or controller of one host is selected by the name that is shown" {
	for dev in $(devices); do
		[ "$(devices -d "$dev")" = "$dev" ]
		n=$(wc -l <"$out.json")
		"$NVMETOOL" trace --json -i "$DATA/$([[ $dev == host-a/* ]] && echo latency || echo alike).nvt" -d "${dev#*/}" >"$out"
		[ "$n" = "$(wc -l <"$out")" ]
		[ "$n" -gt 3 ]
	done
	[ "$dev" = host-c/nvme0n3 ]
	[ "$(devices -c host-a/1)" = host-a/nvme1n1 ]
	[ "$(devices -c host-a/nvme1,host-c/0)" = "host-a/nvme1n1 host-c/nvme0n1 host-c/nvme0n2 host-c/nvme0n3" ]
	[ "$(devices -d host-a/nvme0n1,host-c/nvme0n3)" = "host-a/nvme0n1 host-c/nvme0n3" ]
	[ "$(devices -d host-a/nvme0n1 -d host-c/nvme0n3 -c host-c/-1)" = host-c/nvme0n3 ]
	[ "$(devices -c host-a/0-1 -d host-a/nvme0)" = "host-a/nvme0n1 host-a/nvme0n2" ]
}

@test "a ! leaves out those of one host" {
	[ "$(devices -d '!host-a/nvme0')" = "host-a/nvme1n1 host-c/nvme0n1 host-c/nvme0n2 host-c/nvme0n3" ]
	[ "$(devices -c '!host-c/0')" = "host-a/nvme0n1 host-a/nvme0n2 host-a/nvme1n1" ]
	[ "$(devices -c '0,!host-a/0')" = "host-c/nvme0n1 host-c/nvme0n2 host-c/nvme0n3" ]
	[ "$(devices -d 'nvme0n1,nvme0n2,!host-c/nvme0n1')" = "host-a/nvme0n1 host-a/nvme0n2 host-c/nvme0n2" ]
	[ "$(devices -d 'host-a/nvme0,!nvme0n2')" = host-a/nvme0n1 ]
}

@test "a name without a host is of each host that has it" {
	[ "$(devices -d nvme0n2)" = "host-a/nvme0n2 host-c/nvme0n2" ]
	[ "$(devices -d nvme0n3)" = host-c/nvme0n3 ]
	[ "$(devices -c 1)" = host-a/nvme1n1 ]
	[ "$(devices -d '!nvme0n1')" = "host-a/nvme0n2 host-a/nvme1n1 host-c/nvme0n2 host-c/nvme0n3" ]
}

@test "each command takes it" {
	count=$(devices -d host-a/nvme0n1 >/dev/null && jq -s 'map(select(.type == "io")) | length' "$out.json")
	[ "$(merged latency --json --by dev -d host-a/nvme0n1 | jq -c 'select(.type == "latency") | [.dev, .count]')" = "[\"host-a/nvme0n1\",$count]" ]
	[ "$(merged top --json --by dev -d host-a/nvme0n1 1h | jq -c 'select(.type == "top") | [.dev, .count]')" = "[\"host-a/nvme0n1\",$count]" ]
	[ "$(merged errors --json -s -a --by dev -d host-a/nvme0n1 | jq -s 'map(select(.type == "errors").count) | add')" = "$count" ]
	merged metrics -d host-a/nvme0n1 -w "$out.prom"
	[ "$(awk '/_duration_seconds_count/ { n += $2 } END { print n }' "$out.prom")" = "$count" ]
	merged record -d host-a/nvme0n1 -w "$out.nvt" 2>/dev/null
	"$NVMETOOL" record -i "$DATA/latency.nvt" -i "$DATA/alike.nvt" -w "$out.both" 2>/dev/null
	for file in "$out.nvt" "$out.both"; do # each is a recording of several hosts
		[ "$("$NVMETOOL" latency -i "$file" --json --by host,dev -d host-a/nvme0n1 | jq -c 'select(.type == "latency") | [.host, .dev, .count]')" = \
			"[\"host-a\",\"nvme0n1\",$count]" ]
	done
	"$NVMETOOL" diff "$DATA/latency.nvt" "$DATA/alike.nvt" --by none -P 50 --json -d host-a/nvme0n1,host-c/nvme0n3 |
		jq -se --argjson n "$count" 'map(select(.type == "diff") | [.count_a, .count_b]) == [[$n, 4]]'
	[ "$("$NVMETOOL" latency -i "$DATA/latency.nvt" --json --by dev -d host-a/nvme0n1 | jq 'select(.type == "latency").count')" = "$count" ]
	run -0 "$NVMETOOL" inflight -i "$DATA/latency.nvt" --at 100ms -d host-a/nvme0 -c host-a/0
}

@test "a partition is that of its host" {
	python3 "$NVT" trims "$out.nvt"
	"$NVMETOOL" trace --json --no-meta -i "$out.nvt" -d nvme0n1p2 | jq -c 'select(.type == "io") | [.op, .slba, .mono_ns]' >"$out"
	for dev in nvme0n1p2 host-p/nvme0n1p2; do
		"$NVMETOOL" trace --json --no-meta -i "$DATA/alike.nvt" -i "$out.nvt" -d "$dev" |
			jq -c 'select(.type == "io") | [.op, .slba, .mono_ns]' | diff "$out" -
	done
	[ -s "$out" ]
	run -5 "$NVMETOOL" trace -i "$DATA/alike.nvt" -i "$out.nvt" -d host-c/nvme0n1p2
}

@test "a flush of a device above is of the host's members" {
	python3 "$NVT" unknown status "$out.nvt"
	flushes() { "$NVMETOOL" trace --flushes --json -i "$DATA/flushes.nvt" "$@" | jq -r 'select(.type == "flush" and (.dev | startswith("db1/"))).dev' | sort | uniq -c | xargs; }
	[ "$(flushes -i "$out.nvt" -d db1/nvme0)" = "3 db1/md0" ]
	[ "$(flushes -i "$out.nvt" -d db1/nvme1n7,host-p/nvme0)" = "1 db1/dm-3 3 db1/md0" ]
	[ "$(flushes -i "$out.nvt" -d '!db1/nvme1')" = "3 db1/md0" ]
	[ "$(flushes -i "$out.nvt" -d host-p/nvme0)" = "" ]
}

@test "what is not there is named, with what is" {
	# says MESSAGE OPTION...
	says()
	{
		run -5 --separate-stderr merged latency "${@:2}"
		[[ $stderr == *"$1"* ]] || { echo "$stderr"; false; }
	}
	says "-d host-b/nvme0n1: no such host; known: host-a host-c" -d host-b/nvme0n1
	says "-c x/0: no such host; known: host-a host-c" -c 0,x/0
	says "-d host-c/nvme1n1: no such controller or namespace; known: host-c/nvme0 host-c/nvme0n1" -d host-c/nvme1n1
	says "-c host-c/1: no such controller" -c host-c/1
	says "no device matches all of -c, -n and -d" -c host-c/0 -d host-a/nvme0
	says "no device matches all of -c, -n and -d" -d 'host-a/nvme0,!host-a/nvme0'
	run -5 --separate-stderr "$NVMETOOL" latency -i "$DATA/latency.nvt" -d host-c/nvme0n1
	[[ $stderr == *"-d host-c/nvme0n1: no such host; known: host-a"* ]]
	run -2 --separate-stderr merged latency -c host-a/nvme0n1
	run -2 --separate-stderr merged latency -c host-a/5x
}
