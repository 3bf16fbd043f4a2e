# SPDX-License-Identifier: GPL-2.0-or-later
# --by syncer: each flush is of the process that is inside fsync() or its like meanwhile, though a journal or a log sends it: as
# many as strace counts of calls. On ext4 and XFS, on a partition, a mirror and a volume on it; sync(1) and what nobody
# waits for.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=files
kernels='*'
plan=10
seconds=60

export DM_DISABLE_UDEV=1 # nothing runs in the guest that would answer
STACKS='part volume'

guest()
{
	local one two stack device

	one=/dev/$(disk_of lab0 1) two=/dev/$(disk_of lab1 11)
	modprobe -a ext4 xfs raid1 dm_mod
	for stack in $STACKS; do
		"build_$stack"
		mkdir -p "/tmp/$stack"
		mount "$device" "/tmp/$stack"
		attached "$stack" "$NVMETOOL" latency --json --by syncer,dev,opcode -O flush
		called "$stack" fio fio --name=w --directory="/tmp/$stack" --rw=write --bs=4k --size=200k --ioengine=psync --fsync=1 \
			--output=/dev/null
		called "$stack" sqlite3 sqlite3 "/tmp/$stack/db" "$(statements)"
		drained
		detach "$stack"
		check_eq "$stack: ends well" "$status" 0
		umount "/tmp/$stack"
		delpart "$one" 1 2>/dev/null || true
		dmsetup remove --force "$stack" 2>/dev/null || true
	done
	mdadm --stop /dev/md0
}

# ext4 on a partition that does not begin with the disk
build_part()
{
	addpart "$one" 1 2048 1000000
	device=${one}p1
	mkfs.ext4 -q -F "$device"
}

# XFS on a volume of a mirror
build_volume()
{
	mdadm --build /dev/md0 --level=1 --raid-devices=2 --assume-clean "$one" "$two"
	dmsetup create volume --table "0 $(blockdev --getsz /dev/md0) linear /dev/md0 0"
	device=/dev/mapper/volume
	mkfs.xfs -q -f "$device"
}

# Two ways to write a journal
statements()
{
	echo "create table t (n);"
	printf 'insert into t values (%s);\n' {1..10}
	echo "pragma journal_mode = wal; pragma synchronous = full;"
	printf 'insert into t values (%s);\n' {1..10}
}

# called STACK NAME COMMAND...: runs it, and counts its calls
called()
{
	strace -f -c -o "$OUT/$1.$2.calls" -e trace=fsync,fdatasync "${@:3}" >/dev/null
}

# calls STACK NAME
calls()
{
	awk '$NF == "fsync" || $NF == "fdatasync" { n += $4 } END { print n + 0 }' "$OUT/$1.$2.calls"
}

host()
{
	local stack name disks i

	for stack in $STACKS; do
		disks=1
		[ "$stack" != volume ] || disks=2
		for name in fio sqlite3; do
			check "$stack: $name calls" test "$(calls "$stack" "$name")" -gt 10
			check_eq "$stack: flushes of $name, on each disk" \
				"$(jq -rs "map(select(.type == \"latency\" and .syncer == \"$name\") | .count) | sort | join(\" \")" "$OUT/$stack.out")" \
				"$(for ((i = 0; i < disks; i++)); do calls "$stack" "$name"; done | xargs)"
		done
	done
}
