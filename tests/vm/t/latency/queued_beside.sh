# SPDX-License-Identifier: GPL-2.0-or-later
# latency -Q and --phases beside a load on another disk, through md, and of a command that is tried again; --max-inflight
# counts.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

. "$VM/lib/tags.sh"

topology=deadline
plan=23
seconds=45

guest()
{
	local disk queue depth

	depth=$(cat "/sys/block/$(disk_of lab0 2)/queue/nr_requests")
	few_tags
	beside_others
	through_md
	echo "$depth" >"$queue/nr_requests"
	outstanding
	retried
}

# Reads wait while 20 000 bios of another disk come and go.
beside_others()
{
	modprobe null_blk nr_devices=1
	wait_for_tags others load_beside_others
	modprobe -r null_blk
}

load_beside_others()
{
	local load

	hold "$1"
	fio_load beside --filename=/dev/nullb0 --rw=randread --bs=4k --size=64M --ioengine=libaio --iodepth=64 \
		--iodepth_batch=32 --number_ios=20000
	check "more than 16 384 other bios came meanwhile" kill -0 "$load"
	let_go
}

# md passes on the bios that it gets, at other sectors, to partitions.
through_md()
{
	modprobe raid0
	addpart "/dev/$disk" 1 2048 900000
	addpart "/dev/$disk" 2 1000000 900000
	mdadm --build /dev/md0 --level=0 --chunk=64 --raid-devices=2 "/dev/${disk}p1" "/dev/${disk}p2"
	dd if=/dev/md0 of=/dev/null bs=4k count=1 iflag=direct status=none # the first to open it makes the kernel look for partitions
	wait_for_tags md fio_jobs_on_md
	mdadm --stop /dev/md0
	delpart "/dev/$disk" 1
	delpart "/dev/$disk" 2
}

fio_jobs_on_md()
{
	fio_jobs "$1" 5 md0
}

# Four commands at a time, none before all of the last four are done: 0, 1, 2 and 3 are outstanding in turn.
outstanding()
{
	local n

	attached recorded "$NVMETOOL" record -d "$disk" -w "$OUT/recorded.nvt"
	for n in 1 2 3; do
		attached "inflight$n" "$NVMETOOL" latency --json --by none -d "$disk" --max-inflight "$n"
	done
	fio_load batches --filename="/dev/$disk" --rw=randread --bs=4k --size=512M --ioengine=libaio --iodepth=4 \
		--iodepth_batch_submit=4 --iodepth_batch_complete_min=4 --number_ios=100
	drained
	detach recorded
	for n in 1 2 3; do
		detach "inflight$n"
		check_eq "--max-inflight $n" "$(row "inflight$n" .count)" $((25 * (n + 1)))
		check_eq "--max-inflight $n of a recording" "$("$NVMETOOL" latency -i "$OUT/recorded.nvt" --json --by none \
			--max-inflight "$n" | jq 'select(.type == "latency").count')" $((25 * (n + 1)))
	done
	check_eq "the rest is filtered" "$(jq -r 'select(.type == "summary") | "\(.paired) \(.emitted) \(.filtered)"' \
		"$OUT/inflight1.out")" "100 50 50"
	check_eq "nothing is lost" "$(jq -s 'map(select(.type == "summary") | .complete) | unique' -c "$OUT"/*.out)" "[true]"
}

# A block that cannot be read: six attempts, but the scheduler had the request once.
retried()
{
	local bad

	bad=$(disk_of lab0 1)
	attached retried_phases "$NVMETOOL" latency --json --phases --by none -d "$bad"
	! dd if="/dev/$bad" of=/dev/null iflag=direct bs=4k skip=125 count=1
	drained
	detach retried_phases
	check_eq "six attempts wait in the scheduler once" "$(phase_counts retried)" \
		"queue=1 scheduler=1 device=6 completion=1 total=1"
	check "and no part is counted twice" phases_fit retried
}

phases_fit()
{
	jq -s 'map(select(.type == "latency") | {(.phase): .sum_ns}) | add' "$OUT/${1}_phases.out"
	jq -se 'map(select(.type == "latency") | {(.phase): .sum_ns}) | add |
		.queue + .scheduler + .device + .completion <= .total' "$OUT/${1}_phases.out" >/dev/null
}
