# SPDX-License-Identifier: GPL-2.0-or-later
# The kernel's own probes count calls of its functions; a test that wants them reads this file.
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
