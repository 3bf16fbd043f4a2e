# SPDX-License-Identifier: GPL-2.0-or-later
# A drive that dies, and is pulled: commands that the driver cancels are errors, as many as it cancelled. As the reset fails,
# none is sent again: they end idle, and have no completion. The drive stays away: this is the last test of its boot.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=hotplug
test='6.18'
plan=9
seconds=11

. "$VM/lib/account.sh"
. "$VM/lib/tracefs.sh"

guest()
{
	local disk ctrl name

	disk=$(disk_of lab0 1) ctrl=$(ctrl_of lab0)
	probes_on nvme_cancel_request
	attached errors "$NVMETOOL" errors --json
	attached all "$NVMETOOL" trace --json -q io
	attached phases "$NVMETOOL" latency --json --by none --phases -d "$disk"
	echo 1000 >"/sys/block/$disk/queue/io_timeout"
	# Its registers are nowhere: what is written to doorbells is lost, and so is a reset. The drive itself knows of nothing.
	printf '\0\0\0\0\0\0\0\0' | dd of="/sys/class/nvme/$ctrl/device/config" bs=1 seek=16 conv=notrunc
	fio --name=stuck --filename="/dev/$disk" --rw=randread --bs=4k --direct=1 --size=16M --ioengine=libaio \
		--iodepth=16 --number_ios=16 --output="$OUT/stuck" || true
	unplug lab0
	for name in errors all phases; do
		detach "$name"
		check_eq "$name ends well" "$status" 0
	done
	probes_off
}

host()
{
	check "commands were cancelled" [ "$(calls nvme_cancel_request)" -ge 16 ]
	check_eq "as many errors" "$(jq -c 'select(.type == "error" and .sct == 3 and .sc == 113)' "$OUT/errors.out" | wc -l)" \
		"$(calls nvme_cancel_request)"
	check_eq "by name" "$(jq -r 'select(.type == "error" and .sct == 3 and .sc == 113).status_name' "$OUT/errors.out" |
		sort -u)" "Command Aborted By Host"
	check_eq "phases of those" "$(jq -r 'select(.type == "latency") | "\(.phase) \(.count)"' "$OUT/phases.out" | xargs)" \
		"queue 16 device 16"
	check "the account of errors" nothing_lost "$OUT/errors.out"
	check "the account of trace" nothing_lost "$OUT/all.out"
}
