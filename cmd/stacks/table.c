// SPDX-License-Identifier: GPL-2.0-or-later
/* A bounded table of rows: a search tree to find them, an array to sort them. */
#include "cmd/stacks/table.h"

#include <errno.h>
#include <search.h>

#include "lib/base/err.h"
#include "lib/base/str.h"

struct stacks_table {
	const struct stacks_cfg *cfg;
	void *tree;
	struct stacks_sum **rows; /* limit of them, in the order they came */
	struct stacks_sum **sorted; /* the same and the lost one, by weight */
	struct stacks_sum *lost;
	u32 n, limit;
};

static int compare_keys(const void *a, const void *b)
{
	return memcmp(&((const struct stacks_sum *)a)->key, &((const struct stacks_sum *)b)->key,
		      sizeof(struct stacks_key));
}

static u32 slots_of(const struct stacks_cfg *cfg)
{
	return cfg->flags & STACKS_HIST ? cfg->hist.slots : 0;
}

static struct stacks_sum *row_new(const struct stacks_table *t)
{
	return calloc(1, sizeof(struct stacks_sum) + slots_of(t->cfg) * sizeof(u64));
}

int stacks_table_open(struct stacks_table **table, const struct stacks_cfg *cfg, u32 limit)
{
	struct stacks_table *t = calloc(1, sizeof(*t));

	*table = t;
	if (t) {
		t->cfg = cfg;
		t->limit = limit;
		t->rows = calloc(limit, sizeof(struct stacks_sum *));
		t->sorted = calloc(limit + 1, sizeof(struct stacks_sum *));
		t->lost = row_new(t);
	}
	if (!t || !t->rows || !t->sorted || !t->lost)
		return fail(-ENOMEM, NULL, NULL, "cannot keep stacks");
	t->lost->lost = true;
	return 0;
}

/* The row of @key, made if there is room; else that of the lost ones. */
static struct stacks_sum *row_of(struct stacks_table *t, const struct stacks_key *key)
{
	struct stacks_sum probe = { .key = *key }, *const * found, *row;

	found = tfind(&probe, &t->tree, compare_keys);
	if (found)
		return *found;
	row = t->n < t->limit ? row_new(t) : NULL;
	if (!row)
		return t->lost;
	row->key = *key;
	if (!tsearch(row, &t->tree, compare_keys)) {
		free(row);
		return t->lost;
	}
	t->rows[t->n++] = row;
	return row;
}

bool stacks_table_add(struct stacks_table *t, const struct stacks_key *key, u64 lat_ns, u64 bytes,
		      bool error)
{
	struct stacks_sum *row = row_of(t, key);

	row->sum.count++;
	row->sum.errors += error;
	row->sum.bytes += bytes;
	row->sum.sum_ns += lat_ns;
	if (slots_of(t->cfg))
		row->buckets[hist_slot(&t->cfg->hist, lat_ns)]++;
	return row != t->lost;
}

bool stacks_table_merge(struct stacks_table *t, const struct stacks_key *key,
			const struct stacks_cell *cell)
{
	const u64 *buckets = (const u64 *)(cell + 1);
	struct stacks_sum *row;

	if (!cell->count)
		return true;
	row = key ? row_of(t, key) : t->lost;
	row->sum.count += cell->count;
	row->sum.errors += cell->errors;
	row->sum.bytes += cell->bytes;
	row->sum.sum_ns += cell->sum_ns;
	for (u32 i = 0; i < slots_of(t->cfg); i++)
		row->buckets[i] += buckets[i];
	return row != t->lost;
}

u64 stacks_weigh(const struct stacks_sum *row, enum stacks_weight weight)
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

static int compare_weights(const void *a, const void *b, void *arg)
{
	const struct stacks_sum *x = *(struct stacks_sum *const *)a;
	const struct stacks_sum *y = *(struct stacks_sum *const *)b;
	const enum stacks_weight *weight = arg;
	u64 left = stacks_weigh(x, *weight), right = stacks_weigh(y, *weight);

	if (left != right)
		return left > right ? -1 : 1;
	return x->lost != y->lost ? x->lost - y->lost : compare_keys(x, y);
}

u32 stacks_table_sort(struct stacks_table *t, enum stacks_weight weight, u64 *total)
{
	u32 n = t->n;

	memcpy(t->sorted, t->rows, n * sizeof(struct stacks_sum *));
	if (t->lost->sum.count)
		t->sorted[n++] = t->lost;
	qsort_r(t->sorted, n, sizeof(struct stacks_sum *), compare_weights, &weight);
	*total = 0;
	for (u32 i = 0; i < n; i++)
		*total += stacks_weigh(t->sorted[i], weight);
	return n;
}

const struct stacks_sum *stacks_table_at(const struct stacks_table *t, u32 i)
{
	return t->sorted[i];
}

static void keep(void *row)
{
	(void)row; /* the array frees it */
}

static void free_rows(struct stacks_table *t)
{
	tdestroy(t->tree, keep);
	t->tree = NULL;
	for (u32 i = 0; i < t->n; i++)
		free(t->rows[i]);
	t->n = 0;
}

void stacks_table_reset(struct stacks_table *t)
{
	free_rows(t);
	memset(t->lost, 0, sizeof(*t->lost) + slots_of(t->cfg) * sizeof(u64));
	t->lost->lost = true;
}

void stacks_table_close(struct stacks_table *t)
{
	if (!t)
		return;
	free_rows(t);
	free(t->rows);
	free(t->sorted);
	free(t->lost);
	free(t);
}
