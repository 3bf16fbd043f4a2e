# SPDX-License-Identifier: GPL-2.0-or-later
# Other tracers on the same path, one with slow programs on kprobes and on the same tracepoints: each of two
# nvmetool still sees every command, and the kernel skipped no run of theirs.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the lab

topology=one
kernels='6.1 6.12 6.18'
test='6.1'
plan=11
seconds=24

. "$VM/lib/account.sh"

# A program of bpftrace that takes long: 24 updates of a hash.
SLOW='{ unroll(24) { @n[cpu, comm, nsecs % 64] = count(); } @runs[probe] = count(); }'
PROBES='kprobe:nvme_setup_cmd, kprobe:nvme_irq, kprobe:blk_mq_start_request, tracepoint:nvme:nvme_setup_cmd,
	tracepoint:nvme:nvme_complete_rq'

slow_tracer()
{
	bpftrace -f json -e "$PROBES $SLOW interval:ms:100 { printf(\"ready\\n\"); } END { clear(@n); }" \
		>"$OUT/slow.out" 2>"$OUT/slow.err" &
	pid_slow=$!
	until grep -q ready "$OUT/slow.out"; do
		kill -0 "$pid_slow"
		read -rt 0.1 _ <><(:) || true
	done
}

guest()
{
	local disk name

	disk=$(disk_of lab0 1)
	attached trace "$NVMETOOL" trace --json --strict
	slow_tracer
	attached latency "$NVMETOOL" latency --json --strict --attach raw_tp
	mark "$disk" 181
	fio_load load --filename="/dev/$disk" --rw=randrw --bsrange=512-32k --size=64M --ioengine=libaio --iodepth=32 \
		--numjobs=4 --number_ios=1000
	mark "$disk" 182
	drained
	for name in latency slow trace; do
		detach "$name"
		check_eq "$name ends well" "$status" 0
	done
	check "fio issued 4000 commands" test $(($(fio_count load read) + $(fio_count load write))) -ge 4000
}

# runs PROBE: of bpftrace's programs; what its own tracepoints miss is what kprobes cost those
runs()
{
	jq --arg probe "$1" 'select(.type == "map").data."@runs"[$probe]' "$OUT/slow.out"
}

# missed NAME: what the kernel skipped of its runs
missed()
{
	summary_of "$OUT/$1.out" | jq .lost.recursion
}

host()
{
	drive_log 181 182
	check "the other tracer ran with each command" test "$(runs kprobe:nvme_setup_cmd)" -ge 4000
	check "trace equals the drive's log" "$VM/compare" --from 181 --to 182 "$OUT/drive.ndjson" "$OUT/trace.out"
	check_eq "latency counts the same" "$(jq -r 'select(.type == "latency" and .op != "dsm") | "\(.op) \(.count)"' \
		"$OUT/latency.out" | sort)" "$(jq -r .op "$OUT/drive.ndjson" | sort | uniq -c | awk '{ print $2, $1 }')"
	check "the account of trace" nothing_lost "$OUT/trace.out"
	check "the account of latency" nothing_lost "$OUT/latency.out"
	check_eq "no run was skipped" "$(missed trace) $(missed latency)" "0 0"
	check "while the kernel skips those of classic tracepoints: $(runs tracepoint:nvme:nvme_complete_rq) seen" \
		test "$(runs tracepoint:nvme:nvme_complete_rq)" -lt "$(runs kprobe:nvme_setup_cmd)"
}
