# SPDX-License-Identifier: GPL-2.0-or-later
# errors: a drive that falls off the bus with commands in flight. The driver cancels these (3/71) as often as the
# kernel's own tracepoint says; it comes back under the same name, and is seen again.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=stuck
test='6.1'
plan=11
seconds=25

. "$VM/lib/account.sh"
. "$VM/lib/tracefs.sh"

# memory_access DEVICE 0|1: whether the drive answers at its registers: bit 1 of the PCI command register
memory_access()
{
	local low

	low=$(dd if="$1/config" bs=1 skip=4 count=1 status=none | od -An -tu1)
	# shellcheck disable=SC2059 # the format is the byte
	printf "\\x$(printf %x $(((low & ~2) | $2 << 1)))" | dd of="$1/config" bs=1 seek=4 conv=notrunc status=none
}

guest()
{
	local disk ctrl pci

	disk=$(disk_of lab0 1) ctrl=$(ctrl_of lab0)
	pci=$(realpath "/sys/class/nvme/$ctrl/device")
	kernel_statuses_on 0x370 0x371
	attached all "$NVMETOOL" errors --json
	attached trace "$NVMETOOL" trace --json -q io --show complete
	fio --name=load --filename="/dev/$disk" --direct=1 --rw=randread --bs=4k --ioengine=libaio --iodepth=32 \
		--number_ios=400 --size=16M --output="$OUT/fio" &
	until awk '{ exit $1 < 32 }' "/sys/block/$disk/inflight"; do
		sleep 0.02
	done
	memory_access "$pci" 0
	wait "$!" || true
	until [ "$(cat "/sys/class/nvme/$ctrl/state" 2>/dev/null)" != live ]; do
		sleep 0.05
	done
	kernel_statuses_off >"$OUT/kernel"
	echo 1 >"$pci/remove"
	echo 1 >/sys/bus/pci/rescan
	drive_wait lab0 1
	attached again "$NVMETOOL" latency --json --comm dd # the kernel may still be reading the partition table
	dd if="/dev/$(disk_of lab0 1)" of=/dev/null bs=4k skip=777 count=1 iflag=direct
	for name in all trace again; do
		detach "$name"
		check_eq "$name ends well" "$status" 0
	done
}

# count FILE FILTER: records of a test's output
count()
{
	jq -c "select($2)" "$OUT/$1.out" | wc -l
}

host()
{
	check "commands were cancelled" [ "$(awk '$2 == "0x371" { print $1 }' "$OUT/kernel")" -ge 32 ]
	check_eq "as many as the kernel's tracepoint shows" \
		"$(jq -r 'select(.type == "error").status' "$OUT/all.out" | sort -n | uniq -c | awk '{ printf "%d 0x%x\n", $1, $2 }')" \
		"$(awk '{ print $1, $2 }' "$OUT/kernel")"
	check_eq "under their name" "$(jq -r 'select(.type == "error").status_name' "$OUT/all.out" | sort -u)" \
		"Command Aborted By Host"
	if [ "$KERNEL" = 5.10 ]; then
		skip "after timeouts" "no BTF of the functions of modules before 5.11; errors_old has what is told of it"
		skip "and a reset" "the same"
	else
		check "after timeouts" [ "$(count all '.type == "timeout"')" -ge 32 ]
		check "and a reset" [ "$(count all '.type == "reset"')" -ge 1 ]
	fi
	check_eq "the drive that came back is seen" "$(jq -r 'select(.type == "latency") | "\(.ctrl) \(.op) \(.count)"' "$OUT/again.out")" \
		"$(jq -r 'select(.type == "error" and .op == "read").ctrl' "$OUT/all.out" | head -n 1) read 1"
	check "by who was there all the time as well" [ "$(count trace '.type == "complete" and .status == 0')" -gt 1 ]
	check "the accounts" accounts
}

accounts()
{
	nothing_lost "$OUT/all.out" && nothing_lost "$OUT/trace.out" && nothing_lost "$OUT/again.out"
}
