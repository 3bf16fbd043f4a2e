#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Each common option and each signal on each tracing command, by the list of commands: a new one is covered by itself.
# tests/vm/t/host/common.sh does the same live.

# shellcheck disable=SC2154 # run --separate-stderr sets stderr
bats_require_minimum_version 1.5.0
load lib/data.bash

SELECTION=("-c 0" "-n 1" "-d nvme0n1" "-q io" "-O read" "-p 1" "--comm *" "-g /" "--size 4k-" "--lba 0-" "-L 1us" "--status ok" "--time 0-")
FORMATS=("-f json" "-o text" "-j" "--csv") # one at a time
OUTPUT=("${FORMATS[@]}" "-T" "--utc" "--no-header" "--no-meta" "--color always")
RUN=("--duration 100ms" "--max-events 5" "--fail-if count>0" "--strict" "--quiet" "0.1 2")
LIVE=("--attach auto" "--btf /sys/kernel/btf" "--buffer 1m" "--self-stats" "--probe-only" "-- true")

# tracing: the commands that trace, which are all but those that only read or print
tracing()
{
	sed -n 's/^CMD(\(.*\))$/\1/p' "$BATS_TEST_DIRNAME/../../cmd/list.def" |
		grep -vE '^(diff|info|list|doctor|completion|help)$'
}

# is_one_of WORD...: is the first one of the others?
is_one_of()
{
	[[ " ${*:2} " == *" $1 "* ]]
}

# lacks COMMAND OPTION: does it not take this one?
lacks()
{
	local group

	for group in SELECTION OUTPUT; do
		local -n options=$group
		[[ "${options[*]/#/|}" == *"|$2"* ]] && break
		group=
	done
	case $1 in
	record | export | metrics) [ "$group" = OUTPUT ] ;; # what they write has no rows
	report) [ "$2" = -T ] ;; # it prints no times but those of its sentences
	inflight) is_one_of "${2%% *}" -L --status --time ;; # a command in flight has none of them
	spdk) [ "$group" = SELECTION ] || is_one_of "${2%% *}" -i --attach --btf ;; # it sees no commands of the kernel
	*) false ;;
	esac
}

# verdict COMMAND OPTION: the exit status of a replay with it
verdict()
{
	case $1\ $2 in
	*" --fail-if "*) echo 6 ;;
	"inflight --duration "* | "inflight 0.1 2") echo 2 ;; # a recording is looked at once
	"export -L "* | "export --status "*) echo 2 ;; # commands are written as they are sent
	*) echo 0 ;;
	esac
}

@test "each tracing command takes each common option" {
	local -i n=0
	local words all

	for cmd in $(tracing); do
		all=()
		for option in "${SELECTION[@]}" "${OUTPUT[@]}" "${RUN[@]}" "-w FILE" "-i FILE" -v "${LIVE[@]}"; do
			lacks "$cmd" "$option" && continue
			read -ra words <<<"$option"
			n+=1
			if [[ "${FORMATS[*]/#/|}" == *"|$option"* ]]; then
				run -0 "$NVMETOOL" "$cmd" -h "${words[@]}"
			else
				all+=("${words[@]}")
			fi
		done
		# -h is followed once all options were read; what -- true is for stands last
		run -0 "$NVMETOOL" "$cmd" -h "${all[@]}"
	done
	[ "$n" -gt 200 ]
	run -2 "$NVMETOOL" trace -h --no-such
}

@test "each common option does its work in a replay of each" {
	local -i n=0

	for cmd in $(tracing); do
		lacks "$cmd" "-i FILE" && continue
		read -ra file < <(replay "$cmd" "$DATA/stacks.nvt")
		for option in "${SELECTION[@]}" "${OUTPUT[@]}" "${RUN[@]}"; do
			lacks "$cmd" "$option" && continue
			read -ra words <<<"$option"
			run -"$(verdict "$cmd" "$option")" --separate-stderr "$NVMETOOL" "$cmd" "${file[@]}" "${words[@]}"
			[[ $option != @(-f json|-j) ]] || jq -se '.[0].type == "meta"' <<<"$output"
			[[ $option != --quiet ]] || [ -z "$stderr" ]
			n+=1
		done
		lacks "$cmd" -j && continue
		run -0 --separate-stderr "$NVMETOOL" "$cmd" "${file[@]}" -w "$out"
		[ -z "$output" ]
		[ -s "$out" ]
	done
	[ "$n" -gt 150 ]
}

# begin COMMAND: replays standard input, which is a pipe that stays open, and waits until signals are ours. Sets pid.
begin()
{
	local masked=0 i

	read -ra words < <(replay "$1" -)
	rm -f "$out.fifo"
	mkfifo "$out.fifo"
	exec {pipe}<>"$out.fifo"
	"$NVMETOOL" "$1" "${words[@]}" <"$out.fifo" >"$out.rows" 2>"$out.err" 3>&- {pipe}>&- &
	pid=$!
	for ((i = 0; i < 3000 && (0x$masked & 0x202) != 0x202; i++)); do # SIGINT and SIGUSR1
		masked=$(sed -n 's/^SigBlk:\t//p' "/proc/$pid/status")
	done
}

# end: Sets status.
end()
{
	exec {pipe}>&-
	status=0
	wait "$pid" || status=$?
}

@test "SIGUSR1, SIGUSR2 and SIGPIPE do not end a replay" {
	for cmd in $(tracing); do
		lacks "$cmd" "-i FILE" && continue
		begin "$cmd"
		for signal in USR1 USR2 PIPE; do
			kill -"$signal" "$pid"
		done
		cat "$DATA/stacks.nvt" >&"$pipe"
		end
		[ "$status" = 0 ]
		run ! grep 'a signal ended the reading' "$out.err"
	done
}

@test "SIGINT, SIGTERM and SIGHUP end it, with status 0" {
	for cmd in $(tracing); do
		lacks "$cmd" "-i FILE" && continue
		for signal in INT TERM HUP; do
			begin "$cmd"
			cat "$DATA/stacks.nvt" >&"$pipe"
			kill -"$signal" "$pid"
			status=0
			wait "$pid" || status=$?
			exec {pipe}>&-
			[ "$status" = 0 ]
		done
	done
}
