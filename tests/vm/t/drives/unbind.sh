# SPDX-License-Identifier: GPL-2.0-or-later
# A PCI device that loses its driver, gets it back, is removed and found again through sysfs, under load of another and
# while it is traced: each command has the name that its drive had.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=hotplug
kernels='6.12'
plan=7

. "$VM/lib/account.sh"

PHASE_MIB=32 # each phase has blocks of its own

# load PHASE: 40 commands on lab0 under its name of now
load()
{
	local disk

	drive_wait lab0 1
	disk=$(disk_of lab0 1)
	fio_load "load$1" --filename="/dev/$disk" --rw=randrw --bs=4k --offset=$(($1 * PHASE_MIB))M --size="${PHASE_MIB}M" \
		--ioengine=libaio --iodepth=8 --number_ios=40
	echo "$1 $(ctrl_of lab0) $disk 40" >>"$OUT/phases"
}

# gone: until lab0 is
gone()
{
	while find_ctrl lab0; do
		read -rt 0.05 _ <><(:) || true
	done
}

guest()
{
	local device pci=/sys/bus/pci

	device=$(basename "$(readlink -f "/sys/class/nvme/$(ctrl_of lab0)/device")")
	attached all "$NVMETOOL" trace --json --strict
	mark "$(disk_of lab1 11)" 191
	dd if="/dev/$(disk_of lab1 11)" of=/dev/null bs=4k iflag=direct status=none &
	load 0
	echo "$device" >$pci/drivers/nvme/unbind
	gone
	echo "$device" >$pci/drivers/nvme/bind
	load 1
	echo 1 >"$pci/devices/$device/remove"
	gone
	echo 1 >$pci/rescan
	load 2
	kill %dd
	wait %dd || true
	drained
	mark "$(disk_of lab1 11)" 192
	detach all
	check_eq "ends well" "$status" 0
	check "nothing is left attached" detached_all
	check_eq "no complaint" "$(cat "$OUT/all.err")" ""
}

host()
{
	drive_log 191 192
	check "trace equals the drives' log" "$VM/compare" --keys cid,qid,nsid,opcode,slba,nlb,status --from 191 --to 192 \
		"$OUT/drive.ndjson" "$OUT/all.out"
	check_eq "each on its controller, by its name" "$(phases_seen ctrl dev)" "$(sort "$OUT/phases")"
	check "the account" nothing_lost "$OUT/all.out"
	check "the other drive was read all the while" test "$(jq 'select(.comm == "dd")' -c "$OUT/all.out" | wc -l)" -gt 100
}
