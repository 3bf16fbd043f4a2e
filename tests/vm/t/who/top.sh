# SPDX-License-Identifier: GPL-2.0-or-later
# top: counts of two fio jobs in two cgroups are fio's, QD keeps to Little's law, QD, %UTIL and P99 lie between those of two
# recordings of the same run; the screen is drawn in a terminal, and the terminal is given back on every way out.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

. "$VM/lib/account.sh"

topology=one
test='6.1'
plan=20
seconds=29

READS=12
KEYS=ctrl,ns,qid,cpu,opcode,size,flags,pid,comm,status

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
	attached keys "$NVMETOOL" top --json --by $KEYS 1h
	attached before "$NVMETOOL" record -w "$OUT/before.nvt"
	attached dev "$NVMETOOL" top --json --view dev 1h
	attached once "$NVMETOOL" top --json 1h
	attached after "$NVMETOOL" record -w "$OUT/after.nvt"
	two_jobs
	for how in proc cgroup once; do
		detach "$how"
		check_eq "$how ends well" "$status" 0
	done
	[ "$KERNEL" = 5.10 ] || with_pauses
	for how in dev keys before after; do
		detach "$how"
		check_eq "$how ends well" "$status" 0
	done
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

# two_jobs: in bursts, while the drive serves 500 commands a second: those take far longer than a program from one stamp
# to another's
two_jobs()
{
	local load

	quiet_monitor "block_set_io_throttle lab0n1 0 0 0 500 0 0"
	job a reader --rw=randread --bs=4k --size=64M --iodepth=8 --number_ios=400 --thinktime=150ms --thinktime_blocks=200 &
	load=$!
	job b writer --rw=randwrite --bs=16k --offset=64M --size=64M --iodepth=4 --number_ios=200 --thinktime=150ms \
		--thinktime_blocks=100
	wait "$load"
	drained
	quiet_monitor "block_set_io_throttle lab0n1 0 0 0 0 0 0"
	rmdir /sys/fs/cgroup/a /sys/fs/cgroup/b
}

# ticks: the milliseconds in which something was in flight, as the kernel counts them
ticks()
{
	awk '{ print $10 }' "/sys/block/$disk/stat"
}

# with_pauses: in an interval of its own reads that the drive takes some 150 ms for, one at a time, and 100 ms between them
with_pauses()
{
	local before

	report dev USR1 0
	quiet_monitor "block_set_io_throttle lab0n1 0 0 0 4 0 0"
	before=$(ticks)
	fio --name=pauses --filename="/dev/$disk" --direct=1 --rw=randread --bs=4k --ioengine=psync --thinktime=100ms \
		--number_ios=$READS >/dev/null
	drained
	echo $(($(ticks) - before)) >"$OUT/ticks"
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

# The programs of a run that attached earlier come earlier at each hook. 5.10 has no %UTIL.
as_recorded()
{
	local name

	jq -se --arg kernel "$KERNEL" 'map(select(.type == "top") | [.seq, .op, .util_pct != null]) | sort == (
		if $kernel == "5.10" then [[0, "read", false], [0, "write", false]]
		else [[0, "read", true], [0, "write", true], [1, "read", true]] end)' "$OUT/dev.out" || return
	for name in before after; do
		"$NVMETOOL" trace --json -i "$OUT/$name.nvt" >"$OUT/$name.ndjson"
	done
	for name in once dev; do
		"$VM/../cli/lib/outstanding.py" "$OUT/before.ndjson" "$OUT/$name.out" "$OUT/after.ndjson" || return
	done
}

# rows: of the records of a run by many keys, but for their time
rows()
{
	jq -c 'select(.type == "top") | del(.ts, .time_ns, .interval_ns, .seq, .iops, .bytes_per_s, .mean_ns, .p50_ns, .p99_ns, .max_ns,
		.oldest_ns, .inflight)' | sort
}

# A recording has the same commands, some microseconds longer or shorter, and what --by status says of none in flight.
by_keys()
{
	"$NVMETOOL" top --json --by $KEYS -i "$OUT/before.nvt" 1h | rows >"$OUT/keys.replayed"
	[ "$(wc -l <"$OUT/keys.replayed")" -gt 1 ] && diff "$OUT/keys.replayed" <(rows <"$OUT/keys.out")
}

# The kernel counts whole jiffies of 4 ms: for each read up to one less, and before 6.10 up to two more.
as_counted()
{
	jq -ne --argjson n $READS --argjson ticks "$(cat "$OUT/ticks")" '[inputs | select(.type == "top" and .seq == 1)] |
		length == 1 and .[0].count == $n and ($ticks - (.[0] | .util_pct * .interval_ns / 1e8) |
			debug | . >= -4 * $n and . <= 8 * $n)' "$OUT/dev.out"
}

host()
{
	check_eq "fio's reads, by process" "$(of_top proc read)" "$(of_fio reader read)"
	check_eq "fio's writes, by cgroup" "$(of_top cgroup write)" "$(of_fio writer write)"
	check "QD keeps to Little's law" little
	check "rows by many keys are those of a recording" by_keys
	check "QD, %UTIL and P99 lie between those of two recordings" as_recorded
	if [ "$KERNEL" = 5.10 ]; then
		skip "%UTIL is that of the kernel" "it is not known there"
	else
		check "%UTIL is that of the kernel" as_counted
	fi
	check "the account" nothing_lost "$OUT/proc.out"
}
