// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The latencies of a key in one recording: a histogram, and the same for each slice of time, which
 * tells how much the recording varies in itself.
 *
 * Slices begin with the first command and are all of one length, at first a microsecond. When a
 * command comes behind the last slice, neighbours are joined and the length doubles. So a sample of
 * any length has between DIFF_SLICES / 2 and DIFF_SLICES of them.
 */
#ifndef NVT_DIFF_SAMPLE_H
#define NVT_DIFF_SAMPLE_H

#include "lib/base/hist.h"
#include "lib/base/types.h"

#define DIFF_SLICES 24

struct diff_sample {
	u64 count, min_ns, max_ns;
	u64 first_ns, width_ns; /* of the slices */
	u32 first_slot, last_slot; /* those with samples */
	u64 buckets[HIST_SLOTS_MAX];
	u32 slice[DIFF_SLICES][HIST_SLOTS_MAX];
};

/* NULL: no memory. Freed by free(). */
struct diff_sample *diff_sample_new(void);

/* Adds a command that completed at @ts_ns, which is not earlier than those before. */
void diff_sample_add(struct diff_sample *s, u64 ts_ns, u64 lat_ns);

/* Its histogram, in the buckets of @s; the shape is hist_finest. */
struct hist diff_sample_hist(const struct diff_sample *s);

/*
 * How much more the share of samples up to @slot differs between the slices than chance alone
 * makes it: the ratio of the two variances, 1 at least, and 1 where all or none are. *@slices is
 * the number of slices with samples.
 */
double diff_sample_spread(const struct diff_sample *s, u32 slot, u32 *slices);

#endif
