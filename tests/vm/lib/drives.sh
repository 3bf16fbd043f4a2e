# SPDX-License-Identifier: GPL-2.0-or-later
# Guest side: finds the drives of the topology under the names this kernel gave them.
# shellcheck shell=bash

# ctrl_of ID: nvme0. Controllers of one subsystem have one serial number and differ in their CNTLID.
ctrl_of()
{
	local want dir

	want=$(awk -v id="$1" '$1 == id { print $2, $3 }' <<<"$CTRLS")
	for dir in /sys/class/nvme/nvme*; do
		if [ "$(cat "$dir/serial" "$dir/cntlid" | xargs)" = "$want" ]; then
			echo "${dir##*/}"
			return
		fi
	done
	return 1
}

# path_of ID NSID: the controller's own block device, nvme0n1 or, under multipath, the hidden nvme0c0n1
path_of()
{
	local dir ctrl

	ctrl=$(ctrl_of "$1") || return
	for dir in "/sys/class/nvme/$ctrl"/nvme*n*; do
		if [ "$(cat "$dir/nsid" 2>/dev/null)" = "$2" ]; then
			echo "${dir##*/}"
			return
		fi
	done
	return 1
}

# disk_of ID NSID: the device to open, nvme0n1; under multipath the head
disk_of()
{
	path_of "$1" "$2" | sed 's/c[0-9]*n/n/'
}

# drive_wait ID NSID: until the kernel has found it; udev, which would tell, does not run here
drive_wait()
{
	local tries=0

	until [ -b "/dev/$(disk_of "$1" "$2")" ]; do
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

# Waits for every namespace of the topology and sets its scheduler, on all its paths.
drives_up()
{
	local id nsid name

	while read -r id nsid _; do
		[ -z "$id" ] || drive_wait "$id" "$nsid" || return
	done <<<"$DISKS"
	while read -r id nsid name; do
		[ -z "$id" ] || sched "$name" $(drives_list | awk -v b="${id}n$nsid" '$6 == b { print $4 }')
	done <<<"$DISKS"
}

# Prints "ID NSID CTRL PATH DISK BACKEND" of each path to each namespace; BACKEND is QEMU's name of what holds the
# data, one for all paths of a shared namespace.
drives_list()
{
	local id dir nsid backend path

	while read -r id _; do
		for dir in "/sys/class/nvme/$(ctrl_of "$id")"/nvme*n*; do
			[ -e "$dir/nsid" ] || continue
			path=${dir##*/}
			nsid=$(cat "$dir/nsid")
			backend=$(awk -v i="$id" -v n="$nsid" \
				'$2 == n && ($1 == i || b == "") { b = $1 "n" n } END { print b }' <<<"$DISKS")
			echo "$id $nsid $(ctrl_of "$id") $path $(sed 's/c[0-9]*n/n/' <<<"$path") $backend"
		done
	done <<<"$CTRLS"
}
