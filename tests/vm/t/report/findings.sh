# SPDX-License-Identifier: GPL-2.0-or-later
# report: causes that are staged, each of which has to be the first or second finding; and loads without a cause, of which none
# may be said to stand out.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=findings
kernels='6.1 6.18 sid'
plan=24
seconds=170

SECONDS_EACH=4

# The cause, and the kind of finding that names it
CAUSES=(
	'noisy latency-step' 'limit latency-step' 'stall stall' 'queue queue-wait' 'fsync flush-load' 'media errors' 'reset resets'
	'admin admin-overlap' 'offset misaligned' 'namespace uneven' 'buffered writeback' 'discard discards' 'cpu uneven'
	'full saturation'
)
CLEAN=(reads writes mixed sequential deep batches both trickle busy streams)

guest()
{
	local one two bad plain cause

	one=$(disk_of lab0 1) two=$(disk_of lab0 2) bad=$(disk_of lab0 3) plain=$(disk_of lab0 5)
	mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 "/dev/$plain"
	echo +io +memory >/sys/fs/cgroup/cgroup.subtree_control
	steady warm "$one" --runtime=1
	for cause in "${CAUSES[@]}"; do
		recorded "${cause% *}"
	done
	for cause in "${CLEAN[@]}"; do
		recorded "$cause"
	done
}

# recorded CAUSE: a recording of function stage_CAUSE
recorded()
{
	attached recorder "$NVMETOOL" record -Q --timeouts --keys owner,sched -w "$OUT/$1.nvt"
	"stage_$1"
	drained
	detach recorder
}

# steady NAME DISK ARG...: small reads at a rate, for some seconds
steady()
{
	fio_load "$1" --filename="/dev/$2" --rw=randread --bs=4k --size=256M --ioengine=psync --rate_iops=150 --time_based \
		--runtime="$SECONDS_EACH" --randrepeat=0 "${@:3}"
}

# throttle NSID BYTES COMMANDS: a second; 0: as many as come
throttle()
{
	monitor "block_set_io_throttle lab0n$1 $2 0 0 $3 0 0"
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
	throttle 1 30000000 0
	steady victim "$one" &
	half "$one"
	fio_load noisy --filename="/dev/$one" --rw=read --bs=512k --size=256M --ioengine=libaio --iodepth=4 --time_based --runtime=2
	wait $!
	throttle 1 0 0
}

stage_limit()
{
	steady reader "$one" &
	half "$one"
	throttle 1 0 60
	wait $!
	throttle 1 0 0
}

stage_stall()
{
	local load

	steady reader "$one" --runtime=8 &
	load=$!
	while kill -0 "$load"; do
		throttle 1 0 1
		sleep 0.3
		throttle 1 0 0
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
	fio_load syncs --filename="/dev/$plain" --rw=write --bs=4k --offset=128M --size=64M --ioengine=psync --fsync=1 --time_based --runtime=1
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
	throttle 2 0 80
	steady first "$one" &
	steady second "$two"
	wait $!
	throttle 2 0 0
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

stage_full()
{
	local depth

	throttle 1 0 200
	for depth in 1 2 4 8 16 32; do
		fio_load "depth$depth" --filename="/dev/$one" --rw=randread --bs=4k --size=256M --ioengine=libaio --iodepth="$depth" \
			--time_based --runtime=1
	done
	throttle 1 0 0
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

# found NAME: the findings of its recording, "severity kind" each
found()
{
	"$NVMETOOL" report --json "$OUT/$1.nvt" >"$OUT/$1.json"
	jq -r 'select(.type == "finding") | "\(.severity) \(.kind)"' "$OUT/$1.json"
}

# said NAME KIND: is it the first or the second?
said()
{
	found "$1" | head -n 2 | cut -d ' ' -f 2 | grep -qx -e "$2"
}

# silent NAME: is there nothing of more than low severity?
silent()
{
	found "$1" >"$OUT/$1.kinds" && ! grep -E '^(high|medium) ' "$OUT/$1.kinds"
}

host()
{
	local cause

	for cause in "${CAUSES[@]}"; do
		check "${cause% *}: ${cause#* }" said "${cause% *}" "${cause#* }"
		"$NVMETOOL" report "$OUT/${cause% *}.nvt"
	done
	for cause in "${CLEAN[@]}"; do
		check "$cause: nothing stands out" silent "$cause"
		"$NVMETOOL" report "$OUT/$cause.nvt"
	done
}
