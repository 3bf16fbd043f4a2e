# SPDX-License-Identifier: GPL-2.0-or-later
# latency -Q is what fio's clat is, the wait for a tag included, beside a load on another disk and through md as well; its
# phases add up, once for each request; reads that were queued before attaching are left out where it is not known since when;
# --max-inflight counts.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=deadline
test='6.1'
plan=33
seconds=47

guest()
{
	local disk queue depth

	disk=$(disk_of lab0 2)
	queue=/sys/block/$disk/queue
	depth=$(cat "$queue/nr_requests")
	echo 4 >"$queue/nr_requests"
	fio_jobs warm 1 # the first run of fio's code is slow on an emulated CPU, and fio counts that
	wait_for_tags none five_reads
	beside_others
	queued_before
	through_md
	echo "$depth" >"$queue/nr_requests"
	outstanding
	sched mq-deadline "$disk"
	echo 4 >"$queue/nr_requests"
	wait_for_tags deadline five_reads
	sched none "$disk"
	retried
}

# wait_for_tags NAME LOAD...: 48 jobs on 4 tags, by LOAD NAME
wait_for_tags()
{
	local name=$1 mean

	attached "${name}_queued" "$NVMETOOL" latency --json --strict -Q --by none -d "$disk"
	attached "${name}_phases" "$NVMETOOL" latency --json --strict --phases --by none -d "$disk"
	"${@:2}" "$name"
	drained
	check "$name: bios that ended are forgotten" test "$(stamps_left)" -le "$(skipped)"
	detach "${name}_queued"
	detach "${name}_phases"
	mean=$(jq '.jobs[0].read.clat_ns.mean | floor' "$OUT/$name.json")
	check_eq "$name: each command counted" "$(row "${name}_queued" .count)" "$(fio_count "$name" read)"
	check_near "$name: mean of -Q and fio's clat" "$(row "${name}_queued" .mean_ns)" "$mean" 5
	check_eq "$name: phases" "$(phase_counts "$name")" "$(expected_phases "$name")"
	check "$name: the phases' sums are the total" phases_add_up "$name"
}

# stamps_left: bios that are remembered, where they do not say themselves when they were queued
stamps_left()
{
	bpftool -j map dump name stamps | jq '[.. | .key? // empty] | length'
}

# skipped: how often the kernel skipped the program that forgets them
skipped()
{
	bpftool -j prog list | jq '[.[] | select(.name == "left_raw").recursion_misses // 0] | add // 0'
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

# hold NAME: 48 jobs of a read each, of which the drive answers one a second, until let_go
hold()
{
	monitor 'block_set_io_throttle lab0n2 0 0 0 1 0 0'
	fio_jobs "$1" 1 &
	load=$!
	until [ "$(cat /proc/[0-9]*/task/*/status 2>/dev/null | grep -c '^State:.D')" -ge 40 ]; do
		read -rt 0.05 _ <><(:) || true
	done
}

let_go()
{
	monitor 'block_set_io_throttle lab0n2 0 0 0 100 0 0'
	wait "$load"
}

# All reads were queued when latency attaches; those that have a tag by then do not count at all.
queued_before()
{
	local load

	hold before
	attached before "$NVMETOOL" latency --json --strict -Q --by none -d "$disk"
	let_go
	drained
	detach before
	check "reads wait when it attaches" test "$(summary before .paired)" -ge 20
	check_eq "how many are left out, and counted" "$(summary before .entry_unknown) $(row before .count)" "$(expected_before)"
}

# summary NAME FIELD
summary()
{
	jq "select(.type == \"summary\") | $2" "$OUT/$1.out"
}

# Bios of 6.17.13 and newer do not say when they were queued.
expected_before()
{
	case $KERNEL in
	6.18 | sid) echo "$(summary before .paired) " ;;
	*) echo "0 $(summary before .paired)" ;;
	esac
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

# five_reads NAME: of each job
five_reads()
{
	fio_jobs "$1" 5
}

# fio_jobs NAME N [DISK]: each of N reads, by tasks that do not preempt each other. Where they do, in the midst of a program,
# sid's kernel can skip both programs of a hook, which counts as lost: see preempted.
fio_jobs()
(
	chrt --fifo --pid 1 "$BASHPID"
	fio_load "$1" --filename="/dev/${3:-$disk}" --rw=randread --bs=4k --size=400M --ioengine=psync --thread --numjobs=48 \
		--number_ios="$2"
)

phase_counts()
{
	jq -r 'select(.type == "latency") | "\(.phase)=\(.count)"' "$OUT/${1}_phases.out" | xargs
}

expected_phases()
{
	local n

	n=$(fio_count "$1" read)
	case $1 in
	none | others | md) echo "queue=$n device=$n completion=$n total=$n" ;;
	*) echo "queue=$n scheduler=$n device=$n completion=$n total=$n" ;;
	esac
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

# row NAME FIELD: of the only row of latency
row()
{
	jq "select(.type == \"latency\") | $2" "$OUT/$1.out"
}

phases_add_up()
{
	jq -s 'map(select(.type == "latency") | {(.phase): .sum_ns}) | add' "$OUT/${1}_phases.out"
	jq -se 'map(select(.type == "latency") | {(.phase): .sum_ns}) | add |
		.total == .queue + (.scheduler // 0) + .device + .completion and .queue > .device' "$OUT/${1}_phases.out" >/dev/null
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
