// SPDX-License-Identifier: GPL-2.0-or-later
/* Events as lines of other programs: the kernel's trace_pipe, and `perf trace`. */
#ifndef NVT_TRACE_LINE_H
#define NVT_TRACE_LINE_H

#include "cmd/trace/kernel_text.h"
#include "lib/view/trace_row.h"

#define TRACE_LINE_MAX 640

/*
 * Writes a line of trace_pipe: `fio-3218 [001] ..... 12.345678: nvme_setup_cmd: nvme0: disk=...`.
 * Returns @buf.
 */
const char *trace_line_kernel(char *buf, size_t size, const struct trace_row *row);

/*
 * Writes a line of `perf trace -e 'nvme:*'`, which begins with the milliseconds since attaching.
 * Dwords are decoded as the kernel does. Returns @buf.
 */
const char *trace_line_perf(char *buf, size_t size, const struct trace_row *row);

#endif
