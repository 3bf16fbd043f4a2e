# SPDX-License-Identifier: GPL-2.0-or-later
# Polled queues: their completions run in the task that polls, where the interrupts of other queues come between.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=polled
kernels='6.1 6.12 sid'
plan=13

. "$VM/lib/account.sh"

guest()
{
	local disk others name

	disk=$(disk_of lab0 1)
	check_eq "the drive has queues that are polled" "$(cat "/sys/block/$disk/queue/io_poll")" 1
	attached trace "$NVMETOOL" trace --json
	attached raw "$NVMETOOL" trace --json --attach raw_tp
	attached latency "$NVMETOOL" latency --json --by qid,opcode
	check "there are backup programs for those that are skipped" grep -q _backup <(bpftool prog list)
	mark "$disk" 601
	load others --offset=512M --ioengine=libaio --numjobs=4 --number_ios=600 &
	others=$!
	load polled --offset=0 --ioengine=io_uring --hipri --numjobs=2 --number_ios=1200
	wait "$others"
	drained
	mark "$disk" 602
	for name in trace raw latency; do
		detach "$name"
		check_eq "$name ends well" "$status" 0
	done
}

load()
{
	fio_load "$1" --filename="/dev/$disk" --rw=randrw --bs=4k --size=256M --iodepth=16 "${@:2}"
}

# all_or_told NAME COMMAND...: for `check`: COMMAND holds, or what is not there counts as lost. A kernel that preempts programs
# may skip those that stand in as well.
all_or_told()
{
	local lost

	lost=$(summary_of "$OUT/$1.out" | jq '.lost.recursion + .lost.unmatched')
	if [ "$KERNEL" = sid ] && [ "$lost" -gt 0 ]; then
		summary_of "$OUT/$1.out" | jq -e '.complete == false'
	else
		"${@:2}"
	fi
}

same_rows()
{
	diff <(jq -r 'select(.type == "latency" and .op != "dsm") | "\(.qid) \(.op) \(.count)"' "$OUT/latency.out" | sort) \
		<(jq -r '"\(.qid) \(.op)"' "$OUT/drive.ndjson" | sort | uniq -c | awk '{ print $2, $3, $1 }' | sort)
}

host()
{
	local name

	drive_log 601 602
	check "2400 commands were polled" test "$(jq 'select(.qid > 4).qid' "$OUT/drive.ndjson" | wc -l)" -ge 2400
	for name in trace raw; do
		check "$name equals the drive's log" all_or_told "$name" \
			"$VM/compare" --from 601 --to 602 "$OUT/drive.ndjson" "$OUT/$name.out"
	done
	check "latency equals the drive's log" all_or_told latency same_rows
	for name in trace raw latency; do
		check "$name: the account" all_or_told "$name" nothing_lost "$OUT/$name.out"
	done
	check_eq "polled commands are of fio" "$(jq -r 'select(.qid > 4).comm' "$OUT/trace.out" | sort -u)" fio
}
