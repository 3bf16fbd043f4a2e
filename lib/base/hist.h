// SPDX-License-Identifier: GPL-2.0-or-later
/* Percentiles of a histogram of bpf/shared/hist.h, and its rows for people. */
#ifndef NVT_BASE_HIST_H
#define NVT_BASE_HIST_H

#include "bpf/shared/hist.h"

/* A percentile, exact as typed: 99.99 is 99990000 millionths. */
struct percentile {
	const char *word; /* as typed, into argv or a constant */
	u32 word_len;
	u32 millionths;
};

#define HIST_PERCENTILES 32
#define HIST_PERCENT	 1000000U /* millionths in one percent */

/*
 * Reads a percentile of 0 to 100 with at most six decimals from the @len bytes at @word.
 * 0, -EINVAL, -ERANGE.
 */
int hist_parse_percentile(const char *word, size_t len, struct percentile *p);

/*
 * Reads a comma list into at most HIST_PERCENTILES of @list; *@n is set. 0, -EINVAL, -ERANGE,
 * -E2BIG or -EEXIST (one named twice).
 */
int hist_parse_percentiles(const char *text, struct percentile *list, u32 *n);

/* The shape of the finest histogram, HIST_BITS_MAX: buckets are at most 1.6 % wide. */
extern const struct hist_cfg hist_finest;

/* A histogram: cfg->slots buckets, and the values that are kept exactly beside them. */
struct hist {
	const struct hist_cfg *cfg;
	const u64 *buckets;
	u64 count, min_ns, max_ns;
};

/*
 * Returns the value of nearest rank (rank = ceil(p / 100 * count), at least 1): the upper edge of
 * its bucket, but not beyond the exact minimum and maximum. 0 when there are no samples.
 */
u64 hist_percentile(const struct hist *h, u32 millionths);
/* The same for callers that know no histograms, as lib/cli/expr.h: @hist is a struct hist. */
u64 hist_percentile_of(const void *hist, u32 millionths);

/* A line of the table: samples in [lo, hi) nanoseconds; hi is ~0 for the overflow. */
struct hist_row {
	u64 lo_ns, hi_ns, count;
};

/*
 * Gives the next row, from the first bucket with samples to the last, empty ones between included.
 * *@slot is 0 at first and moves on with each call. @bits <= cfg->bits joins buckets, so that
 * 2^@bits rows cover a power of two. False when there are no more rows.
 */
bool hist_next_row(const struct hist *h, u32 bits, u32 *slot, struct hist_row *row);

/*
 * Gives the next bucket that has samples. *@slot is 0 at first and moves on with each call. False
 * when there are no more.
 */
bool hist_next_bucket(const struct hist *h, u32 *slot, struct hist_row *bucket);

#endif
