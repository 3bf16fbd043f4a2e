// SPDX-License-Identifier: GPL-2.0-or-later
/* trace --summary: totals per opcode. */
#ifndef NVT_TRACE_TOTAL_H
#define NVT_TRACE_TOTAL_H

#include "lib/out/out.h"
#include "lib/row/row.h"

struct tick;

struct trace_sum {
	u64 count, errors, bytes, sum_ns, min_ns, max_ns;
	u64 known; /* commands of `count` whose status is known */
};

/* By set and opcode, or FCTYPE. */
struct trace_totals {
	struct trace_sum sum[3][256];
};

extern const struct schema trace_total_schema;

/* Counts a joined command. */
void trace_total_add(struct trace_totals *t, const struct trace_row *row);
/* Prints a row for each opcode seen, and begins anew if tick->reset. */
void trace_total_print(struct trace_totals *t, struct out *o, const struct tick *tick);

#endif
