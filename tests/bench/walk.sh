#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# How long the programs of a snapshot by `inflight` take for a hardware queue of 1023 tags that all have been used, and
# for 64 of these, in guest instructions: a table.
#
# usage: walk.sh [-k KERNEL]...
set -euo pipefail

BENCH=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
VM=${VM:-$BENCH/../vm}
. "$BENCH/table.sh"

TAGS=1023
QUEUES=64
RUNS=5 # of the program in a snapshot of the guest's one queue: four for its tags, one that finds no other queue
SNAPSHOTS=16

# reads COUNT: of one process, whose id is in $reader, at once; the drive holds them
reads()
{
	holding
	fio --name=held --thread --filename="/dev/$disk" --direct=1 --rw=randread --bs=4k --ioengine=libaio --invalidate=0 \
		--iodepth="$1" --number_ios="$1" --output=/dev/null &
	# shellcheck disable=SC2034 # let_go() waits for it
	reader=$!
	held_by "$1"
}

# walk: the mean of some snapshots
walk()
{
	local out pid

	out=$(mktemp)
	"$NVMETOOL" inflight --json -q io 50ms >"$out" &
	pid=$!
	until [ "$(grep -c '"type":"summary"' "$out")" -ge $SNAPSHOTS ]; do
		read -rt 0.05 _ <><(:) || true
	done
	awk -v runs=$RUNS '
	$1 == "prog_type:" { raw = $2 == 17 } # the one that is not attached
	$1 == "run_time_ns:" { ns = $2 }
	$1 == "run_cnt:" && raw && $2 { printf "walk: %d\n", ns / ($2 / runs) }' "/proc/$pid/fdinfo/"*
	kill -INT "$pid"
	wait "$pid"
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
	reads $TAGS
	let_go
	walk
}

guest_or_kernels "$@"
for kernel in "${KERNELS[@]}"; do
	"$VM/run.sh" -k "$kernel" -t icount -c "$BENCH/walk.sh guest" | tr -d '\r' |
		awk -v kernel="$kernel" -v queues=$QUEUES '
		$1 == "walk:" {
			printf "%s\ta queue\t%d\n", kernel, $2 / 1000
			printf "%s\t%d queues\t%d\n", kernel, queues, queues * $2 / 1000
		}'
done | table 'a walk by inflight, us' "${KERNELS[@]}"
