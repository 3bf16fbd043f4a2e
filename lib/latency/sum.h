// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows of latencies: the sums and the histogram of the commands of a key. */
#ifndef NVT_LATENCY_SUM_H
#define NVT_LATENCY_SUM_H

#include "bpf/shared/latency.h"
#include "lib/base/hist.h"
#include "lib/group/group.h"

/* A row of lib/group/table.h. */
struct latency_sum {
	struct group_key key;
	u64 phase; /* enum latency_phase */
	u64 count; /* the key ends before it */
	struct latency_cell sum;
	u64 buckets[]; /* hist_cfg.slots */
};
#define LATENCY_KEY_BYTES offsetof(struct latency_sum, count)

/* The size of a row. */
static inline size_t latency_sum_bytes(const struct hist_cfg *hist)
{
	return sizeof(struct latency_sum) + hist->slots * sizeof(u64);
}

/* Adds one command of a recording. */
static inline void latency_sum_add(struct latency_sum *row, const struct hist_cfg *hist, u64 lat_ns,
				   u64 bytes, bool error)
{
	row->count++;
	latency_cell_add(&row->sum, lat_ns, bytes, error);
	row->buckets[hist_slot(hist, lat_ns)]++;
}

/* Its histogram, in the buckets of @row. */
struct hist latency_sum_hist(const struct latency_sum *row, const struct hist_cfg *hist);

/* Orders rows: by key as group_compare() does, then by phase. For group_table_sort(). */
int latency_sum_compare(const void *a, const void *b, void *group);

/* Adds a cell and the buckets behind it; returns how many commands that were. */
u64 latency_sum_merge(struct latency_sum *row, const struct hist_cfg *hist,
		      const struct latency_cell *cell);

#endif
