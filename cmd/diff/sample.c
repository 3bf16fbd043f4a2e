// SPDX-License-Identifier: GPL-2.0-or-later
/* Samples by slices of time, and how much these differ. */
#include "cmd/diff/sample.h"

#include <stdlib.h>

#define FIRST_WIDTH_NS 1024

struct diff_sample *diff_sample_new(void)
{
	struct diff_sample *s = calloc(1, sizeof(*s));

	if (s)
		s->first_slot = HIST_SLOTS_MAX;
	return s;
}

/* Joins each two slices. */
static void fold(struct diff_sample *s)
{
	for (u32 slot = s->first_slot; slot <= s->last_slot; slot++) {
		for (size_t i = 0; i < DIFF_SLICES; i++) {
			u32 a = 2 * i < DIFF_SLICES ? s->slice[2 * i][slot] : 0;
			u32 b = 2 * i + 1 < DIFF_SLICES ? s->slice[2 * i + 1][slot] : 0;

			s->slice[i][slot] = a + b;
		}
	}
	s->width_ns *= 2;
}

/* The slice of @ts_ns. */
static u32 slice_of(struct diff_sample *s, u64 ts_ns)
{
	u64 since_ns;

	if (!s->count) {
		s->first_ns = ts_ns;
		s->width_ns = FIRST_WIDTH_NS;
	}
	since_ns = ts_ns > s->first_ns ? ts_ns - s->first_ns : 0;
	while (since_ns / s->width_ns >= DIFF_SLICES)
		fold(s);
	return (u32)(since_ns / s->width_ns);
}

void diff_sample_add(struct diff_sample *s, u64 ts_ns, u64 lat_ns)
{
	u32 slot = hist_slot(&hist_finest, lat_ns), slice = slice_of(s, ts_ns);

	s->min_ns = !s->count || lat_ns < s->min_ns ? lat_ns : s->min_ns;
	s->max_ns = lat_ns > s->max_ns ? lat_ns : s->max_ns;
	s->first_slot = slot < s->first_slot ? slot : s->first_slot;
	s->last_slot = slot > s->last_slot ? slot : s->last_slot;
	s->count++;
	s->buckets[slot]++;
	s->slice[slice][slot]++;
}

struct hist diff_sample_hist(const struct diff_sample *s)
{
	return (struct hist){
		.cfg = &hist_finest,
		.buckets = s->buckets,
		.count = s->count,
		.min_ns = s->min_ns,
		.max_ns = s->max_ns,
	};
}

/* Sums up a slice: all samples, and those up to @slot. */
static void sum_slice(const struct diff_sample *s, u32 slice, u32 slot, double *all, double *upto)
{
	*all = *upto = 0;
	for (u32 i = s->first_slot; i <= s->last_slot; i++) {
		*all += s->slice[slice][i];
		*upto += i <= slot ? s->slice[slice][i] : 0;
	}
}

/*
 * The variance of the share is that of a ratio estimated from clusters, the slices; by chance alone
 * it is that of a binomial distribution (Cochran, Sampling Techniques, sections 3.2 and 11.2).
 */
double diff_sample_spread(const struct diff_sample *s, u32 slot, u32 *slices)
{
	double total = 0, share = 0, squares = 0, all[DIFF_SLICES], upto[DIFF_SLICES], ratio;
	u32 n = 0;

	for (u32 i = 0; i < DIFF_SLICES; i++) {
		sum_slice(s, i, slot, &all[i], &upto[i]);
		total += all[i];
		share += upto[i];
		n += all[i] > 0;
	}
	*slices = n;
	share = total > 0 ? share / total : 0;
	if (n < 2 || share <= 0 || share >= 1)
		return 1;
	for (u32 i = 0; i < DIFF_SLICES; i++)
		squares += (upto[i] - all[i] * share) * (upto[i] - all[i] * share);
	ratio = squares * n / (n - 1) / (total * share * (1 - share));
	return ratio > 1 ? ratio : 1;
}
