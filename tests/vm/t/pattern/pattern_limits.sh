# SPDX-License-Identifier: GPL-2.0-or-later
# pattern -A on a namespace that announces limits: NVMe/TCP to this very machine, on an emulated SCSI disk of 4 KiB
# blocks with a physical block of 16 KiB. One tool is there before the controller, and one before another disk, with other
# limits, has given it its name.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=one
plan=14
seconds=17

. "$VM/lib/account.sh"
. "$VM/lib/fabrics.sh"

# connect EXPONENT: makes /dev/sdX, of 2^EXPONENT blocks in a physical one, a namespace of subsystem "limits" and connects to
# it; sets $disk.
connect()
{
	ip link set lo up
	target_up limits "/dev/$(scsi_disk sector_size=4096 physblk_exp="$1" dev_size_mb=64)"
	target_connect limits
	disk=$(target_disk)
}

disconnect()
{
	nvme disconnect -n limits
	target_down limits
	modprobe -r scsi_debug
}

# load NAME ARGS...
load()
{
	fio_load "$1" --filename="/dev/$disk" --ioengine=psync --size=32m "${@:2}"
}

queue()
{
	cat "/sys/block/$disk/queue/$1"
}

guest()
{
	local disk name other

	connect 3
	other=$disk
	attached swapped "$NVMETOOL" pattern -A --json --comm 'fio*'
	disconnect
	attached early "$NVMETOOL" pattern -A --json --comm 'fio*'
	connect 2
	check_eq "another disk has the name" "$disk" "$other"
	attached late "$NVMETOOL" pattern -A --json --comm 'fio*' -d "$disk"
	attached recorded "$NVMETOOL" record -w "$OUT/run.nvt" --comm 'fio*'
	load shifted --rw=write --bs=16k --offset=4k --number_ios=200
	load aligned --rw=write --bs=16k --number_ios=200
	load small --rw=randread --bs=4k --number_ios=100
	for name in swapped early late recorded; do
		detach "$name"
		check_eq "$name ends well" "$status" 0
	done
	"$NVMETOOL" pattern -i "$OUT/run.nvt" -A --json >"$OUT/replay.out"
	echo "$disk" >"$OUT/disk"
	jq -n '$ARGS.positional | map(tonumber)' --args "$(queue logical_block_size)" "$(queue physical_block_size)" \
		"$(queue minimum_io_size)" "$(queue optimal_io_size)" "$(queue chunk_sectors)" >"$OUT/queue"
	disconnect
}

# row FILE: the record of that disk
row()
{
	jq -c --arg dev "$(cat "$OUT/disk")" 'select(.type == "pattern" and .dev == $dev) | del(.ts, .time_ns, .interval_ns)' "$1"
}

host()
{
	local late

	late=$(row "$OUT/late.out")
	check_eq "the kernel shows limits" "$(jq -c '.[0:3]' "$OUT/queue")" '[4096,16384,16384]'
	check_eq "limits are those of sysfs" "$(jq -c '.limits | [.lba, .physical, .npwg, .nows | .bytes]' <<<"$late")" \
		"$(jq -c '.[0:4]' "$OUT/queue")"
	check_eq "what lies within a physical block" "$(jq -c '[.count, .unaligned, .unaligned_pct]' <<<"$late")" \
		'[500,300,60]'
	check_eq "physical blocks, of all" "$(jq -c '.limits.physical | [.checked, .off]' <<<"$late")" '[500,300]'
	check_eq "preferred granularity, of writes" "$(jq -c '.limits.npwg | [.checked, .off]' <<<"$late")" '[400,200]'
	check_eq "optimal size, of writes" "$(jq -c '.limits.nows | [.checked, .off]' <<<"$late")" '[400,400]'
	check_eq "a controller that came later is looked up" "$(row "$OUT/early.out")" "$late"
	check_eq "one that took another's name, too" "$(row "$OUT/swapped.out")" "$late"
	check_eq "the recording says the same" "$(row "$OUT/replay.out")" "$late"
}
