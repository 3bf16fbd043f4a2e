# SPDX-License-Identifier: GPL-2.0-or-later
# latency -Q is what fio's clat is, the wait for a tag included; its phases add up, once for each request, as the wait that
# top -Q shows, also of one that is tried again; reads that were queued before attaching are left out where it is not known
# since when.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

. "$VM/lib/tags.sh"

topology=deadline
test='6.1'
plan=15
seconds=45

guest()
{
	local disk queue

	few_tags
	wait_for_tags none five_reads
	queued_before
	sched mq-deadline "$disk"
	echo 4 >"$queue/nr_requests"
	wait_for_tags deadline five_reads
	sched none "$disk"
	retried
}

# A block that cannot be read: six attempts of some 100 ms each, of which none but the first has waited, for far less.
retried()
{
	local bad

	bad=$(disk_of lab0 1)
	attached retried_top "$NVMETOOL" top -Q --json --strict --by none -d "$bad" 1h
	monitor 'block_set_io_throttle lab0n1 0 0 0 10 0 0'
	! dd if="/dev/$bad" of=/dev/null iflag=direct bs=4k skip=125 count=1
	drained
	monitor 'block_set_io_throttle lab0n1 0 0 0 0 0 0'
	detach retried_top
	check_eq "retried: attempts that failed, and QUEUE of top is shorter than one" "$(jq -c 'select(.type == "top") |
		[.errors, .queue_mean_ns > 0, .queue_mean_ns < .mean_ns]' "$OUT/retried_top.out")" '[6,true,true]'
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

# Bios of 6.17.13 and newer do not say when they were queued.
expected_before()
{
	case $KERNEL in
	6.18 | sid) echo "$(summary before .paired) " ;;
	*) echo "0 $(summary before .paired)" ;;
	esac
}
