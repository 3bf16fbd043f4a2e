#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# How long it takes from exec to attached, in millions of guest instructions: a table.
#
# usage: start.sh [-k KERNEL]...
set -euo pipefail

BENCH=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
VM=$BENCH/../vm

now_us()
{
	echo "${EPOCHREALTIME/./}"
}

# least NAME FUNCTION ARGUMENT...: the least of three, which no other work of the guest was in
least()
{
	local name=$1 took best=''

	shift
	for _ in 1 2 3; do
		took=$("$@") || { echo "start: $name failed"; return; }
		if [ -z "$best" ] || [ "$took" -lt "$best" ]; then
			best=$took
		fi
	done
	echo "start: $name $((best / 1000))"
}

# In the guest, where an instruction takes a nanosecond. nvmetool COMMAND: microseconds until it says that it is ready
nvmetool()
{
	local began pid said=''

	began=$(now_us)
	NVMETOOL_READY_FD=9 "$NVMETOOL" "$1" 9>"$FIFO" >/dev/null &
	pid=$!
	read -r said <"$FIFO" || true
	[ "$said" = ready ] || return 1
	echo $(($(now_us) - began))
	kill -INT "$pid"
	wait "$pid" || true
}

biolatency()
{
	local began pid line=''

	began=$(now_us)
	stdbuf -oL biolatency >"$FIFO" &
	pid=$!
	while [[ $line != Tracing* ]]; do
		read -r line || return 1
	done <"$FIFO"
	echo $(($(now_us) - began))
	kill -INT "$pid"
	wait "$pid" || true
}

guest()
{
	local name

	FIFO=$(mktemp -u)
	mkfifo "$FIFO"
	least biolatency biolatency
	for name in latency trace stacks errors pattern; do
		least "$name" nvmetool "$name"
	done
}

if [ "${1:-}" = guest ]; then
	guest
	exit
fi
KERNELS=()
while getopts k: option; do
	case $option in
	k) KERNELS+=("$OPTARG") ;;
	*) sed -n 's/^# \?//; /^usage/p' "$0" >&2 && exit 2 ;;
	esac
done
[ ${#KERNELS[@]} -gt 0 ] || KERNELS=(6.1 6.12)
echo "from exec to attached, millions of instructions"
for kernel in "${KERNELS[@]}"; do
	"$VM/run.sh" -k "$kernel" -t icount -c "$BENCH/start.sh guest" | tr -d '\r' |
		sed -n "s/^start: \([^ ]* [^ ]*\) *$/\1 $kernel/p"
done | awk -v kernels="${KERNELS[*]}" '
	!($1 in seen) { seen[$1] = 1; names[++n] = $1 }
	{ cell[$1, $3] = $2 }
	END {
		m = split(kernels, kernel, " ")
		printf "%-20s", ""
		for (k = 1; k <= m; k++) printf " %9s", kernel[k]
		for (i = 1; i <= n; i++) {
			printf "\n%-20s", names[i]
			for (k = 1; k <= m; k++) printf " %9s", cell[names[i], kernel[k]]
		}
		print ""
	}'
