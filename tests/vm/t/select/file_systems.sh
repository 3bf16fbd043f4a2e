# SPDX-License-Identifier: GPL-2.0-or-later
# -d of a mount point: all devices of its file system, of a btrfs on two drives, and of an XFS that has its log on another
# one; and what is written there is seen on both.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=files
kernels='*'
plan=8
seconds=30

guest()
{
	local one two

	one=$(disk_of lab0 1) two=$(disk_of lab1 11)
	mkdir -p /tmp/fs
	modprobe -a btrfs xfs
	mkfs.btrfs -q -f -d raid0 -m raid1 "/dev/$one" "/dev/$two"
	mount -o "device=/dev/$two" "/dev/$one" /tmp/fs
	written btrfs
	umount /tmp/fs
	mkfs.xfs -q -f -l "logdev=/dev/$two,size=64m" "/dev/$one"
	mount -o "logdev=/dev/$two" "/dev/$one" /tmp/fs
	written xfs
	umount /tmp/fs
}

# written NAME: writes a file there, while -d watches the mount point
written()
{
	attached "$1" "$NVMETOOL" latency --json --by dev,opcode -O write -d /tmp/fs
	fio_load "$1.fio" --filename=/tmp/fs/file --rw=write --bs=64k --size=8M --fsync=16
	sync -f /tmp/fs
	drained
	detach "$1"
	check_eq "$1: ends well" "$status" 0
	check_eq "$1: the note names both" "$(grep -c "^nvmetool: -d /tmp/fs: $one $two\$" "$OUT/$1.err")" 1
	check_eq "$1: both are seen" "$(jq -r 'select(.type == "latency").dev' "$OUT/$1.out" | sort -V | xargs)" \
		"$(printf '%s\n' "$one" "$two" | sort -V | xargs)"
}

host()
{
	local name

	for name in btrfs xfs; do
		check "$name: the data is among what was written" [ "$(jq -s 'map(select(.type == "latency").bytes) | add' "$OUT/$name.out")" \
			-ge $((8 << 20)) ]
	done
}
