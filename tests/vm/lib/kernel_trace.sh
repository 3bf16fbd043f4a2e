# SPDX-License-Identifier: GPL-2.0-or-later
# Guest side: what the kernel's own tracepoints count, beside nvmetool.
# shellcheck shell=bash

KERNEL_TRACE=/sys/kernel/tracing

# kernel_statuses_on STATUS...: from now on the kernel notes completions with these statuses
kernel_statuses_on()
{
	local words

	echo >"$KERNEL_TRACE/trace"
	words=$(printf ' || status == %s' "$@")
	echo "${words# || }" >"$KERNEL_TRACE/events/nvme/nvme_complete_rq/filter"
	echo 1 >"$KERNEL_TRACE/events/nvme/nvme_complete_rq/enable"
}

# kernel_statuses_off: "COUNT STATUS" of each that it noted
kernel_statuses_off()
{
	echo 0 >"$KERNEL_TRACE/events/nvme/nvme_complete_rq/enable"
	echo 0 >"$KERNEL_TRACE/events/nvme/nvme_complete_rq/filter"
	sed -n 's/.*nvme_complete_rq:.* status=\(0x[0-9a-f]*\).*/\1/p' "$KERNEL_TRACE/trace" | sort | uniq -c
}
