#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# --absent: what a command does on a host without the NVMe driver.

# shellcheck disable=SC2154 # data.bash sets out, run --separate-stderr sets stderr
bats_require_minimum_version 1.5.0
load lib/data.bash

NOTHING="nvmetool: no NVMe driver is loaded: there is nothing to trace"

setup_file()
{
	if [ -e /sys/module/nvme_core ] || [ -e /sys/class/nvme ]; then
		skip "this host has the NVMe driver"
	fi
}

teardown()
{
	[ -z "$waiter" ] || kill "$waiter" 2>/dev/null || true
}

# waits ARG...: starts a command that waits for the driver; returns once it has said so. Sets $waiter, and $port if
# it serves; its output goes to $out
waits()
{
	local notes line

	if [ "$(id -u)" != 0 ]; then
		run -3 --separate-stderr "$NVMETOOL" "$@"
		skip "only root may trace: it is refused at once"
	fi
	mkfifo "$out.notes"
	"$NVMETOOL" "$@" >"$out" 2>"$out.notes" 3>&- &
	waiter=$!
	exec {notes}<"$out.notes"
	while read -r line <&"$notes"; do
		[[ $line != *'listening on http://127.0.0.1:'* ]] || port=$(grep -o '[0-9]*/metrics' <<<"$line")
		[[ $line != "nvmetool: no NVMe driver is loaded: waiting for it" ]] || return 0
	done
	return 1
}

# ended: waits for the end of the waiter, and has its status in $status
ended()
{
	status=0
	wait "$waiter" || status=$?
	waiter=
}

tracing_commands()
{
	local cmd

	for cmd in $("$NVMETOOL" __complete "" | cut -f 1); do
		! "$NVMETOOL" help "$cmd" | grep -q -- '--absent' || echo "$cmd"
	done
}

# live COMMAND: the words that have it trace
live()
{
	case $1 in
	record) echo "record -w $out.nvt" ;;
	metrics) echo "metrics -w $out.prom" ;;
	export) echo "export -f hdr -w $out.hdr" ;;
	*) echo "$1" ;;
	esac
}

@test "each command that traces knows it, and is refused, or is an empty run" {
	local n=0

	for cmd in $(tracing_commands); do
		n=$((n + 1))
		# shellcheck disable=SC2046 # words are wanted
		run -4 --separate-stderr "$NVMETOOL" $(live "$cmd") --absent error
		[ "$stderr" = "error: no NVMe driver: the module nvme_core is not loaded; load it: modprobe nvme" ]
		# shellcheck disable=SC2046 # words are wanted
		run -0 --separate-stderr "$NVMETOOL" $(live "$cmd") --absent ok
		[ -z "$output" ]
		[ "$stderr" = "$NOTHING" ]
	done
	[ "$n" = 11 ]
	[ ! -e "$out.nvt" ]
	run -4 "$NVMETOOL" trace
}

@test "ok: JSON has meta and the summary of an empty run" {
	for cmd in trace latency errors pattern stacks top; do
		run -0 --separate-stderr "$NVMETOOL" "$cmd" --absent ok --json --strict --fail-if 'count<1'
		jq -es 'map(.type) == ["meta", "summary"] and .[0].attach.method == "none" and .[0].ctrls == [] and
			.[1].submitted == 0 and .[1].complete and .[1].fail_if == []' <<<"$output"
	done
}

@test "ok: inflight as a check says that nothing is in flight" {
	run -0 --separate-stderr "$NVMETOOL" inflight --absent ok --fail-if 'oldest>5s' --json
	jq -es 'map(.type) == ["meta", "summary"] and .[1].inflight == 0 and .[1].ctrl == null and .[1].complete' <<<"$output"
	run -0 --separate-stderr "$NVMETOOL" inflight --absent ok --fail-if 'count>0 or oldest>5s'
	[ "$stderr" = "$NOTHING" ]
	run -0 --separate-stderr "$NVMETOOL" inflight --absent ok --quiet
	[ -z "$stderr" ]
}

@test "ok: no program is left out without a word" {
	run -2 --separate-stderr "$NVMETOOL" trace --absent ok -- true
	[ "$stderr" = "error: --absent ok and -- true: without the NVMe driver the program would not run; drop one of them" ]
}

@test "wait: a signal ends it like a run in which nothing came" {
	for signal in INT TERM HUP; do
		rm -f "$out.notes"
		waits latency --absent wait --json
		kill -s "$signal" "$waiter"
		ended
		[ "$status" = 0 ]
		jq -es 'map(.type) == ["meta", "summary"] and .[1].submitted == 0' "$out"
	done
}

@test "wait: it does not look around in vain" {
	waits trace --absent wait
	state=$(awk '{ print $3 }' "/proc/$waiter/stat")
	until [ "$state" = S ]; do
		state=$(awk '{ print $3 }' "/proc/$waiter/stat")
	done
	# ppoll() without a limit of time: the kernel tells of modules.
	read -r call fds n limit rest <"/proc/$waiter/syscall"
	echo "$call $fds $n $limit $rest"
	[ "$limit" = 0x0 ]
	kill "$waiter"
	ended
	[ "$status" = 0 ]
}

@test "metrics waits unless told otherwise, and serves what is of itself" {
	waits metrics --listen 127.0.0.1:0
	curl -sS --max-time 10 "http://127.0.0.1:$port" >"$out.prom"
	grep '^nvmetool_build_info{version="' "$out.prom"
	grep '^process_cpu_seconds_total ' "$out.prom"
	run -1 grep -v -e '^#' -e '^process_' -e '^nvmetool_build_info' "$out.prom"
	kill "$waiter"
	ended
	[ "$status" = 0 ]
	rm "$out.notes"
	waits metrics -w "$out.prom"
	until grep -q '^nvmetool_build_info' "$out.prom"; do
		sleep 0.02
	done
	kill "$waiter"
	ended
	[ "$status" = 0 ]
}
