# SPDX-License-Identifier: GPL-2.0-or-later
# report names who has the drive: a neighbour on another namespace, a backup beside commits, a check of a mirror,
# swap, and a cgroup with more weight.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

. "$VM/lib/causes.sh"

topology=causes
kernels='6.1 6.18 sid'
plan=25
seconds=130

CAUSES='neighbour_namespace backup resync weights swap'

stage_neighbour_namespace()
{
	share 40000000 1 2
	begins "$one" reads postgres "$one" 12
	at 4
	load restore "$two" --rw=write --bs=512k --ioengine=libaio --iodepth=8 --runtime=5
	wait $!
	limit 1 0 0
	limit 2 0 0
}

prepare_backup()
{
	mkdir -p "$FILES/data"
	dd if=/dev/zero of="$FILES/data/file" bs=1M count=100 status=none
}

stage_backup()
{
	limit 3 6000000 0
	begins "$files" commits 12
	at 4
	marked from
	timeout 5 tar -C "$FILES" -cf - data | cat >/dev/null || true
	marked to
	wait $!
}

clean_backup()
{
	rm -r "$FILES/data"
	limit 3 0 0
}

prepare_resync()
{
	modprobe raid1
	mdadm --build /dev/md0 --level=1 --raid-devices=2 --assume-clean "/dev/$one" "/dev/$mirror"
	echo 100000 >/sys/block/md0/md/sync_speed_min
	echo 500000 >/sys/block/md0/md/sync_speed_max
	limit 1 15000000 0
}

stage_resync()
{
	begins md0 reads postgres md0 14
	at 4
	marked from
	echo repair >/sys/block/md0/md/sync_action
	until [ "$(cat /sys/block/md0/md/sync_action)" = idle ]; do
		sleep 0.1
	done
	marked to
	wait $!
}

clean_resync()
{
	limit 1 0 0
	mdadm --stop /dev/md0
}

prepare_weights()
{
	local group=/sys/fs/cgroup

	sched bfq "$one"
	echo +io >"$group/cgroup.subtree_control"
	mkdir -p "$group/light" "$group/heavy"
	echo 10 >"$group/light/io.bfq.weight"
	echo 500 >"$group/heavy/io.bfq.weight"
	limit 1 0 400
}

stage_weights()
{
	(echo "$BASHPID" >/sys/fs/cgroup/heavy/cgroup.procs && weighed heavy) &
	(echo "$BASHPID" >/sys/fs/cgroup/light/cgroup.procs && weighed light)
	wait $!
}

weighed()
{
	load "$1" "$one" --rw=randread --bs=4k --ioengine=libaio --iodepth=32 --runtime=8
}

clean_weights()
{
	limit 1 0 0
	sched none "$one"
}

# All but 120 MB of the memory is taken away, then awk wants 300 MB
prepare_swap()
{
	mkswap "/dev/$swap" 262144 >/dev/null
	awk '/^MemAvailable/ { print int(($2 - 120 * 1024) / 2048) }' /proc/meminfo >/proc/sys/vm/nr_hugepages
	swapon "/dev/$swap"
	limit 4 8000000 0
}

stage_swap()
{
	local load out hog

	begins "$swap" reads postgres "$swap" 16 --offset=256M
	load=$!
	out=$(swapped)
	at 4
	timeout 10 awk 'BEGIN {
		line = sprintf("%4000d", 0)
		for (i = 0; i < 75000; i++)
			a[i] = line i
		for (;;)
			s += length(a[int(rand() * 75000)])
	}' &
	hog=$!
	until [ "$(swapped)" != "$out" ]; do
		sleep 0.05
	done
	marked from
	wait "$hog" || true
	marked to
	wait "$load"
}

# How many pages were written to swap
swapped()
{
	awk '$1 == "pswpout" { print $2 }' /proc/vmstat
}

clean_swap()
{
	limit 4 0 0
	swapoff "/dev/$swap"
	echo 0 >/proc/sys/vm/nr_hugepages
}
