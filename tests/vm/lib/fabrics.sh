# SPDX-License-Identifier: GPL-2.0-or-later
# NVMe/TCP to this very machine; a test that wants it reads this file.
# shellcheck shell=bash

TARGET=/sys/kernel/config/nvmet

# scsi_disk [PARAMETER=VALUE...]: an emulated SCSI disk to export, so that no other NVMe command runs; prints its name
scsi_disk()
{
	local disk

	modprobe sd_mod
	modprobe scsi_debug "$@"
	until disk=$(basename /sys/bus/pseudo/drivers/scsi_debug/adapter0/host*/target*/*/block/sd*) && [ -b "/dev/$disk" ]; do
		read -rt 0.05 _ <><(:) || true
	done
	echo "$disk"
}

# scsi_disk_slow: from now on each command takes nearly a second, the most that the driver takes in ns; it refuses
# a change as long as a command is under way
scsi_disk_slow()
{
	until (echo 999999999 >/sys/bus/pseudo/drivers/scsi_debug/ndelay) 2>/dev/null; do
		read -rt 0.05 _ <><(:) || true
	done
}

# target_up NAME DEVICE [BYTES]: block device DEVICE becomes namespace 1 of subsystem NAME, on port 4420; data of writes
# goes along with the command up to BYTES, else 16 KiB
target_up()
{
	target_port "${3-}"
	target_subsystem "$1" "$2"
	target_shown "$1"
}

# target_port [BYTES]: port 4420 of this machine, without a subsystem
target_port()
{
	local port=$TARGET/ports/1

	modprobe nvmet_tcp
	modprobe nvme_tcp
	mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config
	mkdir "$port"
	echo tcp >"$port/addr_trtype"
	echo ipv4 >"$port/addr_adrfam"
	echo 127.0.0.1 >"$port/addr_traddr"
	echo 4420 >"$port/addr_trsvcid"
	[ -z "$1" ] || echo "$1" >"$port/param_inline_data_size"
}

# target_subsystem NAME DEVICE: DEVICE as namespace 1 of it
target_subsystem()
{
	local subsystem=$TARGET/subsystems/$1

	mkdir "$subsystem" "$subsystem/namespaces/1"
	echo 1 >"$subsystem/attr_allow_any_host"
	echo -n "$2" >"$subsystem/namespaces/1/device_path"
	echo 1 >"$subsystem/namespaces/1/enable"
}

# target_shown NAME: the port takes connections to it; target_gone is the opposite
target_shown()
{
	ln -s "$TARGET/subsystems/$1" "$TARGET/ports/1/subsystems/$1"
}

# target_connect NAME [OPTION...]: returns once its disk is there
target_connect()
{
	nvme connect -t tcp -a 127.0.0.1 -s 4420 -n "$@"
	until target_disk >/dev/null; do
		read -rt 0.05 _ <><(:) || true
	done
}

# target_ctrl: the controller whose transport is TCP
target_ctrl()
{
	local ctrl

	for ctrl in /sys/class/nvme/nvme*; do
		[ "$(cat "$ctrl/transport")" != tcp ] || { echo "${ctrl##*/}" && return; }
	done
	return 1
}

# target_disk: its block device; under multipath that is the head
target_disk()
{
	local ctrl path

	ctrl=$(target_ctrl) || return
	for path in "/sys/class/nvme/$ctrl"/nvme*n1; do
		path=${path##*/}
		[ -b "/dev/${path/c*n/n}" ] && echo "${path/c*n/n}" && return
	done
	return 1
}

# target_gone NAME: the target breaks its connections and takes no new ones
target_gone()
{
	rm -f "$TARGET/ports/1/subsystems/$1"
}

# target_down NAME: after nvme disconnect
target_down()
{
	target_gone "$1"
	rmdir "$TARGET/ports/1" "$TARGET/subsystems/$1/namespaces/1" "$TARGET/subsystems/$1"
	modprobe -r nvme_tcp nvmet_tcp
}
