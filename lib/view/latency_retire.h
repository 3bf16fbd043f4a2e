// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Gives rows of the programs back, so that a run that meets ever new keys, as `top` does with
 * processes, has rows for those that are there.
 *
 * Programs that run have found a row by its key or by what a queue remembers, and still add to it.
 * So a row goes in steps, with a wait until all programs that run have ended between them:
 *   1. LATENCY_RETIRED is its mark, and no program finds it by its key any more;
 *   2. its key is zeroed, queues forget the row, and no program finds it at all;
 *   3. it is free. Where something was added to it meanwhile, it keeps its key here until the next
 *      interval has collected that.
 */
#ifndef NVT_VIEW_LATENCY_RETIRE_H
#define NVT_VIEW_LATENCY_RETIRE_H

#include "bpf/shared/latency.h"

struct session;

enum latency_place_state { LATENCY_PLACE_LIVE, LATENCY_PLACE_CHOSEN, LATENCY_PLACE_GONE };

/* User space notes this of each slot and the row in it. */
struct latency_place {
	struct kernel_key key; /* of one that is gone */
	u64 count; /* commands in the interval that was collected last */
	u8 state; /* enum latency_place_state */
	bool used; /* a key has it */
};

/* The programs' memory, and our notes on their rows. */
struct latency_rows {
	const struct latency_cfg *cfg;
	struct latency_slot *keys;
	char *cells;
	struct hist_extremes *extremes;
	struct latency_place *place; /* cfg->slots of them, NULL: none is given back */
};

/* Finds the memory, at the first call. False: there is none, as in replay. */
bool latency_rows_open(struct latency_rows *r, struct session *s);

/* Cell of a copy. */
struct latency_cell *latency_rows_cell(const struct latency_rows *r, u32 bank, u32 copy, u32 slot);

/* Where CPUs share cells: moves into these the extremes that each CPU has of the row. */
void latency_rows_gather(const struct latency_rows *r, u32 bank, u32 slot);

/* The key of the commands in the cells of a slot; false: it has none. */
bool latency_rows_key(const struct latency_rows *r, u32 slot, struct kernel_key *key);

/*
 * Chooses the rows to be given back by what the last interval had: those without a command, as soon
 * as a quarter of the table is taken. If commands found no row (@full), the quieter half of the
 * rows as well. True: there are some.
 */
bool latency_rows_choose(struct latency_rows *r, u32 bank, bool full);

/* Gives back those that were chosen. @bank: the one that was collected. */
void latency_rows_give_back(struct latency_rows *r, struct session *s, u32 bank);

/* After the collection: frees the rows that were only kept for that. */
void latency_rows_free(struct latency_rows *r, struct session *s);

#endif
