// SPDX-License-Identifier: GPL-2.0-or-later
/* Adds up and compares the rows of stacks. */
#include "lib/view/stacks_sum.h"

static u32 slots_of(const struct stacks_cfg *cfg)
{
	return cfg->flags & STACKS_HIST ? cfg->hist.slots : 0;
}

size_t stacks_sum_bytes(const struct stacks_cfg *cfg)
{
	return sizeof(struct stacks_sum) + slots_of(cfg) * sizeof(u64);
}

static void cell_add(struct stacks_cell *to, const struct stacks_cell *from)
{
	to->count += from->count;
	HIST_SUMS(HIST_SUM_ADD)
}

void stacks_sum_add(struct stacks_sum *row, const struct stacks_cfg *cfg, u64 lat_ns, u64 bytes,
		    bool error)
{
	cell_add(&row->sum, &(struct stacks_cell){ 1, HIST_SUMS_OF(lat_ns, bytes, error) });
	if (slots_of(cfg))
		row->buckets[hist_slot(&cfg->hist, lat_ns)]++;
}

void stacks_sum_merge(struct stacks_sum *row, const struct stacks_cfg *cfg,
		      const struct stacks_cell *cell)
{
	const u64 *buckets = (const u64 *)(cell + 1);

	cell_add(&row->sum, cell);
	for (u32 i = 0; i < slots_of(cfg); i++)
		row->buckets[i] += buckets[i];
}

int stacks_sum_compare(const struct group *g, const struct stacks_sum *a,
		       const struct stacks_sum *b)
{
	int order = a->key.other - b->key.other;

	order = order ? order : (a->kstack > b->kstack) - (a->kstack < b->kstack);
	order = order ? order : (a->ustack > b->ustack) - (a->ustack < b->ustack);
	order = order ? order : group_compare(a, b, (void *)g);
	return order ? order : (a->worker > b->worker) - (a->worker < b->worker);
}
