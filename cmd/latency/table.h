// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows of `latency` by key, in user space: live they gather what the cells of all CPUs and banks
 * hold, in replay each command is added by itself.
 */
#ifndef NVT_LATENCY_TABLE_H
#define NVT_LATENCY_TABLE_H

#include "bpf/shared/latency.h"

struct agg;

/* One row. Pointers stay valid until agg_reset(). */
struct agg_row {
	struct latency_key key;
	bool other; /* the row "(other)": commands whose keys found no row of their own */
	u64 count;
	struct latency_cell sum;
	u64 buckets[]; /* cfg.hist.slots */
};

/*
 * @cfg must outlive it; cfg->slots bounds the rows, "(other)" included. 0 or -ENOMEM after a
 * message.
 */
int agg_open(struct agg **out, const struct latency_cfg *cfg);
void agg_close(struct agg *a); /* NULL is allowed */

/* Adds one command, for replay. False when it went to "(other)". */
bool agg_add(struct agg *a, const struct latency_key *key, u64 lat_ns, u64 bytes, bool error);

/*
 * Adds what a cell holds, its buckets behind it: that many commands. @key NULL is "(other)". Empty
 * cells make no row.
 */
u64 agg_merge(struct agg *a, const struct latency_key *key, const struct latency_cell *cell);

/* Rows that hold something, in the order they came or as sorted. "(other)" is the last. */
u32 agg_rows(const struct agg *a);
const struct agg_row *agg_at(const struct agg *a, u32 i);

/* Sorts the rows but "(other)". */
void agg_sort(struct agg *a,
	      int (*compare)(const struct latency_key *, const struct latency_key *, void *),
	      void *ctx);

/* Forgets all rows. */
void agg_reset(struct agg *a);

#endif
