# SPDX-License-Identifier: GPL-2.0-or-later
# pattern -A on a namespace that announces limits: NVMe/TCP to this very machine, on an emulated SCSI disk of 4 KiB
# blocks with a physical block of 16 KiB. One tool is there before the controller.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=one
kernels='6.1 6.12'
plan=11
limit=180

. "$VM/lib/account.sh"

TARGET=/sys/kernel/config/nvmet

# Makes /dev/sdX a namespace of subsystem "limits" and connects to it; sets $disk.
connect()
{
	local scsi

	modprobe sd_mod
	modprobe scsi_debug sector_size=4096 physblk_exp=2 dev_size_mb=64
	modprobe nvmet_tcp
	modprobe nvme_tcp
	ip link set lo up
	until scsi=$(basename /sys/bus/pseudo/drivers/scsi_debug/adapter0/host*/target*/*/block/sd*) && [ -b "/dev/$scsi" ]; do
		read -rt 0.05 _ <><(:) || true
	done
	mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config
	mkdir "$TARGET/subsystems/limits" "$TARGET/subsystems/limits/namespaces/1" "$TARGET/ports/1"
	echo 1 >"$TARGET/subsystems/limits/attr_allow_any_host"
	echo -n "/dev/$scsi" >"$TARGET/subsystems/limits/namespaces/1/device_path"
	echo 1 >"$TARGET/subsystems/limits/namespaces/1/enable"
	echo tcp >"$TARGET/ports/1/addr_trtype"
	echo ipv4 >"$TARGET/ports/1/addr_adrfam"
	echo 127.0.0.1 >"$TARGET/ports/1/addr_traddr"
	echo 4420 >"$TARGET/ports/1/addr_trsvcid"
	ln -s "$TARGET/subsystems/limits" "$TARGET/ports/1/subsystems/limits"
	nvme connect -t tcp -a 127.0.0.1 -s 4420 -n limits
	until disk=$(head_of_tcp); do
		read -rt 0.05 _ <><(:) || true
	done
}

# The block device whose controller's transport is TCP.
head_of_tcp()
{
	local ctrl path

	for ctrl in /sys/class/nvme/nvme*; do
		[ "$(cat "$ctrl/transport")" = tcp ] || continue
		for path in "$ctrl"/nvme*n1; do
			path=${path##*/}
			[ -b "/dev/${path/c*n/n}" ] && echo "${path/c*n/n}" && return
		done
	done
	return 1
}

disconnect()
{
	nvme disconnect -n limits
	rm "$TARGET/ports/1/subsystems/limits"
	rmdir "$TARGET/ports/1" "$TARGET/subsystems/limits/namespaces/1" "$TARGET/subsystems/limits"
	modprobe -r nvme_tcp nvmet_tcp scsi_debug
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
	local disk name

	attached early "$NVMETOOL" pattern -A --json --comm 'fio*'
	connect
	attached late "$NVMETOOL" pattern -A --json --comm 'fio*' -d "$disk"
	attached recorded "$NVMETOOL" record -w "$OUT/run.nvt" --comm 'fio*'
	load shifted --rw=write --bs=16k --offset=4k --number_ios=200
	load aligned --rw=write --bs=16k --number_ios=200
	load small --rw=randread --bs=4k --number_ios=100
	for name in early late recorded; do
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
	jq -c --arg dev "$(cat "$OUT/disk")" 'select(.type == "pattern" and .dev == $dev) | del(.ts, .interval_ns)' "$1"
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
	check_eq "the recording says the same" "$(row "$OUT/replay.out")" "$late"
}
