// SPDX-License-Identifier: GPL-2.0-or-later
/* Samples by slices of a recording. */
#include "lib/view/sample.h"

#include <stdlib.h>

struct diff_sample *diff_sample_new(void)
{
	struct diff_sample *s = calloc(1, sizeof(*s));

	if (s) {
		s->first_slot = HIST_SLOTS_MAX;
		s->per_slice = 1;
	}
	return s;
}

/* Joins each two slices. */
static void fold(struct diff_sample *s)
{
	for (u32 slot = s->first_slot; slot <= s->last_slot; slot++) {
		u32 *slice = s->slice[slot];

		if (!s->buckets[slot])
			continue;
		for (size_t i = 0; i < DIFF_SLICES / 2; i++)
			slice[i] = slice[2 * i] + slice[2 * i + 1];
		for (u32 i = DIFF_SLICES / 2; i < DIFF_SLICES; i++)
			slice[i] = 0;
	}
	s->per_slice *= 2;
}

void diff_sample_add(struct diff_sample *s, u64 ts_ns, u64 lat_ns)
{
	u32 slot = hist_slot(&hist_finest, lat_ns);

	if (s->count / s->per_slice >= DIFF_SLICES)
		fold(s);
	s->slice[slot][s->count / s->per_slice]++;
	s->buckets[slot]++;
	if (!s->count)
		s->first_ns = ts_ns;
	s->min_ns = !s->count || lat_ns < s->min_ns ? lat_ns : s->min_ns;
	s->max_ns = lat_ns > s->max_ns ? lat_ns : s->max_ns;
	s->last_ns = ts_ns > s->last_ns ? ts_ns : s->last_ns;
	s->first_slot = slot < s->first_slot ? slot : s->first_slot;
	s->last_slot = slot > s->last_slot ? slot : s->last_slot;
	s->count++;
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

u32 diff_sample_slices(const struct diff_sample *s)
{
	return (u32)((s->count + s->per_slice - 1) / s->per_slice);
}

u64 diff_sample_in_slice(const struct diff_sample *s, u32 i)
{
	u64 before = i * s->per_slice, left = s->count > before ? s->count - before : 0;

	return left < s->per_slice ? left : s->per_slice;
}
