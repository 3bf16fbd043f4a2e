// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The latencies of a key in one recording: a histogram, and each of its buckets by slices of the
 * recording, which tell how much it varies in itself.
 *
 * A slice has so many commands, one at first. When a command comes behind the last slice,
 * neighbours are joined. So a sample of any length has more than DIFF_SLICES / 2 slices, and all
 * but the last are of the same length.
 */
#ifndef NVT_VIEW_SAMPLE_H
#define NVT_VIEW_SAMPLE_H

#include "lib/base/hist.h"
#include "lib/base/types.h"

#define DIFF_SLICES 64

struct diff_sample {
	u64 count, min_ns, max_ns;
	u64 first_ns, last_ns; /* completions */
	u64 per_slice; /* commands */
	u32 first_slot, last_slot; /* those with samples */
	u64 buckets[HIST_SLOTS_MAX];
	u32 slice[HIST_SLOTS_MAX][DIFF_SLICES];
};

/* NULL: no memory. Freed by free(). */
struct diff_sample *diff_sample_new(void);

/* Adds a command that completed at @ts_ns, after those before. */
void diff_sample_add(struct diff_sample *s, u64 ts_ns, u64 lat_ns);

/* Its histogram, in the buckets of @s; the shape is hist_finest. */
struct hist diff_sample_hist(const struct diff_sample *s);

/* How many slices it has, and how many commands are in slice @i of them. */
u32 diff_sample_slices(const struct diff_sample *s);
u64 diff_sample_in_slice(const struct diff_sample *s, u32 i);

#endif
