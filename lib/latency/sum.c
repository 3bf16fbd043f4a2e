// SPDX-License-Identifier: GPL-2.0-or-later
/* Merges the cells of all CPUs, and compares rows. */
#include "lib/latency/sum.h"

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
