# SPDX-License-Identifier: GPL-2.0-or-later
# The lab's drives: two controllers are told apart in the drive's log, whatever the kernel calls them.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=two
plan=4

guest()
{
	local disk ctrl

	mark "$(disk_of lab0 1)" 11
	while read -r _ _ _ _ disk _; do
		fio_load "$disk" --filename="/dev/$disk" --rw=randread --size=64M --ioengine=libaio --iodepth=8 \
			--number_ios=50
	done <"$LAB/drives"
	nvme flush "/dev/$(disk_of lab1 11)"
	mark "$(disk_of lab0 1)" 12
	ctrl=$(ctrl_of lab1)
	check_eq "lab1 has two queues" "$(nvme get-feature "/dev/$ctrl" -f 7 | sed 's/.*value://')" 0x00010001
	check_eq "blocks of 4 KiB" "$(cat "/sys/block/$(disk_of lab0 2)/queue/logical_block_size")" 4096
}

host()
{
	drive_log 11 12
	check_eq "reads of each namespace" "$(jq -r 'select(.op == "read") | "\(.ctrl)/\(.nsid)"' \
		"$OUT/drive.ndjson" | sort | uniq -c | xargs)" "50 lab0/1 50 lab0/2 50 lab1/11"
	check_eq "a flush has no blocks" \
		"$(jq -c 'select(.op == "flush") | [.ctrl, .slba, .nlb, .status]' "$OUT/drive.ndjson")" \
		'["lab1",null,null,0]'
}
