// SPDX-License-Identifier: GPL-2.0-or-later
/* Histograms of latencies for people and for machines; times of text in the unit of --unit. */
#ifndef NVT_OUT_HIST_H
#define NVT_OUT_HIST_H

#include "lib/base/hist.h"
#include "lib/out/out.h"

/* Columns of the terminal @fd, 80 where it has none to tell. */
u32 hist_columns(int fd);

/* The unit: "us". */
const char *hist_unit(const struct out *o);

/*
 * @ns in the unit of @o; with three decimals more (@fine) where a range is narrower than one can
 * tell apart. Writes 64 bytes at most to @buf and returns it.
 */
const char *hist_text(const struct out *o, u64 ns, bool fine, char *buf);

/*
 * Text: RANGE, COUNT, %, CUM%, 2^@bits rows per power of two, two or more empty ones as `...`; bars
 * up to column @columns, 0: none.
 */
void hist_draw(struct out *o, u32 columns, u32 bits, const struct hist *h);

/*
 * A bar behind the table, as wide as @columns leave room for, full for @count == @most, which is
 * not 0.
 */
void hist_draw_bar(struct out *o, u32 columns, u64 count, u64 most);

/* JSON: "hist": {kind, bits, unit, buckets}, see cli.md. */
extern const struct field hist_members[];
void hist_emit(struct json *j, const struct hist *h);

#endif
