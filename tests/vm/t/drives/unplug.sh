# SPDX-License-Identifier: GPL-2.0-or-later
# A drive that is pulled while it has commands: those that the driver cancels are errors, as many as it cancelled. It
# stays away: this is the last test of its boot.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=hotplug
test='6.18'
plan=7
seconds=23

. "$VM/lib/account.sh"
. "$VM/lib/tracefs.sh"

guest()
{
	local disk ctrl loader

	disk=$(disk_of lab0 1) ctrl=$(ctrl_of lab0)
	probes_on nvme_cancel_request
	attached errors "$NVMETOOL" errors --json
	attached all "$NVMETOOL" trace --json -q io
	echo 1000 >"/sys/block/$disk/queue/io_timeout"
	# No slower: QEMU stands still until the reset has got back what is in flight, and the kernel's watchdog takes 20 s.
	quiet_monitor "block_set_io_throttle lab0n1 0 0 0 3 0 0"
	fio --name=stuck --filename="/dev/$disk" --rw=randread --bs=4k --direct=1 --size=16M --ioengine=libaio \
		--iodepth=16 --number_ios=64 --output="$OUT/stuck" &
	loader=$!
	until awk '{ exit !($1 >= 16) }' "/sys/block/$disk/inflight"; do
		read -rt 0.05 _ <><(:) || true
	done
	# The device does not answer any more, as one that is gone: no memory, no bus master.
	printf '\0\0' | dd of="/sys/class/nvme/$ctrl/device/config" bs=1 seek=4 conv=notrunc
	wait "$loader" || true
	# Not before QEMU has ended its own part of what was in flight: it has crashed.
	quiet_monitor "block_set_io_throttle lab0n1 0 0 0 0 0 0"
	unplug lab0
	detach errors
	check_eq "errors ends well" "$status" 0
	detach all
	check_eq "trace ends well" "$status" 0
	probes_off
}

host()
{
	check "commands were cancelled" [ "$(calls nvme_cancel_request)" -ge 16 ]
	check_eq "as many errors" "$(jq -c 'select(.type == "error" and .sct == 3 and .sc == 113)' "$OUT/errors.out" | wc -l)" \
		"$(calls nvme_cancel_request)"
	check_eq "by name" "$(jq -r 'select(.type == "error" and .sct == 3 and .sc == 113).status_name' "$OUT/errors.out" |
		sort -u)" "Command Aborted By Host"
	check "the account of errors" nothing_lost "$OUT/errors.out"
	check "the account of trace" nothing_lost "$OUT/all.out"
}
