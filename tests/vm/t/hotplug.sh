# SPDX-License-Identifier: GPL-2.0-or-later
# The lab's hot-plug: a controller is pulled and put back, the drive's log goes on.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=hotplug
plan=4
when='more'

guest()
{
	mark "$(disk_of lab1 11)" 1
	unplug lab0
	check "the controller is gone" fails ctrl_of lab0
	plug lab0 max_ioqpairs=2
	check_eq "it is back with two queues" "$(cat "/sys/class/nvme/$(ctrl_of lab0)/queue_count")" 3
	dd if="/dev/$(disk_of lab0 1)" of=/dev/null bs=4k skip=777 count=1 iflag=direct
	drained
	mark "$(disk_of lab1 11)" 2
	check "the monitor takes quotes and says what is wrong" says_unknown
}

says_unknown()
{
	monitor 'no-such "command"' | grep -q unknown
}

host()
{
	drive_log 1 2
	check_eq "the read is in the log" "$(jq -c 'select(.slba == 6216) | [.ctrl, .nlb, .status]' \
		"$OUT/drive.ndjson")" '["lab0",8,0]'
}
