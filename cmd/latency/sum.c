// SPDX-License-Identifier: GPL-2.0-or-later
/* Merges the cells of all CPUs. */
#include "cmd/latency/sum.h"

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
