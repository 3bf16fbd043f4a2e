# SPDX-License-Identifier: GPL-2.0-or-later
# Guest side: finds the drives of the topology under the names this kernel gave them.
# shellcheck shell=bash

# ctrl_of SERIAL: nvme0
ctrl_of()
{
	local dir

	for dir in /sys/class/nvme/nvme*; do
		if [ "$(xargs <"$dir/serial")" = "$1" ]; then
			echo "${dir##*/}"
			return
		fi
	done
	return 1
}

# path_of SERIAL NSID: the controller's own block device, nvme0n1 or, under multipath, the hidden nvme0c0n1
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

# disk_of SERIAL NSID: the device to open, nvme0n1; under multipath the head
disk_of()
{
	path_of "$1" "$2" | sed 's/c[0-9]*n/n/'
}

# drive_wait SERIAL NSID: until the kernel has found it; udev, which would tell, does not run here
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

# Waits for every namespace of the topology, sets its scheduler and prints "SERIAL NSID CTRL DISK" for each.
drives_up()
{
	local serial nsid sched disk

	while read -r serial nsid sched; do
		[ -n "$serial" ] || continue
		drive_wait "$serial" "$nsid" || return
		disk=$(disk_of "$serial" "$nsid")
		[ "$sched" = none ] || modprobe -q "$sched-iosched" "$sched" || true
		echo "$sched" >"/sys/block/$disk/queue/scheduler" || return
		echo "$serial $nsid $(ctrl_of "$serial") $disk"
	done <<<"$DISKS"
}
