# SPDX-License-Identifier: GPL-2.0-or-later
# pattern -A on a drive with a boundary that commands should not cross. The emulated drive announces no NOIOB, nor does
# the kernel's own target; so its driver is told that it is one of the drives whose boundary (a stripe) it knows itself:
# it keeps both in the same place. The block layer splits at the boundary, passthrough commands may cross it.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=two
test='6.1'
plan=7
seconds=7

. "$VM/lib/account.sh"

DRIVER=/sys/bus/pci/drivers/nvme
# Vendor, device, any subsystem, any class, quirks: a stripe (1) and zeroes after deallocation (4), as of 8086:0953.
STRIPED='1b36 0010 ffffffff ffffffff 0 0 5'

# pci_of ID: the address of a controller
pci_of()
{
	basename "$(readlink -f "/sys/class/nvme/$(ctrl_of "$1")/device")"
}

# rebind WORDS FILE: gives the driver of lab1 WORDS in FILE (new_id, remove_id) while it has no lab1
rebind()
{
	local pci

	drained
	pci=$(pci_of lab1)
	echo "$pci" >"$DRIVER/unbind"
	echo "$1" >"$DRIVER/$2"
	# New numbers may have the driver take it by itself, in a while: then it is busy here.
	[ -e "$DRIVER/$pci" ] || echo "$pci" >"$DRIVER/bind" || true
	drive_wait lab1 11
}

# across N: reads of 4 KiB around the Nth boundary, by passthrough
across()
{
	nvme read "/dev/$disk" -s "$(((chunk * $1 - 2048) / lba))" -c "$((4096 / lba - 1))" -z 4096 -d /dev/null
}

guest()
{
	local disk chunk lba name i

	rebind "$STRIPED" new_id
	disk=$(disk_of lab1 11)
	chunk=$(($(cat "/sys/block/$disk/queue/chunk_sectors") * 512))
	lba=$(cat "/sys/block/$disk/queue/logical_block_size")
	check "the kernel knows a boundary" [ "$chunk" -gt 4096 ]
	attached live "$NVMETOOL" pattern -A --json -d "$disk"
	attached recorded "$NVMETOOL" record -w "$OUT/run.nvt"
	# From the middle of one piece to the middle of the next: two commands each.
	fio_load split --filename="/dev/$disk" --rw=read --bs="$chunk" --offset="$((chunk / 2))" --size="$((chunk * 8))"
	for i in 1 2 3; do
		across "$i" 2>/dev/null
	done
	drained
	for name in live recorded; do
		detach "$name"
		check_eq "$name ends well" "$status" 0
	done
	"$NVMETOOL" pattern -i "$OUT/run.nvt" -A --json -d "$disk" >"$OUT/replay.out"
	echo "$chunk" >"$OUT/chunk"
	fio_count split read >"$OUT/reads"
	rebind "${STRIPED:0:9}" remove_id
	check_eq "without, there is none" "$(cat "/sys/block/$(disk_of lab1 11)/queue/chunk_sectors")" 0
}

# reads FILE: of the reads' row
reads()
{
	jq -c 'select(.type == "pattern") | [.count, .crossing, .limits.noiob]' "$1"
}

host()
{
	local n

	n=$(($(cat "$OUT/reads") * 2 + 3))
	check_eq "the boundary, and who crosses it" "$(reads "$OUT/live.out")" \
		"[$n,3,{\"bytes\":$(cat "$OUT/chunk"),\"checked\":$n,\"off\":3}]"
	check_eq "the recording says the same" "$(reads "$OUT/replay.out")" "$(reads "$OUT/live.out")"
	check "nothing was lost" nothing_lost "$OUT/live.out"
}
