// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tells sequential from random commands: whether one starts where a recent one of its device and
 * direction ended.
 */
#ifndef NVT_TRACE_PATTERN_H
#define NVT_TRACE_PATTERN_H

#include "lib/view/trace_row.h"

struct trace_pattern;

struct trace_pattern *trace_pattern_new(void); /* NULL: no memory */
/*
 * Returns "S" or "R", or NULL for the first of a device and for commands other than reads and
 * writes. @device is session_device() of the command's queue.
 */
const char *trace_pattern_of(struct trace_pattern *p, u32 device, const struct trace_row *row);
void trace_pattern_free(struct trace_pattern *p); /* NULL is allowed */

#endif
