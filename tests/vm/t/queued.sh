# SPDX-License-Identifier: GPL-2.0-or-later
# latency -Q is what fio's clat is, the wait for a tag included; its phases add up, once for each request;
# --max-inflight counts.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=deadline
plan=15

guest()
{
	local disk queue depth

	disk=$(disk_of lab0 2)
	queue=/sys/block/$disk/queue
	depth=$(cat "$queue/nr_requests")
	echo 4 >"$queue/nr_requests"
	fio_jobs warm 1 # the first run of fio's code is slow on an emulated CPU, and fio counts that
	wait_for_tags none
	echo "$depth" >"$queue/nr_requests"
	outstanding
	sched mq-deadline "$disk"
	echo 4 >"$queue/nr_requests"
	wait_for_tags deadline
	sched none "$disk"
	retried
}

# wait_for_tags NAME: 48 jobs on 4 tags
wait_for_tags()
{
	local name=$1 mean

	attached "${name}_queued" "$NVMETOOL" latency --json -Q --by none -d "$disk"
	attached "${name}_phases" "$NVMETOOL" latency --json --phases --by none -d "$disk"
	fio_jobs "$name" 5
	drained
	detach "${name}_queued"
	detach "${name}_phases"
	mean=$(jq '.jobs[0].read.clat_ns.mean | floor' "$OUT/$name.json")
	check_eq "$name: each command counted" "$(row "${name}_queued" .count)" "$(fio_count "$name" read)"
	check_near "$name: mean of -Q and fio's clat" "$(row "${name}_queued" .mean_ns)" "$mean" 5
	check_eq "$name: phases" "$(phase_counts "$name")" "$(expected_phases "$name")"
	check "$name: the phases' sums are the total" phases_add_up "$name"
}

# fio_jobs NAME N: each of N reads, by tasks that do not preempt each other. Where they do, in the midst of a program,
# sid's kernel can skip both programs of a hook, which counts as lost: see preempted.
fio_jobs()
(
	chrt --fifo --pid 1 "$BASHPID"
	fio_load "$1" --filename="/dev/$disk" --rw=randread --bs=4k --size=512M --ioengine=psync --thread --numjobs=48 \
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
	none) echo "queue=$n device=$n completion=$n total=$n" ;;
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

	for n in 1 2 3; do
		attached "inflight$n" "$NVMETOOL" latency --json --by none -d "$disk" --max-inflight "$n"
	done
	fio_load batches --filename="/dev/$disk" --rw=randread --bs=4k --size=512M --ioengine=libaio --iodepth=4 \
		--iodepth_batch_submit=4 --iodepth_batch_complete_min=4 --number_ios=100
	drained
	for n in 1 2 3; do
		detach "inflight$n"
		check_eq "--max-inflight $n" "$(row "inflight$n" .count)" $((25 * (n + 1)))
	done
	check_eq "the rest is filtered" "$(jq -r 'select(.type == "summary") | "\(.paired) \(.emitted) \(.filtered)"' \
		"$OUT/inflight1.out")" "100 50 50"
	check_eq "nothing is lost" "$(jq -s 'map(select(.type == "summary") | .complete) | unique' -c "$OUT"/*.out)" "[true]"
}
