// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows of latencies: the sums and the histogram of the commands of a key. */
#ifndef NVT_VIEW_LATENCY_SUM_H
#define NVT_VIEW_LATENCY_SUM_H

#include "bpf/shared/latency.h"
#include "lib/base/hist.h"
#include "lib/cli/expr.h"
#include "lib/group/group.h"
#include "lib/group/table.h"

/*
 * A row of lib/group/table.h. Its sums and buckets are as in a cell; with LATENCY_BOTH a second cell
 * follows: see latency_second().
 */
struct latency_sum {
	struct group_key key;
	u64 phase; /* enum latency_phase */
	u64 count; /* the key ends before it */
	struct latency_cell sum;
	u64 buckets[]; /* hist_cfg.slots */
};
#define LATENCY_KEY_BYTES offsetof(struct latency_sum, count)

/* The size of a cell with its buckets. */
static inline u32 latency_cell_size(const struct hist_cfg *hist)
{
	return (u32)(sizeof(struct latency_cell) + hist->slots * sizeof(u64));
}

/* The size of a row. */
static inline size_t latency_sum_bytes(const struct latency_cfg *cfg)
{
	return offsetof(struct latency_sum, sum) + cfg->cell_bytes;
}

/* The buckets behind a cell. Like strchr() these take what is constant, too. */
static inline u64 *latency_buckets(const struct latency_cell *cell)
{
	return (u64 *)(cell + 1);
}

/* The cell behind @cell, which LATENCY_BOTH adds: the same commands by their latency of -Q. */
static inline struct latency_cell *latency_second(const struct latency_cell *cell,
						  const struct hist_cfg *hist)
{
	return (void *)(latency_buckets(cell) + hist->slots);
}

/* Adds one command of a recording, with a latency of it. */
static inline void latency_sample(struct latency_cell *cell, const struct hist_cfg *hist,
				  const struct event *ev, u64 lat_ns)
{
	const struct latency_cell one = latency_cell_of(lat_ns, ev->bytes, event_failed(ev));

	latency_cell_add(cell, &one);
	latency_buckets(cell)[hist_slot(hist, lat_ns)]++;
}

/*
 * Adds a latency of a command of a recording to its row, or to that of one of its phases. Returns
 * the row.
 */
struct latency_sum *latency_sum_add(struct group_table *t, const struct group *g,
				    const struct hist_cfg *hist, const struct view *v,
				    enum latency_phase phase, u64 lat_ns);

/* Its histogram, in the buckets of @row. */
struct hist latency_sum_hist(const struct latency_sum *row, const struct hist_cfg *hist);

/* The values of a row that --fail-if compares; @hist, by latency_sum_hist(), must outlive them. */
struct expr_row latency_sum_values(const struct latency_sum *row, const struct hist *hist);

/*
 * Reads the words of -P into at most HIST_PERCENTILES of @pct. 0, or a usage error.
 */
int latency_percentiles(struct percentile *pct, u32 *n, const char *list);

/*
 * The latency of a completed command; @queued: from block layer entry. Where event_entry_unknown()
 * holds that is not known, and this is not to be asked.
 */
static inline u64 latency_of(const struct event *ev, bool queued)
{
	bool earlier = queued && ev->queued_ns && ev->queued_ns < ev->submit_ns;
	u64 from_ns = earlier ? ev->queued_ns : ev->submit_ns;

	return ev->ts_ns > from_ns ? ev->ts_ns - from_ns : 0;
}

/* Orders rows: by key as group_compare() does, then by phase. For group_table_sort(). */
int latency_sum_compare(const void *a, const void *b, void *group);

/* Adds a cell and the buckets behind it; returns how many commands that were. */
u64 latency_cell_merge(struct latency_cell *to, const struct hist_cfg *hist,
		       const struct latency_cell *from);
u64 latency_sum_merge(struct latency_sum *row, const struct hist_cfg *hist,
		      const struct latency_cell *cell);

#endif
