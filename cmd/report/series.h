// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sums over time. The columns are those of lib/out/map.h: they begin short, and whenever there are
 * too many, each two of them are made one.
 */
#ifndef NVT_REPORT_SERIES_H
#define NVT_REPORT_SERIES_H

#include "lib/view/errors_row.h"
#include "lib/out/map.h"

struct series_point {
	u64 count, bytes;
	u64 busy_ns; /* the time that commands spent between set-up and completion */
	u64 troubles[ERRORS_TYPES];
};

/* Begins as zeroes but for start_ns. */
struct series {
	u64 start_ns, step_ns;
	u32 n;
	struct series_point at[HEAT_COLUMNS];
};

/* The column that @ts_ns is in; valid until the next call. */
struct series_point *series_at(struct series *s, u64 ts_ns);
/* Adds a command that was in flight from @from_ns to @to_ns. */
void series_add(struct series *s, u64 from_ns, u64 to_ns, u64 bytes);
/* What charts show of a column: commands and millions of bytes per second, commands in flight. */
enum series_value { SERIES_RATE, SERIES_THROUGHPUT, SERIES_DEPTH, SERIES_VALUES };
double series_value(const struct series *s, u32 column, enum series_value which);
/* Joins columns until each is at least @step_ns long. */
void series_widen(struct series *s, u64 step_ns);

#endif
