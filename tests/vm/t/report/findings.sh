# SPDX-License-Identifier: GPL-2.0-or-later
# report: causes that are staged, each of which has to be the first or second finding; and loads without a cause, of which none
# may be said to stand out.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

. "$VM/lib/causes.sh"

topology=findings
kernels='6.1 6.18 sid'
plan=115
seconds=220

SECONDS_EACH=4

CAUSES='noisy stall queue fsync media reset admin offset namespace buffered discard cpu
	reads writes mixed sequential deep batches both trickle busy streams full'

guest()
{
	local one two bad plain cause=warm

	one=$(disk_of lab0 1) two=$(disk_of lab0 2) bad=$(disk_of lab0 3) plain=$(disk_of lab0 5)
	mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 "/dev/$plain"
	echo +io +memory >/sys/fs/cgroup/cgroup.subtree_control
	steady warm "$one" --runtime=1
	for cause in $CAUSES; do
		staged
	done
}

# steady NAME DISK ARG...: small reads at a rate, for some seconds
steady()
{
	load "$1" "$2" --rw=randread --bs=4k --ioengine=psync --rate_iops=150 --runtime="$SECONDS_EACH" "${@:3}"
}

# half DISK: waits until steady() has sent half of its commands to it
half()
{
	local from

	from=$(reads_of "$1")
	until [ $(($(reads_of "$1") - from)) -ge $((150 * SECONDS_EACH / 2)) ]; do
		sleep 0.02
	done
}

reads_of()
{
	awk '{ print $1 }' "/sys/block/$1/stat"
}

stage_noisy()
{
	limit 1 30000000 0
	steady victim "$one" &
	half "$one"
	load noisy "$one" --rw=read --bs=512k --ioengine=libaio --iodepth=4 --runtime=2
	wait $!
	limit 1 0 0
}

stage_stall()
{
	local load

	steady reader "$one" --runtime=8 &
	load=$!
	while kill -0 "$load"; do
		limit 1 0 1
		sleep 0.3
		limit 1 0 0
		sleep 1.2
	done
	wait "$load"
}

# 24 tasks, 4 tags
stage_queue()
{
	local depth

	sched mq-deadline "$one"
	depth=$(cat "/sys/block/$one/queue/nr_requests")
	echo 4 >"/sys/block/$one/queue/nr_requests"
	steady tasks "$one" --thread --numjobs=24 --rate_iops=0 --runtime=1
	echo "$depth" >"/sys/block/$one/queue/nr_requests"
	sched none "$one"
}

stage_fsync()
{
	load syncs "$plain" --rw=write --bs=4k --offset=128M --ioengine=psync --fsync=1 --runtime=1
}

stage_media()
{
	local i

	steady reader "$one" --runtime=2 &
	for i in 1 2 3 4; do
		! dd if="/dev/$bad" of=/dev/null bs=4k skip=125 count=1 iflag=direct status=none
	done
	wait $!
}

stage_reset()
{
	steady reader "$one" &
	half "$one"
	echo 1 >/sys/class/nvme/nvme0/reset_controller
	wait $!
}

# Four at a time: QEMU answers one within 0.4 ms, and nvme-cli takes 80 ms to start
stage_admin()
{
	local load loops='' n

	steady reader "$one" --rate_iops=0 --ioengine=io_uring --iodepth=2 --runtime=8 &
	load=$!
	for n in 1 2 3 4; do
		ask_while "$load" &
		loops+=" $!"
	done
	# shellcheck disable=SC2086 # process IDs
	wait "$load" $loops
}

# ask_while PID: for a log page, again and again, as long as that process runs
ask_while()
{
	while kill -0 "$1"; do
		nvme get-log "/dev/nvme0" --log-id=2 --log-len=512 --rae >/dev/null
	done
}

stage_offset()
{
	steady reader "$one" --offset=512 --rw=randrw --runtime=2
}

stage_namespace()
{
	limit 2 0 80
	steady first "$one" &
	steady second "$two"
	wait $!
	limit 2 0 0
}

# Written back within a tenth of a second
stage_buffered()
{
	echo 10 >/proc/sys/vm/dirty_writeback_centisecs
	echo 10 >/proc/sys/vm/dirty_expire_centisecs
	mkdir -p /sys/fs/cgroup/writer.slice /run/plain
	modprobe ext4
	mount "/dev/$plain" /run/plain
	bash -c 'echo $$ >/sys/fs/cgroup/writer.slice/cgroup.procs && dd if=/dev/zero of=/run/plain/file bs=64k count=1000 status=none'
	until awk '/^Dirty:/ { exit $2 > 100 }' /proc/meminfo; do
		sleep 0.1
	done
	umount /run/plain
}

stage_discard()
{
	steady reader "$one" --runtime=2 &
	blkdiscard --offset 64M --length 64M --step 512k "/dev/$plain"
	wait $!
}

# A task of real time keeps the thread of CPU 1's queue from running for 12 of 16 ms. The reader comes before both, so that it
# reads at any time.
stage_cpu()
{
	local hog

	chrt --fifo 90 taskset -c 1 bash -c 'exec 3<> <(:)
		while :; do
			until=$((${EPOCHREALTIME/./} + 12000))
			while ((${EPOCHREALTIME/./} < until)); do :; done
			read -rt 0.004 -u 3
		done' &
	hog=$!
	steady zero "$one" --cpus_allowed=0 --runtime=6 &
	(chrt --fifo --pid 95 "$BASHPID" && steady one "$one" --cpus_allowed=1 --runtime=6)
	wait $!
	kill "$hog"
}

# More and more in flight is its own wish
stage_full()
{
	local depth

	limit 1 0 200
	for depth in 1 2 4 8 16 32; do
		load deeper "$one" --rw=randread --bs=4k --ioengine=libaio --iodepth="$depth" --runtime=1
	done
	limit 1 0 0
}

stage_reads()
{
	steady reads "$one"
}

stage_writes()
{
	steady writes "$one" --rw=randwrite
}

stage_mixed()
{
	steady mixed "$two" --rw=randrw --bsrange=4k-64k
}

stage_sequential()
{
	steady sequential "$two" --rw=read --bs=64k
}

stage_deep()
{
	steady deep "$one" --ioengine=libaio --iodepth=8 --rate_iops=600
}

stage_batches()
{
	steady batches "$two" --ioengine=libaio --iodepth=8 --iodepth_batch=8 --rate_iops=200
}

stage_both()
{
	steady both1 "$one" --rw=randrw &
	steady both2 "$two" --rw=randrw
	wait $!
}

stage_trickle()
{
	steady trickle "$one" --rate_iops=20
}

stage_busy()
{
	steady busy "$one" --thread --numjobs=4 --rate_iops=0 --runtime=2
}

stage_streams()
{
	steady streams1 "$one" --rw=write --bs=128k --rate_iops=40 &
	steady streams2 "$one" --rw=read --bs=16k --rate_iops=100
	wait $!
}
