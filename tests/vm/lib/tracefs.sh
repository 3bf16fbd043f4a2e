# SPDX-License-Identifier: GPL-2.0-or-later
# Guest side: what the kernel's own tracepoints and probes count, beside nvmetool; a test that wants that reads this file.
# shellcheck shell=bash

TRACEFS=/sys/kernel/tracing

# probes_on FUNCTION...: from now on
probes_on()
{
	local function

	echo 16384 >"$TRACEFS/buffer_size_kb"
	echo >"$TRACEFS/trace"
	for function; do
		echo "p:lab_$function $function" >>"$TRACEFS/kprobe_events"
	done
	echo 1 >"$TRACEFS/events/kprobes/enable"
}

# probes_off: a line "FUNCTION" for each call, into $OUT/calls
probes_off()
{
	echo 0 >"$TRACEFS/events/kprobes/enable"
	sed -n 's/.* lab_\([a-z_]*\): .*/\1/p' "$TRACEFS/trace" >"$OUT/calls"
	echo >"$TRACEFS/kprobe_events"
}

# calls FUNCTION: how many there were
calls()
{
	grep -cx "$1" "$OUT/calls" || true
}

# kernel_statuses_on STATUS...: from now on the kernel notes completions with these statuses
kernel_statuses_on()
{
	local words

	echo >"$TRACEFS/trace"
	words=$(printf ' || status == %s' "$@")
	echo "${words# || }" >"$TRACEFS/events/nvme/nvme_complete_rq/filter"
	echo 1 >"$TRACEFS/events/nvme/nvme_complete_rq/enable"
}

# kernel_statuses_off: "COUNT STATUS" of each that it noted
kernel_statuses_off()
{
	echo 0 >"$TRACEFS/events/nvme/nvme_complete_rq/enable"
	echo 0 >"$TRACEFS/events/nvme/nvme_complete_rq/filter"
	sed -n 's/.*nvme_complete_rq:.* status=\(0x[0-9a-f]*\).*/\1/p' "$TRACEFS/trace" | sort | uniq -c
}
