#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# How long the programs of a snapshot by `inflight` take for 64 hardware queues of 1023 tags, in guest instructions: with
# tags that no command has used, with all of them used, and with commands in flight. A table.
#
# usage: walk.sh [-k KERNEL]...
set -euo pipefail

BENCH=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
VM=${VM:-$BENCH/../vm}
. "$BENCH/table.sh"

TAGS=1023
QUEUES=64 # of topology `queues`: two of each CPU
CPUS=$((QUEUES / 2))
RUNS=$((4 * QUEUES + 1)) # of the program in a snapshot: four for the tags of a queue, one that finds no other queue
SNAPSHOTS=4

# hold_from CPU COUNT: sends reads and as many writes, from a process whose id is in $reader
hold_from()
{
	taskset -c "$1" fio --thread --filename="/dev/$disk" --direct=1 --bs=4k --ioengine=libaio --invalidate=0 \
		--norandommap --eta=never --iodepth="$2" --number_ios="$2" --output=/dev/null \
		--name=reads --rw=randread --name=writes --rw=randwrite &
	# shellcheck disable=SC2034 # let_go() waits for it
	reader=$!
}

# online CPU 0|1; the first one always is
online()
{
	[ "$1" = 0 ] || echo "$2" >"/sys/devices/system/cpu/cpu$1/online"
}

# use_all: one command after another has each tag of each queue
use_all()
{
	local cpu

	for ((cpu = 0; cpu < CPUS; cpu++)); do
		online "$cpu" 1
		holding
		hold_from "$cpu" $TAGS
		held_by $((2 * TAGS))
		let_go
		online "$cpu" 0
	done
}

# walk NAME: prints the mean of some snapshots
walk()
{
	local out pid

	out=$(mktemp)
	"$NVMETOOL" inflight --json -q io 50ms >"$out" &
	pid=$!
	until [ "$(grep -c '"type":"summary"' "$out")" -ge $SNAPSHOTS ]; do
		read -rt 0.05 _ <><(:) || true
	done
	# One of the descriptors may have been closed by the time it is read.
	{ cat "/proc/$pid/fdinfo/"* 2>/dev/null || true; } | awk -v runs=$RUNS -v name="$1" '
	$1 == "prog_type:" { raw = $2 == 17 } # the one that is not attached
	$1 == "run_time_ns:" { ns = $2 }
	$1 == "run_cnt:" && raw && $2 { printf "walk: %s: %d\n", name, ns / ($2 / runs) }'
	kill -INT "$pid"
	wait "$pid"
}

# kernel_says, nvmetool_says: "COUNT QID" of each queue with commands in flight
kernel_says()
{
	local hctx

	for hctx in "/sys/kernel/debug/block/$disk/hctx"*; do
		sed "s/.*/$((${hctx##*hctx} + 1))/" "$hctx/busy"
	done | sort -n | uniq -c
}

nvmetool_says()
{
	"$NVMETOOL" inflight --json -q io | jq -r 'select(.type == "inflight").qid' | sort -n | uniq -c
}

# In the guest, where an instruction takes a nanosecond.
guest()
{
	local disk

	. "$VM/lib/guest.sh"
	. "$VM/lib/hold.sh"
	disk=$(disk_of lab0 1)
	echo none >"/sys/block/$disk/queue/scheduler"
	echo 1 >/proc/sys/kernel/bpf_stats_enabled
	walk "no tag used"
	use_all
	walk "all used"
	online 1 1
	holding
	hold_from 0 6
	hold_from 1 6
	held_by 24
	diff <(kernel_says) <(nvmetool_says) # nothing, else this ends
	walk "24 in flight"
	let_go
	wait
}

guest_or_kernels "$@"
for kernel in "${KERNELS[@]}"; do
	"$VM/run.sh" -k "$kernel" -t queues -c "$BENCH/walk.sh guest" | tr -d '\r' |
		awk -F ': ' -v kernel="$kernel" '$1 == "walk" { printf "%s\t%s\t%d\n", kernel, $2, $3 / 1000 }'
done | table "walk of $QUEUES queues by inflight, us" "${KERNELS[@]}"
