# SPDX-License-Identifier: GPL-2.0-or-later
# Polled queues: their completions run in the task that polls, where the interrupts of other queues come between.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=polled
kernels='* !5.10'
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

# skipped NAME: how many completions a run counts as lost, as a kernel may that preempts programs and skips the backup
# programs as well; 0 elsewhere
skipped()
{
	if [ "$KERNEL" = sid ]; then
		summary_of "$OUT/$1.out" | jq '.lost.recursion + .lost.unmatched'
	else
		echo 0
	fi
}

# rows_missing: commands of the drive that latency did not count, by queue and operation; fails where it counted more
rows_missing()
{
	diff <(jq -r 'select(.type == "latency" and .op != "dsm") | "\(.qid) \(.op)" as $row | range(.count) | $row' \
		"$OUT/latency.out" | sort) <(jq -r '"\(.qid) \(.op)"' "$OUT/drive.ndjson" | sort) >"$OUT/missing" || true
	fails grep '^<' "$OUT/missing" >&2
	grep -c '^>' "$OUT/missing" || true
}

# latency_complete: it counted what the drive has, but for what it says is lost
latency_complete()
{
	local missing

	missing=$(rows_missing)
	[ "$missing" -le "$(skipped latency)" ]
}

# accounted NAME: the sums hold, and nothing is lost but what skipped() allows
accounted()
{
	adds_up "$OUT/$1.out"
	summary_of "$OUT/$1.out" | jq -e --argjson may "$(skipped "$1")" '([.lost[] | . // 0] | add) <= $may'
}

host()
{
	local name

	drive_log 601 602
	check "2400 commands were polled" test "$(jq 'select(.qid > 4).qid' "$OUT/drive.ndjson" | wc -l)" -ge 2400
	for name in trace raw; do
		check "$name equals the drive's log" "$VM/compare" --from 601 --to 602 --missing "$(skipped "$name")" \
			"$OUT/drive.ndjson" "$OUT/$name.out"
	done
	check "latency equals the drive's log" latency_complete
	for name in trace raw latency; do
		check "$name: the account" accounted "$name"
	done
	check_eq "polled commands are of fio" "$(jq -r 'select(.qid > 4).comm' "$OUT/trace.out" | sort -u)" fio
}
