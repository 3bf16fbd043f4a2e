// SPDX-License-Identifier: GPL-2.0-or-later
/* Merges the cells of all CPUs, compares rows, reads percentiles. */
#include "lib/view/latency_sum.h"

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

struct latency_sum *latency_sum_add(struct group_table *t, const struct group *g,
				    const struct hist_cfg *hist, const struct view *v,
				    enum latency_phase phase, u64 lat_ns)
{
	struct latency_sum key, *row;

	group_key_fill(&key.key, g, v);
	key.phase = phase;
	row = group_table_row(t, &key);
	row->count++;
	latency_sample(&row->sum, hist, v->ev, lat_ns);
	return row;
}

struct hist latency_sum_hist(const struct latency_sum *row, const struct hist_cfg *hist)
{
	return (struct hist){
		.cfg = hist,
		.buckets = row->buckets,
		.count = row->count,
		.min_ns = ~row->sum.extremes.max_inv_ns,
		.max_ns = row->sum.extremes.max_ns,
	};
}

struct expr_row latency_sum_values(const struct latency_sum *row, const struct hist *hist)
{
	return (struct expr_row){
		.count = row->count,
		.errors = row->sum.errors,
		.bytes = row->sum.bytes,
		.min_ns = hist->min_ns,
		.max_ns = hist->max_ns,
		.avg_ns = (double)row->sum.sum_ns / (double)row->count,
		.percentile = hist_percentile_of,
		.ctx = hist,
	};
}

int latency_sum_compare(const void *a, const void *b, void *group)
{
	const struct latency_sum *x = a, *y = b;
	int order = group_compare(a, b, group);

	return order ? order : (x->phase > y->phase) - (x->phase < y->phase);
}

u64 latency_cell_merge(struct latency_cell *to, const struct hist_cfg *hist,
		       const struct latency_cell *from)
{
	const u64 *buckets = latency_buckets(from);
	u64 *sums = latency_buckets(to), count = 0;

	latency_cell_add(to, from);
	for (u32 i = 0; i < hist->slots; i++) {
		sums[i] += buckets[i];
		count += buckets[i];
	}
	return count;
}

u64 latency_sum_merge(struct latency_sum *row, const struct hist_cfg *hist,
		      const struct latency_cell *cell)
{
	u64 count = latency_cell_merge(&row->sum, hist, cell);

	row->count += count;
	return count;
}
