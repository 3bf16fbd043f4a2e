#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# --absent: what a command does on a host without the NVMe driver.

# shellcheck disable=SC2030,SC2031,SC2154 # data.bash sets out, run --separate-stderr sets stderr
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

@test "ok: a program runs unmeasured, and its end is that of the run" {
	for cmd in $(tracing_commands); do
		for wants in 0 3; do
			rm -f "$out"
			# shellcheck disable=SC2046 # words are wanted
			run -$wants --separate-stderr "$NVMETOOL" $(live "$cmd") --absent ok -- sh -c "echo ran >'$out'; exit $wants"
			[ "$(cat "$out")" = ran ]
			[ "$stderr" = "nvmetool: no NVMe driver is loaded: sh runs, and nothing is measured" ]
		done
	done
	run -0 --separate-stderr "$NVMETOOL" latency --absent ok --json --strict --fail-if 'read.p99>1us or count<1' -- sh -c 'kill -s USR1 $PPID'
	jq -es 'map(.type) == ["meta", "summary"] and .[1].program.status == 0 and .[1].submitted == 0 and .[1].fail_if == []' <<<"$output"
	run -137 "$NVMETOOL" latency --absent ok -- sh -c 'kill -s KILL $$'
	run -127 --separate-stderr "$NVMETOOL" latency --absent ok --quiet -- /no/such
	[[ $stderr == "error: -- /no/such: "* ]]
	# It ends with the run, as where something is measured.
	for args in "--duration 100ms" "0.1 2" ""; do
		[ -n "$args" ] && end=true || end="kill -s INT \$PPID"
		# shellcheck disable=SC2086 # words are wanted
		run -0 timeout 30 "$NVMETOOL" latency --absent ok $args -- \
			sh -c "echo \$\$ >'$out.pid'; $end; exec sleep 1000 >'$out' 2>&1 3>&-"
		waiter=$(<"$out.pid")
		run ! kill -0 "$waiter"
		waiter=
	done
}

@test "wait: --duration bounds it, and says so" {
	[ "$(id -u)" = 0 ] || skip "only root may trace: it is refused at once"
	for args in "trace" "latency --json" "record -w $out.nvt" "metrics -w $out.prom" "metrics --listen 127.0.0.1:0"; do
		# shellcheck disable=SC2086 # words are wanted
		run -4 --separate-stderr timeout 30 "$NVMETOOL" $args --absent wait --duration 50ms -- touch "$out.ran"
		[ -z "$output" ]
		[ "${stderr##*$'\n'}" = "error: no NVMe driver: it did not come within --duration; load it: modprobe nvme" ]
		[ ! -e "$out.ran" ]
		[ ! -e "$out.nvt" ]
	done
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

@test "top says at once on a terminal that it attaches" {
	run -0 timeout 20 script -qec "$NVMETOOL top || true" /dev/null
	[[ ${output//$'\r'/|} == "|attaching: the kernel checks the programs|"*"|error: no NVMe driver: "* ]]
	run -0 timeout 20 script -qec "$NVMETOOL top --quiet || true" /dev/null
	[[ $output == "error: no NVMe driver: "* ]]
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
