# SPDX-License-Identifier: GPL-2.0-or-later
# For tests of stacks: what the kernel's own stack traces of a tracepoint say, and sums of what nvmetool says.
# shellcheck shell=bash

# kernel_stacks FILE EVENT...: from now on the kernel notes the stack of each event, "nvme/nvme_setup_cmd", in FILE
kernel_stacks()
{
	local event tracing=/sys/kernel/tracing

	echo 32768 >$tracing/buffer_size_kb
	echo >$tracing/trace
	kernel_stacks_file=$1 kernel_stacks_events=${*:2}
	for event in $kernel_stacks_events; do
		echo stacktrace >"$tracing/events/$event/trigger"
	done
}

# kernel_stacks_end: writes the file, a line for each stack, innermost frame first and ';' between; the frames of the
# tracepoint itself are left away
kernel_stacks_end()
{
	local event tracing=/sys/kernel/tracing

	for event in $kernel_stacks_events; do
		echo '!stacktrace' >"$tracing/events/$event/trigger"
	done
	awk '
		/<stack trace>/ { if (stack != "") print stack; stack = ""; next }
		/^ => / && !/ => (trace_event_|__traceiter_|event_triggers_|__bpf_trace_|bpf_)/ {
			sub(/^ => /, ""); sub(/ \[[^]]*\]$/, "")
			stack = stack == "" ? $0 : stack ";" $0
		}
		END { if (stack != "") print stack }' $tracing/trace | sort | uniq -c >"$kernel_stacks_file"
}

# stacks_of FILE: the kernel stacks of nvmetool's JSON but those of marks, written in the same way
stacks_of()
{
	jq -r 'select(.type == "stack" and .op != "dsm") | .kstack | map(sub(" \\[[^]]*\\]$"; "")) | join(";")' "$1" | sort -u
}

# same_stacks FILE KERNEL_FILE: each stack of nvmetool's JSON was shown by the kernel, and there is one
same_stacks()
{
	local strange

	strange=$(stacks_of "$1" | grep -vxFf <(sed 's/^ *[0-9]* //' "$2") || true)
	[ -z "$strange" ] || { echo "not seen by the kernel:"; echo "$strange"; head -n 20 "$2"; return 1; }
	[ "$(stacks_of "$1" | wc -l)" -gt 0 ]
}

# folded_sum FILE: sum of the weights of folded lines but those of marks
folded_sum()
{
	grep -v 'op=dsm' "$1" | awk '{ n += $NF } END { print n + 0 }'
}

# stacks_sum FILE [CONDITION]: sum of the counts of JSON rows but those of marks
stacks_sum()
{
	jq -s 'map(select(.type == "stack" and .op != "dsm" and ('"${2:-true}"')).count) | add // 0' "$1"
}
