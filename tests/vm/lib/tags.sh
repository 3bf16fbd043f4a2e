# SPDX-License-Identifier: GPL-2.0-or-later
# Reads that wait for one of few tags: what latency -Q and --phases say of them, beside fio.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

# Sets disk, of which four commands at a time can be outstanding, and queue, its settings.
few_tags()
{
	disk=$(disk_of lab0 2)
	queue=/sys/block/$disk/queue
	echo 4 >"$queue/nr_requests"
	fio_jobs warm 1 # the first run of fio's code is slow on an emulated CPU, and fio counts that
}

# wait_for_tags NAME LOAD...: 48 jobs on 4 tags, by LOAD NAME
wait_for_tags()
{
	local name=$1 mean

	attached "${name}_queued" "$NVMETOOL" latency --json --strict -Q --by none -d "$disk"
	attached "${name}_phases" "$NVMETOOL" latency --json --strict --phases --by none -d "$disk"
	attached "${name}_top" "$NVMETOOL" top -Q --json --strict --by none -d "$disk" 1h
	"${@:2}" "$name"
	drained
	check "$name: bios that ended are forgotten" test "$(stamps_left)" -le "$(skipped)"
	detach "${name}_queued"
	detach "${name}_phases"
	detach "${name}_top"
	mean=$(jq '.jobs[0].read.clat_ns.mean | floor' "$OUT/$name.json")
	check_eq "$name: each command counted" "$(row "${name}_queued" .count)" "$(fio_count "$name" read)"
	check_near "$name: mean of -Q and fio's clat" "$(row "${name}_queued" .mean_ns)" "$mean" 5
	check_eq "$name: phases" "$(phase_counts "$name")" "$(expected_phases "$name")"
	check "$name: the phases' sums are the total" phases_add_up "$name"
	check_near "$name: QUEUE of top, and the phases before the driver" "$(jq 'select(.type == "top").queue_mean_ns' \
		"$OUT/${name}_top.out")" "$(phases_before "$name")" 1
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

# fio_jobs NAME N [DISK]: each of N reads, by tasks that do not preempt each other. Where they do, in the midst of a program,
# sid's kernel can skip both programs of a hook, which counts as lost: see preempted.
fio_jobs()
(
	chrt --fifo --pid 1 "$BASHPID"
	fio_load "$1" --filename="/dev/${3:-$disk}" --rw=randread --bs=4k --size=400M --ioengine=psync --thread --numjobs=48 \
		--number_ios="$2"
)

# five_reads NAME: of each job
five_reads()
{
	fio_jobs "$1" 5
}

# phases_before NAME: the mean time of each request in the block layer
phases_before()
{
	jq -s 'map(select(.phase == "queue" or .phase == "scheduler")) | (map(.sum_ns) | add) / (map(.count) | max) | floor' \
		"$OUT/${1}_phases.out"
}

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

phases_add_up()
{
	jq -s 'map(select(.type == "latency") | {(.phase): .sum_ns}) | add' "$OUT/${1}_phases.out"
	jq -se 'map(select(.type == "latency") | {(.phase): .sum_ns}) | add |
		.total == .queue + (.scheduler // 0) + .device + .completion and .queue > .device' "$OUT/${1}_phases.out" >/dev/null
}

# row NAME FIELD: of the only row of latency
row()
{
	jq "select(.type == \"latency\") | $2" "$OUT/$1.out"
}

# summary NAME FIELD
summary()
{
	jq "select(.type == \"summary\") | $2" "$OUT/$1.out"
}
