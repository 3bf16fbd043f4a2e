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
 * Sets row->pattern to "S" or "R"; leaves it for the first of a device and for commands other than
 * reads and writes. @device is session_device() of the command's queue. 0 or -ENOMEM.
 */
int trace_pattern_fill(struct trace_row *row, struct trace_pattern *p, u32 device);
void trace_pattern_free(struct trace_pattern *p); /* NULL is allowed */

#endif
