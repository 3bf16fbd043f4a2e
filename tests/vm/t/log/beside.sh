# SPDX-License-Identifier: GPL-2.0-or-later
# Beside busy disks of other drivers, with a scheduler and without one, each NVMe command has the process that submitted
# it, and no table fills up with queues of those disks.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=beside
kernels='* !5.10'
test='6.12'
plan=15
seconds=40

. "$VM/lib/account.sh"

JOBS=4
EACH=250 # reads of a job
TOOLS='btf raw entry'

# Waits for the disks of other drivers: scsi, virt.
others_there()
{
	modprobe -a virtio_scsi sd_mod virtio_blk
	until scsi=(/sys/block/sd*) && [ "${#scsi[@]}" -eq 8 ] && [ -e /dev/vda ]; do
		read -rt 0.05 _ <><(:) || true
	done
	scsi=("${scsi[@]##*/}")
}

# is_narrow DISK: it is at the host that takes a command at a time
is_narrow()
{
	[ "$(cat "/sys/block/$1/device/queue_depth")" = 1 ]
}

reads_done()
{
	awk '{ print $1 }' "/sys/block/$1/stat"
}

# A load on all other disks, by a program of another name; returns when each has read.
load_others()
{
	local disk files=''

	ln -s "$(command -v fio)" "$OUT/other"
	for disk in "${scsi[@]}" vda; do
		files+=" --name=$disk --filename=/dev/$disk"
		if [ "$disk" = vda ] || is_narrow "$disk"; then
			sched none "$disk"
		else
			sched mq-deadline "$disk"
		fi
	done
	# shellcheck disable=SC2086 # options
	"$OUT/other" --rw=randread --bs=4k --ioengine=libaio --iodepth=4 --iodepth_batch=4 --direct=1 --time_based \
		--runtime=600 --rate_iops=60 --thread --output="$OUT/others" $files &
	others=$!
	for disk in "${scsi[@]}" vda; do
		until [ "$(reads_done "$disk")" -gt 20 ]; do
			read -rt 0.05 _ <><(:) || true
		done
	done
}

guest()
{
	local scsi others disk plain name

	disk=$(disk_of lab0 1) plain=$(disk_of lab0 2)
	echo 2 >"/sys/block/$disk/queue/nomerges" # two reads that the scheduler merges are one command
	others_there
	load_others # first: its queues are the first that programs meet
	attached btf "$NVMETOOL" trace --json
	attached raw "$NVMETOOL" trace --json --attach raw_tp
	attached entry "$NVMETOOL" stacks --at queue --json
	mark "$disk" 701
	# One process, whose requests for three drivers wait in one plug and are inserted together.
	fio_load mixed --filename="/dev/vda:/dev/$plain:/dev/${scsi[0]}" --rw=randread --bs=4k --size=64M --ioengine=libaio \
		--iodepth=48 --iodepth_batch=24 --number_ios=300 &
	fio_load load --filename="/dev/$disk" --rw=randread --bs=4k --size=16M --offset_increment=16M --numjobs="$JOBS" \
		--ioengine=libaio --iodepth=8 --number_ios="$EACH"
	wait $!
	mark "$disk" 702
	drained
	check_eq "no bio of another disk is noted" "$(bpftool -j map dump name entries | jq '[.. | .key? // empty] | length')" 0
	kill "$others"
	wait "$others" || true
	for name in $TOOLS; do
		detach "$name"
		check_eq "$name ends well" "$status" 0
	done
}

# reads FILE NSID FORMAT: of each read of the namespace
reads()
{
	jq -r "select(.type == \"io\" and .op == \"read\" and .nsid == $2 and .bytes == 4096) | \"$3\"" "$1"
}

# submitters FILE: "COUNT JOB COMM WORKER" of the commands on each job's blocks, and the number of their processes
submitters()
{
	reads "$1" 1 '\(.slba / 32768 | floor) \(.comm) \(.worker)' | sort | uniq -c | awk '{ $1 = $1 } 1'
	reads "$1" 1 '\(.pid)' | sort -u | wc -l
}

host()
{
	local name job want

	drive_log 701 702
	want=$(for ((job = 0; job < JOBS; job++)); do echo "$EACH $job fio false"; done && echo "$JOBS")
	for name in btf raw; do
		check "$name equals the drive's log" "$VM/compare" --from 701 --to 702 "$OUT/drive.ndjson" "$OUT/$name.out"
		check_eq "$name: each job's commands are its own" "$(submitters "$OUT/$name.out")" "$want"
		check_eq "$name: so are those of the drive without a scheduler" \
			"$(reads "$OUT/$name.out" 2 '\(.comm) \(.worker)' | sort -u)" "fio false"
		check_eq "$name: by one process" "$(reads "$OUT/$name.out" 2 '\(.pid)' | sort -u | wc -l)" 1
		check "$name: nothing was lost" nothing_lost "$OUT/$name.out"
	done
	check "the other disks were read by other processes" none "$OUT/btf.out" '.comm == "other"'
}
