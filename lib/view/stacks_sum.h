// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows of `stacks`: the sums over the commands of a stack and a key. */
#ifndef NVT_VIEW_STACKS_SUM_H
#define NVT_VIEW_STACKS_SUM_H

#include "bpf/shared/stacks.h"
#include "lib/group/group.h"

#define STACKS_TABLE_ROWS (1U << 16)

/* A row of lib/group/table.h. A stack is known by the number of its text (lib/view/stacks_texts.h). */
struct stacks_sum {
	struct group_key key;
	s32 kstack, ustack; /* STACKS_NONE where not asked for */
	u64 worker;
	struct stacks_cell sum; /* the key ends before it */
	u64 buckets[]; /* hist.slots of them, with STACKS_HIST only */
};
#define STACKS_KEY_BYTES offsetof(struct stacks_sum, sum)

enum stacks_weight { STACKS_COUNT, STACKS_BYTES, STACKS_LAT };

/* The weight of a row. */
static inline u64 stacks_weigh(const struct stacks_sum *row, enum stacks_weight weight)
{
	switch (weight) {
	case STACKS_BYTES:
		return row->sum.bytes;
	case STACKS_LAT:
		return row->sum.sum_ns;
	default:
		return row->sum.count;
	}
}

/* The size of a row. */
size_t stacks_sum_bytes(const struct stacks_cfg *cfg);

/* Adds one command of a recording. */
void stacks_sum_add(struct stacks_sum *row, const struct stacks_cfg *cfg, u64 lat_ns, u64 bytes,
		    bool error);

/* Adds a cell and the buckets behind it. */
void stacks_sum_merge(struct stacks_sum *row, const struct stacks_cfg *cfg,
		      const struct stacks_cell *cell);

/* Orders rows of the same weight: by stack, then by key. */
int stacks_sum_compare(const struct group *g, const struct stacks_sum *a,
		       const struct stacks_sum *b);

#endif
