// SPDX-License-Identifier: GPL-2.0-or-later
/* Histograms of latencies as text and as JSON; times of text are in the unit of --unit. */
#ifndef NVT_OUT_HIST_H
#define NVT_OUT_HIST_H

#include "lib/base/hist.h"
#include "lib/out/out.h"

/* The width of the terminal @fd; 80 if it has none. */
u32 hist_columns(int fd);

/* The name of the unit, like "us". */
const char *hist_unit(const struct out *o);

/*
 * @ns in the unit of @o; @fine adds three decimals, for ranges too narrow to tell apart otherwise.
 * Writes at most 64 bytes to @buf and returns it.
 */
const char *hist_text(const struct out *o, u64 ns, bool fine, char *buf);

/*
 * Prints RANGE, COUNT, %, CUM% as text: 2^@bits rows per power of two, `...` for two or more empty
 * ones, and bars up to column @columns (0: no bars).
 */
void hist_draw(struct out *o, u32 columns, u32 bits, const struct hist *h);

/*
 * Prints a bar behind the table, within @columns. It is full for @count == @most, which is not 0.
 */
void hist_draw_bar(struct out *o, u32 columns, u64 count, u64 most);

/* JSON: "hist": {kind, bits, unit, buckets}, see cli.md. */
extern const struct field hist_members[];
void hist_emit(struct json *j, const struct hist *h);

#endif
