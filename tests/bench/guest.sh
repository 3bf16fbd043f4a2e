#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Inside the guest of run.sh: instructions added to one I/O by each tool. One line each: NAME SUBMIT IRQ COUNT.
set -euo pipefail

. "$VM/lib/guest.sh"
BENCH=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
BUILT=$BENCH/../../build/bench
OUT=$(mktemp -d)
DISK=$(disk_of lab0 1)
FIO=(fio --name=bench --filename="/dev/$DISK" --rw=randread --bs=4k --size=64M --ioengine=psync --direct=1
	--number_ios=200 --randseed=1 --output=/dev/null)

# measure NAME [FLOOR PROGRAMS]: the spans with whatever is attached now
measure()
{
	local name=$1

	shift
	printf '%s %s\n' "$name" "$("$BUILT/span" "$BUILT/span.bpf.o" "$@" -- "${FIO[@]}")"
}

# with NAME CMD...: the spans while CMD, an nvmetool command, is attached
with()
{
	local name=$1

	shift
	attached tool "$@"
	measure "$name"
	detach tool
}

# peer NAME LOOK CMD...: the same for a tool that says in its output that it is attached, by pattern LOOK
peer()
{
	local name=$1 look=$2

	shift 2
	command -v "$1" >/dev/null || { echo "$name absent"; return; }
	"$@" >"$OUT/peer.out" 2>&1 &
	until grep -q "$look" "$OUT/peer.out"; do
		kill -0 $! 2>/dev/null || { echo "$name failed"; return; }
		read -rt 0.2 _ <><(:) || true
	done
	measure "$name"
	kill -INT $!
	wait $! || true
}

echo none >"/sys/block/$DISK/queue/scheduler"
measure warm-up >/dev/null
measure none
measure 'empty tp_btf' floor_setup_btf floor_complete_btf
measure 'empty raw_tp' floor_setup_raw floor_complete_raw
while IFS=: read -r name command; do
	# shellcheck disable=SC2086 # words of a command
	with "$name" "$NVMETOOL" $command
done < <(grep -v "^#" "$BENCH/commands")
