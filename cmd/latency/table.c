// SPDX-License-Identifier: GPL-2.0-or-later
/* A bounded table of latency rows: an array in order, found by an open hash of indexes. */
#include "cmd/latency/table.h"

#include "lib/base/err.h"
#include "lib/base/str.h"

struct agg {
	const struct latency_cfg *cfg;
	struct agg_row **rows; /* limit of them, made when first needed and kept */
	u32 n, limit;
	struct agg_row *other;
	u32 *index; /* 1 + place in rows, 0: free */
	u32 mask;
	struct agg_row *last; /* found last: commands come in runs */
};

static struct agg_row *row_new(const struct agg *a)
{
	return calloc(1, sizeof(struct agg_row) + a->cfg->hist.slots * sizeof(u64));
}

static void row_clear(const struct agg *a, struct agg_row *row)
{
	memset(row, 0, sizeof(*row) + a->cfg->hist.slots * sizeof(u64));
}

int agg_open(struct agg **out, const struct latency_cfg *cfg)
{
	struct agg *a = calloc(1, sizeof(*a));
	u32 size = 64;

	if (!a)
		return fail(-ENOMEM, NULL, NULL, "cannot keep latencies");
	a->cfg = cfg;
	a->limit = cfg->slots - 1;
	while (size < a->limit * 2)
		size *= 2;
	a->mask = size - 1;
	a->index = calloc(size, sizeof(*a->index));
	a->rows = calloc(cfg->slots, sizeof(void *)); /* agg_at() sees "(other)" behind the last */
	a->other = row_new(a);
	if (!a->index || !a->rows || !a->other) {
		agg_close(a);
		return fail(-ENOMEM, NULL, NULL, "cannot keep latencies");
	}
	a->other->other = true;
	*out = a;
	return 0;
}

void agg_close(struct agg *a)
{
	u32 i;

	if (!a)
		return;
	for (i = 0; a->rows && i < a->limit && a->rows[i]; i++)
		free(a->rows[i]);
	free(a->rows);
	free(a->index);
	free(a->other);
	free(a);
}

/* A row for @key at the end of the table; "(other)" when there is no room. */
static struct agg_row *row_add(struct agg *a, const struct latency_key *key, u32 at)
{
	struct agg_row *row;

	if (a->n == a->limit)
		return a->other;
	row = a->rows[a->n];
	if (!row) {
		row = row_new(a);
		if (!row)
			return a->other;
		a->rows[a->n] = row;
	}
	a->n++;
	row->key = *key;
	a->index[at] = a->n;
	return row;
}

static struct agg_row *row_find(struct agg *a, const struct latency_key *key)
{
	u32 at;

	if (a->last && latency_key_equal(&a->last->key, key, true))
		return a->last;
	at = latency_key_hash(key) & a->mask;
	while (a->index[at]) {
		a->last = a->rows[a->index[at] - 1];
		if (latency_key_equal(&a->last->key, key, true))
			return a->last;
		at = (at + 1) & a->mask;
	}
	a->last = NULL;
	return row_add(a, key, at);
}

bool agg_add(struct agg *a, const struct latency_key *key, u64 lat_ns, u64 bytes, bool error)
{
	struct agg_row *row = row_find(a, key);

	row->count++;
	latency_cell_add(&row->sum, lat_ns, bytes, error);
	row->buckets[hist_slot(&a->cfg->hist, lat_ns)]++;
	return row != a->other;
}

u64 agg_merge(struct agg *a, const struct latency_key *key, const struct latency_cell *cell)
{
	const u64 *buckets = (const u64 *)(cell + 1);
	struct agg_row *row;
	u64 count = 0;
	u32 i;

	if (!cell->max_inv_ns)
		return 0;
	row = key ? row_find(a, key) : a->other;
	row->sum.errors += cell->errors;
	row->sum.bytes += cell->bytes;
	row->sum.sum_ns += cell->sum_ns;
	if (cell->max_ns > row->sum.max_ns)
		row->sum.max_ns = cell->max_ns;
	if (cell->max_inv_ns > row->sum.max_inv_ns)
		row->sum.max_inv_ns = cell->max_inv_ns;
	for (i = 0; i < a->cfg->hist.slots; i++) {
		row->buckets[i] += buckets[i];
		count += buckets[i];
	}
	row->count += count;
	return count;
}

u32 agg_rows(const struct agg *a)
{
	return a->n + (a->other->count ? 1 : 0);
}

const struct agg_row *agg_at(const struct agg *a, u32 i)
{
	return i < a->n ? a->rows[i] : a->other;
}

struct order {
	int (*compare)(const struct latency_key *, const struct latency_key *, void *);
	void *ctx;
};

static int compare_rows(const void *a, const void *b, void *arg)
{
	const struct agg_row *const *x = a, *const *y = b;
	const struct order *order = arg;

	return order->compare(&(*x)->key, &(*y)->key, order->ctx);
}

/* Places in rows changed: writes the index anew. */
static void reindex(struct agg *a)
{
	u32 i, at;

	memset(a->index, 0, (a->mask + 1) * sizeof(*a->index));
	a->last = NULL;
	for (i = 0; i < a->n; i++) {
		at = latency_key_hash(&a->rows[i]->key) & a->mask;
		while (a->index[at])
			at = (at + 1) & a->mask;
		a->index[at] = i + 1;
	}
}

void agg_sort(struct agg *a,
	      int (*compare)(const struct latency_key *, const struct latency_key *, void *),
	      void *ctx)
{
	struct order order = { compare, ctx };

	qsort_r(a->rows, a->n, sizeof(void *), compare_rows, &order);
	reindex(a);
}

void agg_reset(struct agg *a)
{
	u32 i;

	for (i = 0; i < a->n; i++)
		row_clear(a, a->rows[i]);
	row_clear(a, a->other);
	a->other->other = true;
	a->n = 0;
	reindex(a);
}
