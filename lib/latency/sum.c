// SPDX-License-Identifier: GPL-2.0-or-later
/* Merges the cells of all CPUs, compares rows, reads percentiles. */
#include "lib/latency/sum.h"

#include <errno.h>

#include "lib/base/err.h"

int latency_percentiles(struct percentile *pct, u32 *n, const char *list)
{
	const char *why = "expected numbers from 0 to 100 with at most six decimals";
	int err = hist_parse_percentiles(list, pct, n);

	if (err == -E2BIG)
		why = "there are too many";
	if (err == -EEXIST)
		why = "one is named twice";
	for (u32 i = 0; !err && i < *n; i++) {
		if (pct[i].word_len > 12)
			err = -EINVAL;
	}
	return err ? fail_usage(why, "write it like 50,99,99.9", "--percentiles '%s'", list) : 0;
}

struct hist latency_sum_hist(const struct latency_sum *row, const struct hist_cfg *hist)
{
	return (struct hist){
		.cfg = hist,
		.buckets = row->buckets,
		.count = row->count,
		.min_ns = ~row->sum.max_inv_ns,
		.max_ns = row->sum.max_ns,
	};
}

int latency_sum_compare(const void *a, const void *b, void *group)
{
	const struct latency_sum *x = a, *y = b;
	int order = group_compare(a, b, group);

	return order ? order : (x->phase > y->phase) - (x->phase < y->phase);
}

u64 latency_sum_merge(struct latency_sum *row, const struct hist_cfg *hist,
		      const struct latency_cell *cell)
{
	const u64 *buckets = (const u64 *)(cell + 1);
	u64 count = 0;

	row->sum.errors += cell->errors;
	row->sum.bytes += cell->bytes;
	row->sum.sum_ns += cell->sum_ns;
	if (cell->max_ns > row->sum.max_ns)
		row->sum.max_ns = cell->max_ns;
	if (cell->max_inv_ns > row->sum.max_inv_ns)
		row->sum.max_inv_ns = cell->max_inv_ns;
	for (u32 i = 0; i < hist->slots; i++) {
		row->buckets[i] += buckets[i];
		count += buckets[i];
	}
	row->count += count;
	return count;
}
