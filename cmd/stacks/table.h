// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows of `stacks` in user space. In their keys a stack is the number of its text
 * (cmd/stacks/texts.h), or STACKS_NONE where it was not asked for; bank is 0, and pid unless it is
 * a key of its own.
 */
#ifndef NVT_STACKS_TABLE_H
#define NVT_STACKS_TABLE_H

#include "bpf/shared/stacks.h"

#define STACKS_TABLE_ROWS (1U << 16)

struct stacks_table;

struct stacks_sum {
	struct stacks_key key;
	bool lost; /* of whatever found no row: the key says nothing */
	struct stacks_cell sum;
	u64 buckets[]; /* hist.slots of them with STACKS_HIST */
};

enum stacks_weight { STACKS_COUNT, STACKS_BYTES, STACKS_LAT };

/*
 * @cfg must outlive it; further rows than @limit are summed up as lost. 0 or -ENOMEM after a
 * message.
 */
int stacks_table_open(struct stacks_table **t, const struct stacks_cfg *cfg, u32 limit);

/* Adds one command, for replay. False when it went to the lost ones. */
bool stacks_table_add(struct stacks_table *t, const struct stacks_key *key, u64 lat_ns, u64 bytes,
		      bool error);

/*
 * Adds what a cell holds, its buckets behind it. @key NULL: lost. As above; empty cells make no
 * row.
 */
bool stacks_table_merge(struct stacks_table *t, const struct stacks_key *key,
			const struct stacks_cell *cell);

/* What a row weighs. */
u64 stacks_weigh(const struct stacks_sum *row, enum stacks_weight weight);

/* Sorts the rows, the heaviest first; how many there are, and the sum of what they weigh. */
u32 stacks_table_sort(struct stacks_table *t, enum stacks_weight weight, u64 *total);
const struct stacks_sum *stacks_table_at(const struct stacks_table *t, u32 i);

/* Forgets all rows. */
void stacks_table_reset(struct stacks_table *t);

void stacks_table_close(struct stacks_table *t); /* NULL is allowed */

#endif
