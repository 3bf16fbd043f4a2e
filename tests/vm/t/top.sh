# SPDX-License-Identifier: GPL-2.0-or-later
# top: counts of two fio jobs in two cgroups are fio's, QD keeps to Little's law, QD, %UTIL and P99 are those of a recording
# of the same run; the screen is drawn in a terminal, and the terminal is given back on every way out.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

. "$VM/lib/account.sh"

topology=one
kernels='5.10 6.1 6.12 sid'
plan=18

READS=12

# job CGROUP NAME ARGS...: fio in a cgroup of its own
job()
{
	mkdir -p "/sys/fs/cgroup/$1"
	(
		echo "$BASHPID" >"/sys/fs/cgroup/$1/cgroup.procs"
		fio_load "$2" --filename="/dev/$disk" --ioengine=libaio --thread "${@:3}"
	)
}

guest()
{
	local disk how load

	disk=$(disk_of lab0 1)
	attached proc "$NVMETOOL" top --json 0.5
	attached cgroup "$NVMETOOL" top --json --view cgroup 0.5
	attached dev "$NVMETOOL" top --json --view dev 0.2
	attached once "$NVMETOOL" top --json 1h
	attached record "$NVMETOOL" record -w "$OUT/load.nvt"
	job a reader --rw=randread --bs=4k --size=64M --iodepth=8 --number_ios=1500 &
	load=$!
	job b writer --rw=randwrite --bs=16k --offset=64M --size=64M --iodepth=4 --number_ios=800
	wait "$load"
	drained
	for how in proc cgroup dev once record; do
		detach "$how"
		check_eq "$how ends well" "$status" 0
	done
	rmdir /sys/fs/cgroup/a /sys/fs/cgroup/b
	[ "$KERNEL" = 5.10 ] || with_pauses
	fio --name=busy --filename="/dev/$disk" --direct=1 --rw=randrw --bs=4k --ioengine=psync --rate_iops=40,40 --thread \
		--time_based --runtime=600 >/dev/null &
	load=$!
	for how in keys suspend interrupt parent killed; do
		check "screen: $how" "$VM/screen" "$how" "$NVMETOOL" top 0.3
	done
	kill "$load"
	wait "$load" || true
	check "nothing is left attached" detached_all
}

# ticks: the milliseconds in which something was in flight, as the kernel counts them
ticks()
{
	awk '{ print $10 }' "/sys/block/$disk/stat"
}

# with_pauses: reads that the drive takes some 150 ms for, one at a time, and 100 ms between them
with_pauses()
{
	local before

	attached pauses "$NVMETOOL" top --json --view dev 1h
	quiet_monitor "block_set_io_throttle lab0n1 0 0 0 4 0 0"
	before=$(ticks)
	fio --name=pauses --filename="/dev/$disk" --direct=1 --rw=randread --bs=4k --ioengine=psync --thinktime=100ms \
		--number_ios=$READS >/dev/null
	drained
	echo $(($(ticks) - before)) >"$OUT/ticks"
	detach pauses
	quiet_monitor "block_set_io_throttle lab0n1 0 0 0 0 0 0"
}

# of_fio NAME OP: its commands and bytes, and its error
of_fio()
{
	jq -c ".jobs[0] | [.$2.total_ios, .$2.io_bytes, .error]" "$OUT/$1.json"
}

# of_top RUN OP: commands, bytes and errors of all intervals
of_top()
{
	jq -sc --arg op "$2" 'map(select(.type == "top" and .op == $op)) | [(map(.count), map(.bytes), map(.errors)) | add]' "$OUT/$1.out"
}

# QD by the length of the intervals is the time that commands took, all of them having begun and ended in the run. A row
# whose commands are all still in flight has no mean.
little()
{
	jq -se 'map(select(.type == "top")) | group_by(.op) | length == 2 and all(.[];
		(map(.qd * .interval_ns) | add) / (map(select(.count > 0) | .mean_ns * .count) | add) | . > 0.98 and . < 1.02)' "$OUT/proc.out"
}

# figures FILE COMMAND FIELD...: of each process and operation
figures()
{
	jq -c "select(.type == \"$2\") | {pid, op, count, p: [$3]}" | jq -sc 'sort_by(.pid, .op)' >"$OUT/$1"
}

# Two runs stamp a command one after the other, so some samples near the rank change places: ours lies between the ranks
# beside it. That top's percentiles are those of latency to the nanosecond, tests/cli/top.bats shows.
same_p99()
{
	figures ours top .p99_ns <"$OUT/once.out"
	"$NVMETOOL" latency -i "$OUT/load.nvt" --by pid,opcode -P 98,99.6 --json |
		figures theirs latency '.pct_ns.p98, .pct_ns["p99.6"]'
	cat "$OUT/ours" "$OUT/theirs"
	jq -ne --slurpfile a "$OUT/ours" --slurpfile b "$OUT/theirs" '[$a[0], $b[0]] | (.[0] | length) == 2 and
		(map(map(del(.p))) | .[0] == .[1]) and
		(transpose | all(.[]; .[0].p[0] >= .[1].p[0] and .[0].p[0] <= .[1].p[1]))'
}

# Of two runs one sees a command set up later, by up to a tenth of what it takes here. 5.10 has no %UTIL.
as_recorded()
{
	local known

	known=$(jq -s 'map(select(.type == "top" and .util_pct > 10)) | length' "$OUT/dev.out")
	if [ "$KERNEL" = 5.10 ]; then
		[ "$known" = 0 ] || return
	else
		[ "$known" -ge 4 ] || return
	fi
	"$NVMETOOL" trace --json -i "$OUT/load.nvt" >"$OUT/load.ndjson"
	"$VM/../cli/lib/outstanding.py" "$OUT/load.ndjson" "$OUT/dev.out" 15
}

# The kernel counts whole jiffies of 4 ms: for each read up to one less, and before 6.10 up to two more.
as_counted()
{
	jq -ne --argjson n $READS --argjson ticks "$(cat "$OUT/ticks")" '[inputs | select(.type == "top")] |
		length == 1 and .[0].count == $n and ($ticks - (.[0] | .util_pct * .interval_ns / 1e8) |
			debug | . >= -4 * $n and . <= 8 * $n)' "$OUT/pauses.out"
}

host()
{
	check_eq "fio's reads, by process" "$(of_top proc read)" "$(of_fio reader read)"
	check_eq "fio's writes, by cgroup" "$(of_top cgroup write)" "$(of_fio writer write)"
	check "QD keeps to Little's law" little
	check "QD and %UTIL are those of the times in a recording" as_recorded
	if [ "$KERNEL" = 5.10 ]; then
		skip "%UTIL is that of the kernel" "it is not known there"
	else
		check "%UTIL is that of the kernel" as_counted
	fi
	check "p99 is that of a recording" same_p99
	check "the account" nothing_lost "$OUT/proc.out"
}
