# SPDX-License-Identifier: GPL-2.0-or-later
# Rows where CPUs share cells, since 160 may come: there are enough for three operations on each of 24 drives, and top gives
# back those of processes that ended, so that it shows the one that came last. Nothing is lost over that, and sums, minimum and
# maximum are those of all CPUs.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

. "$VM/lib/account.sh"

topology=dozens
kernels='6.1 6.12 as5.15-6.1'
test='as5.15-6.1'
plan=16
seconds=35

DRIVES=24
SHORT=1500 # processes, more than there are rows
READS=300 # of the last one

before()
{
	"$COMPILER" -D_GNU_SOURCE -O1 -static -o "$OUT/lives" "$VM/lives.c"
}

guest()
{
	local disk name lives=()

	# 6.12 counts only the CPUs that the firmware may bring online, and has a cell for each
	case $KERNEL in
	6.1) check_eq "possible CPUs" "$(cat /sys/devices/system/cpu/possible)" 0-159 ;;
	*) skip "possible CPUs" "this kernel has not that many" ;;
	esac
	each_drive
	disk=$(disk_of lab0 1)
	short_lives
	both_cpus
	for name in drives top shared; do
		check "nothing is lost by $name" nothing_lost "$OUT/$name.out"
	done
	check "nothing is left attached" detached_all
}

# each_drive: a read, a write and a flush on each
each_drive()
{
	local i disk

	attached drives "$NVMETOOL" latency --json
	for ((i = 0; i < DRIVES; i++)); do
		disk=$(disk_of "lab$i" 1)
		dd if="/dev/$disk" of=/dev/null bs=4k count=1 iflag=direct 2>/dev/null
		dd if=/dev/zero of="/dev/$disk" bs=4k count=1 oflag=direct conv=notrunc 2>/dev/null
		nvme flush "/dev/$disk" >/dev/null
	done
	detach drives
	check_eq "latency ends well" "$status" 0
	check_eq "a row for each drive and operation" "$(rows drives '[.ctrl, .op] | @tsv' | sort | uniq | wc -l)" $((3 * DRIVES))
	check_eq "none is of another drive" "$(rows drives 'select(.ctrl == null)' | wc -l)" 0
}

# rows NAME FILTER: of the records of all intervals
rows()
{
	jq -r "select(.type == \"latency\" or .type == \"top\") | $2" "$OUT/$1.out"
}

# short_lives: on both CPUs more processes than there are rows, each with a read of its own; then one that goes on
short_lives()
{
	local i

	attached top "$NVMETOOL" top --json -d "$disk" 0.5
	attached trace "$NVMETOOL" trace --json -d "$disk"
	for i in 0 1; do
		taskset -c "$i" "$LAB/t/rows/lives" "/dev/$disk" $((SHORT / 2)) &
		lives[i]=$!
	done
	for i in 0 1; do
		wait "${lives[i]}"
	done
	fio_load last --filename="/dev/$disk" --rw=randread --bs=4k --ioengine=psync --number_ios=$READS --thread
	drained
	for i in top trace; do
		detach "$i"
		check_eq "$i ends well" "$status" 0
	done
	check_eq "the last process is shown" "$(rows top 'select(.comm == "fio").count' | sum)" "$READS"
	check_eq "each short one is shown" "$(rows top 'select(.comm == "lives" and .count > 0) | [.pid, .count] | @tsv' | sort -u | wc -l)" $SHORT
	check_eq "each command is counted once" "$(rows top .count | sum)" "$(jq -s 'map(select(.type == "io")) | length' \
		"$OUT/trace.out")"
}

sum()
{
	awk '{ n += $1 } END { print n + 0 }'
}

# both_cpus: fine buckets leave room for one copy of the cells, which both CPUs add to
both_cpus()
{
	attached shared "$NVMETOOL" latency --json --hist-bits 6 --by ctrl,opcode,size -d "$disk"
	fio_load both --filename="/dev/$disk" --rw=randread --bs=4k --ioengine=libaio --iodepth=8 --numjobs=2 --cpus_allowed=0,1 \
		--cpus_allowed_policy=split --number_ios=3000 --group_reporting
	drained
	detach shared
	check_eq "shared ends well" "$status" 0
	check_eq "reads and bytes of both" "$(rows shared 'select(.op == "read") | "\(.count) \(.bytes)"')" "6000 $((6000 * 4096))"
	check_eq "minimum and maximum lie in the outer buckets" "$(rows shared 'select(.op == "read") |
		(.hist.buckets | map(select(.[2] > 0))) as $b |
		.min_ns >= $b[0][0] and .min_ns < $b[0][1] and .max_ns >= $b[-1][0] and .max_ns < $b[-1][1]')" true
}
