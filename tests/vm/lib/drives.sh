# SPDX-License-Identifier: GPL-2.0-or-later
# Guest side: finds the drives of the topology under the names this kernel gave them. Builtins only where it
# matters: starting a process takes some 30 ms in a guest.
# shellcheck shell=bash

# first_word FILE: into $word; empty when it cannot be read
first_word()
{
	word=''
	{ read -r word _ <"$1"; } 2>/dev/null || true
}

# find_ctrl ID: sets $ctrl (nvme0). Controllers of one subsystem have one serial number and differ in their CNTLID.
find_ctrl()
{
	local id serial cntlid word dir

	while read -r id serial cntlid; do
		[ "$id" != "$1" ] || break
	done <<<"$CTRLS"
	ctrl=''
	[ "$id" = "$1" ] || return
	for dir in /sys/class/nvme/nvme*; do
		ctrl=${dir##*/}
		first_word "$dir/serial"
		[ "$word" = "$serial" ] || continue
		first_word "$dir/cntlid"
		[ "$word" != "$cntlid" ] || return 0
	done
	ctrl=''
	return 1
}

# find_path ID NSID: sets $path, the controller's own block device: nvme0n1, or nvme0c0n1 under multipath (hidden);
# and $disk, the one to open: nvme0n1, under multipath the head
find_path()
{
	local ctrl word dir

	path='' disk=''
	find_ctrl "$1" || return
	for dir in "/sys/class/nvme/$ctrl"/nvme*n*; do
		first_word "$dir/nsid"
		[ "$word" = "$2" ] || continue
		path=${dir##*/}
		disk=${path/c*n/n}
		return 0
	done
	return 1
}

# The same, printed: ctrl_of ID, path_of ID NSID, disk_of ID NSID
ctrl_of()
{
	local ctrl

	find_ctrl "$1" && echo "$ctrl"
}

path_of()
{
	local path disk

	find_path "$@" && echo "$path"
}

disk_of()
{
	local path disk

	find_path "$@" && echo "$disk"
}

# drive_wait ID NSID: until the kernel has found it; udev, which would tell, does not run here
drive_wait()
{
	local tries=0 path disk

	until find_path "$1" "$2" && [ -b "/dev/$disk" ]; do
		tries=$((tries + 1))
		if [ "$tries" -gt 300 ]; then
			echo "namespace $2 of $1 did not appear" >&2
			return 1
		fi
		sleep 0.05
	done
}

# sched NAME DISK...: sets the I/O scheduler of block devices; multipath heads have none, their paths do
sched()
{
	local name=$1 disk

	shift
	[ "$name" = none ] || modprobe -q "$name-iosched" || true
	for disk; do
		echo "$name" >"/sys/block/$disk/queue/scheduler"
	done
}

# Waits for every namespace of the topology, sets its scheduler on all its paths, and prints a line
# "ID NSID CTRL PATH DISK BACKEND" per path. BACKEND is QEMU's name of what holds the data, one for all paths of a
# shared namespace.
drives_up()
{
	local id nsid name

	while read -r id nsid name; do
		[ -z "$id" ] || drive_wait "$id" "$nsid" || return
	done <<<"$DISKS"
	while read -r id _; do
		[ -z "$id" ] || drives_of "$id"
	done <<<"$CTRLS"
}

# drives_of ID: the part of drives_up for one controller
drives_of()
{
	local id nsid name backend ctrl dir word

	find_ctrl "$1" || return
	for dir in "/sys/class/nvme/$ctrl"/nvme*n*; do
		first_word "$dir/nsid"
		[ -n "$word" ] || continue
		while read -r id nsid name; do
			[ "$nsid" = "$word" ] || continue
			backend="$id"n$nsid
			sched "$name" "${dir##*/}"
			[ "$id" != "$1" ] || break
		done <<<"$DISKS"
		dir=${dir##*/}
		echo "$1 $word $ctrl $dir ${dir/c*n/n} $backend"
	done
}
