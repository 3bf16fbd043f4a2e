#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# How long it takes from exec to attached, in millions of guest instructions: a table.
#
# usage: start.sh [-k KERNEL]...
set -euo pipefail

BENCH=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
VM=$BENCH/../vm
. "$BENCH/table.sh"

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
	echo "start: $name $((best / 1000000))"
}

# attach WORD CMD...: nanoseconds that CMD ran, itself and the kernel for it, until a line that begins with WORD says that
# it is attached. Waiting is left out: for its files, which come from the host, that is up to as long again.
attach()
{
	local word=$1 line='' pid ran

	shift
	NVMETOOL_READY_FD=9 "$@" >"$FIFO" 9>&1 &
	pid=$!
	exec 8<"$FIFO"
	while [[ $line != "$word"* ]]; do
		read -r line <&8 || return 1
	done
	read -r ran _ <"/proc/$pid/schedstat"
	echo "$ran"
	kill -KILL "$pid"
	wait "$pid" 2>/dev/null || true
	exec 8<&-
}

# In the guest, where an instruction takes a nanosecond.
guest()
{
	local name

	FIFO=$(mktemp -u)
	mkfifo "$FIFO"
	least biolatency attach Tracing stdbuf -oL biolatency
	for name in latency trace stacks errors pattern; do
		least "$name" attach ready "$NVMETOOL" "$name"
	done
}

guest_or_kernels "$@"
for kernel in "${KERNELS[@]}"; do
	"$VM/run.sh" -k "$kernel" -t icount -c "$BENCH/start.sh guest" | tr -d '\r' |
		sed -n "s/^start: \([^ ]*\) \([^ ]*\) *$/$kernel\t\1\t\2/p"
done | table 'from exec to attached, millions' "${KERNELS[@]}"
