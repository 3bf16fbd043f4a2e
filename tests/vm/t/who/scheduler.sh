# SPDX-License-Identifier: GPL-2.0-or-later
# A scheduler that is switched on while tools run, and gets more tags later, and merges requests: commands keep their
# submitters, though on a drive with one queue others send them. (Such a drive is also where programs stand in for others.)
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=deadline
test='6.1'
plan=16
seconds=19

. "$VM/lib/account.sh"

JOBS=4
TOOLS='plain device raw'

reads_done()
{
	awk '{ print $1 }' "/sys/block/$disk/stat"
}

# more_reads N: waits for them
more_reads()
{
	local until

	until=$(($(reads_done) + $1))
	until [ "$(reads_done)" -ge "$until" ]; do
		sleep 0.02
	done
}

# programs [COMMAND...]: how many latency has loaded when COMMAND starts it
programs()
{
	attached programs "$@" "$NVMETOOL" latency --json
	bpftool -j prog list | jq length
	detach programs
	detached_all
}

guest()
{
	local disk queue name before load

	disk=$(disk_of lab0 1)
	check_eq "those that stand in are there, whatever CPU nvmetool may run on" "$(programs taskset -c 0)" "$(programs)"
	queue=/sys/block/$disk/queue
	sched none "$disk"
	attached plain "$NVMETOOL" trace --json
	attached device "$NVMETOOL" trace --json -d "$disk"
	attached raw "$NVMETOOL" trace --json --attach raw_tp
	before=$(reads_done)
	fio --name=load --filename="/dev/$disk" --rw=randread --bs=4k --offset=16M --size=1M --numjobs="$JOBS" \
		--offset_increment=12M --ioengine=libaio --iodepth=128 --direct=1 --time_based --runtime=600 --output="$OUT/fio" &
	load=$!
	more_reads 500
	sched mq-deadline "$disk"
	more_reads 1000
	echo 512 >"$queue/nr_requests"
	more_reads 1000
	kill "$load"
	wait "$load" || true
	drained
	echo $(($(reads_done) - before)) >"$OUT/reads"
	diag "$(awk '{ print $2 }' "/sys/block/$disk/stat") merges, many on 6.1 and sid"
	for name in $TOOLS; do
		detach "$name"
		check_eq "$name ends well" "$status" 0
	done
	sched none "$disk"
	sched mq-deadline "$disk" # with as many tags as at first
}

# jobs FILE FORMAT: of each command on the blocks of the jobs
jobs()
{
	jq -r "select(.type == \"io\" and .op == \"read\" and .slba >= 32768) | \"$2\"" "$1"
}

# submitters FILE: "JOB COMM WORKER" of commands on each job's blocks, and the number of their processes
submitters()
{
	jobs "$1" '\((.slba - 32768) / 24576 | floor) \(.comm) \(.worker)' | sort -u
	jobs "$1" '\(.pid)' | sort -u | wc -l
}

host()
{
	local name job want

	want=$(for ((job = 0; job < JOBS; job++)); do echo "$job fio false"; done && echo "$JOBS")
	for name in $TOOLS; do
		check_eq "$name: each job's commands are its own" "$(submitters "$OUT/$name.out")" "$want"
		check_eq "$name: all that was read" "$(jobs "$OUT/$name.out" x | wc -l)" "$(cat "$OUT/reads")"
		check "$name: the account" nothing_lost "$OUT/$name.out"
		check_eq "$name: nothing else is told" "$(told "$OUT/$name.err")" ""
	done
}
