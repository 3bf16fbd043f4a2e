#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Live runs on hosts that are set up in another way: what user space decides, tried where there need be no drive.

# shellcheck disable=SC2154 # run --separate-stderr sets stderr
bats_require_minimum_version 1.5.0

setup()
{
	[ "$(id -u)" = 0 ] || skip "needs root"
	NVMETOOL=$(realpath "$NVMETOOL")
	cd "$BATS_TEST_TMPDIR" || return
	export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
}

teardown()
{
	[ -z "${target:-}" ] || kill "$target" 2>/dev/null || true
}

@test "times are right in a time namespace" {
	[ -e /sys/bus/event_source/devices/uprobe ] || skip "the kernel has no uprobes"
	unshare --time --fork true || skip "the kernel has no time namespaces"
	gcc -g -O2 -static -I"$OLDPWD" "$OLDPWD/tests/usdt/probes.c" -o probes
	mkfifo in
	./probes 2 <in >log 2>ready 3>&- &
	target=$!
	exec 5>in
	until [ -s ready ]; do kill -0 "$target"; done
	before=$(date +%s%N)
	: >err
	unshare --time --monotonic 1000000 --fork "$NVMETOOL" spdk -p "$target" --json >out 2>err 3>&- 5>&- &
	until grep -q '^nvmetool: tracing' err; do kill -0 "$!"; done
	echo go >&5
	exec 5>&-
	wait "$!"
	jq -es --argjson from "$before" --argjson to "$(date +%s%N)" \
		'map(select(.type == "spdk")) | length > 0 and all(.time_ns >= $from and .time_ns <= $to and .mono_ns < 1e15)' out
}
