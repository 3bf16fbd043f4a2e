#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Inside the guest of run.sh: how long one I/O takes with each tool. One line each: `span: NAME LENGTH WHY`. LENGTH is the
# instructions of a submission that the interrupt of its completion fell into. It is `-` where WHY is not: `absent`,
# `failed` or `unsteady`. BENCH_ONLY, a pattern, picks rows.
set -euo pipefail

. "$VM/lib/guest.sh"
BENCH=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
BUILT=$BENCH/../../build/bench
OUT=$(mktemp -d)
DISK=$(disk_of lab0 1)
FIO=(fio --name=bench --filename="/dev/$DISK" --rw=randread --bs=4k --size=64M --ioengine=psync --direct=1
	--number_ios=200 --randseed=1 --output=/dev/null)
EVENTS=/sys/kernel/tracing/events/nvme
READY='interval:ms:100 { printf("ready\n") }'
STEADY=40 # of the 200 I/Os must have taken as long as most did
SPAN_OF=()

# wanted NAME: it is a row to measure
wanted()
{
	# shellcheck disable=SC2053 # a pattern
	[[ $1 == ${BENCH_ONLY:-*} || $1 == none ]]
}

# measure NAME [FLOOR PROGRAMS]: with whatever is attached now
measure()
{
	local name=$1 length count

	shift
	for _ in {1..15}; do
		if ! read -r length count < <("$BUILT/span" "$BUILT/span.bpf.o" "${SPAN_OF[@]}" "$@" -- "${FIO[@]}"); then
			echo "span: $name - failed"
			return
		fi
		if [ "$count" -ge "$STEADY" ]; then
			echo "span: $name $length -"
			return
		fi
	done
	echo "span: $name - unsteady"
}

floor()
{
	! wanted "$1" || measure "$@"
}

# with NAME CMD...: while CMD, an nvmetool command, is attached
with()
{
	local name=$1

	wanted "$name" || return 0
	shift
	attached tool "$@"
	measure "$name"
	detach tool
}

# peer NAME LOOK CMD...: while a tool is that says in its output that it is attached, by pattern LOOK
peer()
{
	local name=$1 look=$2 pid

	wanted "$name" || return 0
	shift 2
	command -v "$1" >/dev/null || { echo "span: $name - absent"; return; }
	stdbuf -oL "$@" >"$OUT/peer.out" 2>&1 & # or it keeps to itself that it is attached
	pid=$!
	until grep -q "$look" "$OUT/peer.out"; do
		kill -0 "$pid" 2>/dev/null || { echo "span: $name - failed"; return; }
		read -rt 0.2 _ <><(:) || true
	done
	measure "$name"
	kill -INT "$pid"
	wait "$pid" || true
}

# ftrace_events 0|1
ftrace_events()
{
	echo "$1" >"$EVENTS/nvme_setup_cmd/enable"
	echo "$1" >"$EVENTS/nvme_complete_rq/enable"
}

# peer_bpftrace NAME PROGRAM
peer_bpftrace()
{
	peer "$1" ready bpftrace -e "$2 $READY"
}

# How a kernel reads what the verifier does not know: bpf_rdonly_cast() came with 6.2.
case $KERNEL in
5.10 | 6.1) READ=probe ;;
*) READ=cast ;;
esac
echo none >"/sys/block/$DISK/queue/scheduler"
measure warm-up >/dev/null
floor none
floor 'empty tp_btf pair' floor_setup_btf floor_complete_btf
floor 'two empty tp_btf pairs' floor_setup_btf floor_complete_btf floor_setup_again floor_complete_again
floor 'empty raw_tp pair' floor_setup_raw floor_complete_raw
floor 'floor: clock twice' floor_setup_clock floor_complete_clock
floor 'floor: and status' floor_setup_clock "floor_complete_status_$READ"
floor 'floor: and submitter' floor_setup_submitter "floor_complete_status_$READ"
floor 'floor: and an event' floor_setup_submitter "floor_complete_event_$READ"
floor 'floor: clock, small record' floor_setup_record floor_complete_btf
floor 'floor: raw_tp, clock, status' floor_setup_copy floor_complete_copy
while IFS=: read -r name command; do
	# shellcheck disable=SC2086 # words of a command
	with "$name" "$NVMETOOL" $command
done < <(grep -v "^#" "$BENCH/commands")
peer 'biolatency (libbpf-tools)' Tracing biolatency
SETUP='tracepoint:nvme:nvme_setup_cmd { @at[args->ctrl_id, args->qid, args->cid & 0xfff] = nsecs; '
COMPLETE='tracepoint:nvme:nvme_complete_rq { $ns = nsecs - @at[args->ctrl_id, args->qid, args->cid & 0xfff]; '
peer_bpftrace 'bpftrace, histogram' "$SETUP} $COMPLETE @[args->ctrl_id] = hist(\$ns); }"
peer_bpftrace 'bpftrace, printf' \
	"$SETUP} $COMPLETE"' printf("%d %d %d %d %d %d %s\n", args->ctrl_id, args->qid, args->cid, args->status, $ns, pid, comm); }'
peer_bpftrace 'bpftrace, count by kstack' 'tracepoint:nvme:nvme_setup_cmd { @[kstack] = count(); }'
if wanted 'inflight, when it has ended'; then
	"$NVMETOOL" inflight >/dev/null
	measure 'inflight, when it has ended'
fi
if wanted 'ftrace, two events'; then
	ftrace_events 1
	measure 'ftrace, two events'
	ftrace_events 0
fi

# of_file HOW OPTIONS...: rows of --by file, for reads of a file, which are sent after submit_bio()
of_file()
{
	local SPAN_OF=(of=vfs_read)

	FIO=(fio --name=bench --filename="$OUT/fs/file" --rw=randread --bs=4k --size=16M --ioengine=psync --number_ios=200
		--randseed=1 --output=/dev/null "${@:2}")
	floor none
	with "$1 file read: latency" "$NVMETOOL" latency
	with "$1 file read: latency by pid" "$NVMETOOL" latency --by pid
	with "$1 file read: latency by file" "$NVMETOOL" latency --by file
}

# XFS keeps what it knows of files in memory, and their data on the drive, which keeps nothing.
modprobe brd rd_nr=1 rd_size=$((320 << 10))
modprobe xfs
mkfs.xfs -q -d rtinherit=1 -r rtdev="/dev/$DISK" /dev/ram0
mkdir "$OUT/fs"
mount -o rtdev="/dev/$DISK" /dev/ram0 "$OUT/fs"
dd if=/dev/zero of="$OUT/fs/file" bs=64k count=256 oflag=direct status=none
of_file direct --direct=1
of_file cached --direct=0
umount "$OUT/fs"
