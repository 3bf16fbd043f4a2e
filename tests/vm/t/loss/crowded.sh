# SPDX-License-Identifier: GPL-2.0-or-later
# An nvmetool with room for one hardware queue and eight bios meets more of them. It counts what finds no room under that
# name alone, and tells a person.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=errors
kernels='6.1 6.18 sid'
test='6.1'
plan=13
seconds=8

. "$VM/lib/account.sh"

CROWDED=$VM/../../build/crowded/nvmetool
READS=16

# queues HOW: reads of the first disk, then of another one
queues()
{
	attached "queues_$1" "$CROWDED" trace --json --strict --attach "$1"
	taskset -c 0 dd "if=/dev/$disk" of=/dev/null bs=4k count=1 iflag=direct status=none
	taskset -c 0 dd "if=/dev/$(disk_of lab0 2)" of=/dev/null bs=4k count=$READS iflag=direct status=none
	drained
	detach "queues_$1"
	check_eq "$1: --strict ends with 7" "$status" 7
	check "$1: a person is told" \
		grep -q "$READS requests not followed, or without submitter, because more queues came" "$OUT/queues_$1.err"
}

# All bios are queued before the driver gets the first.
bios()
{
	attached bios "$CROWDED" latency -Q --json --by none -d "$disk"
	fio_load batch --filename="/dev/$disk" --rw=randread --offset=1M --size=32M --ioengine=libaio --iodepth=$READS \
		--iodepth_batch_submit=$READS --iodepth_batch_complete_min=$READS --number_ios=$READS
	drained
	detach bios
}

guest()
{
	local disk how

	disk=$(disk_of lab0 1)
	for how in $(methods); do
		queues "$how"
	done
	bios
}

# of NAME FILTER: of the summary
of()
{
	summary_of "$OUT/$1.out" | jq -c "$2"
}

# Kernels whose bios say when they were queued need no table of them.
bios_without_room()
{
	case $KERNEL in
	6.18 | sid) echo $((READS - 8)) ;;
	*) echo 0 ;;
	esac
}

host()
{
	local how lost

	for how in $(methods); do
		check_eq "$how: requests without room" "$(of "queues_$how" '.lost | with_entries(select(.value > 0))')" \
			"{\"inflight_full\":$READS,\"unmatched\":$READS,\"queues_full\":$READS}"
		check_eq "$how: no command is said to be older than the run" "$(of "queues_$how" .before_attach)" 0
		check_eq "$how: those with room are printed" \
			"$(jq -s 'map(select(.type == "io") | .dev) | unique | length' "$OUT/queues_$how.out")" 1
		check "$how: the account adds up" adds_up "$OUT/queues_$how.out"
	done
	lost=$(bios_without_room)
	check_eq "bios without room, and their commands, which -Q leaves out" "$(of bios '[.lost.bios_full, .entry_unknown]')" \
		"[$lost,$lost]"
}
