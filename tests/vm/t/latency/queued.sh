# SPDX-License-Identifier: GPL-2.0-or-later
# latency -Q is what fio's clat is, the wait for a tag included; its phases add up, once for each request, as the wait that
# top -Q shows; reads that were queued before attaching are left out where it is not known since when.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

. "$VM/lib/tags.sh"

topology=deadline
test='6.1'
plan=14
seconds=35

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
