// SPDX-License-Identifier: GPL-2.0-or-later
/* A table of rows: an array in the order of arrival, with an open-addressing hash as its index. */
#include "lib/group/table.h"

#include "lib/base/hash.h"
#include "lib/base/str.h"
#include "lib/group/group.h"

#define RECENT_BITS 4
#define RECENT	    (1 << RECENT_BITS)

struct group_table {
	size_t key_words, row_bytes;
	u64 **rows; /* limit of them, allocated when first needed and then kept */
	u64 *other;
	u64 *recent[RECENT]; /* rows found last, NULL: the next keys are often theirs */
	struct hash_index index; /* of rows by their position */
	const void **sorted; /* limit + 1 of them */
	u32 n, limit;
	bool other_used;
};

static void other_clear(struct group_table *t)
{
	memset(t->other, 0, t->row_bytes);
	((struct group_key *)t->other)->other = true;
	t->other_used = false;
}

struct group_table *group_table_open(size_t key_bytes, size_t row_bytes, u32 limit)
{
	struct group_table *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->key_words = key_bytes / sizeof(u64);
	t->row_bytes = row_bytes;
	t->limit = limit;
	t->rows = calloc(limit, sizeof(*t->rows));
	t->sorted = calloc(limit + 1, sizeof(*t->sorted));
	t->other = malloc(row_bytes);
	if (hash_open(&t->index, limit) || !t->rows || !t->sorted || !t->other) {
		group_table_close(t);
		return NULL;
	}
	other_clear(t);
	return t;
}

void group_table_close(struct group_table *t)
{
	if (!t)
		return;
	for (u32 i = 0; t->rows && i < t->limit; i++)
		free(t->rows[i]);
	free(t->rows);
	free(t->sorted);
	hash_close(&t->index);
	free(t->other);
	free(t);
}

static bool equal(const struct group_table *t, const u64 *a, const u64 *b)
{
	u64 differ = 0;

	for (size_t i = 0; i < t->key_words; i++)
		differ |= a[i] ^ b[i];
	return !differ;
}

/* Adds a row for @key to the table; NULL when there is no room. */
static u64 *row_add(struct group_table *t, const u64 *key, u32 at)
{
	u64 **row = &t->rows[t->n];

	if (t->n == t->limit)
		return NULL;
	if (*row)
		memset(*row, 0, t->row_bytes);
	else
		*row = calloc(1, t->row_bytes); /* buckets not used take no memory */
	if (!*row)
		return NULL;
	memcpy(*row, key, t->key_words * sizeof(u64));
	hash_put(&t->index, at, t->n++);
	return *row;
}

/* The row of @key, or NULL and *place in the index, where it would be. */
static u64 *row_search(const struct group_table *t, const u64 *key, u32 *place)
{
	u32 at = hash_first(&t->index, hash_words(&t->index.key, key, t->key_words)), i;

	for (; hash_number(&t->index, at, &i); at = hash_next(&t->index, at))
		if (equal(t, t->rows[i], key))
			return t->rows[i];
	*place = at;
	return NULL;
}

void *group_table_find(const struct group_table *t, const void *key)
{
	u32 at = 0;

	return row_search(t, key, &at);
}

static u64 *row_find(struct group_table *t, const u64 *key)
{
	u32 at = 0;
	u64 *row = row_search(t, key, &at);

	return row ? row : row_add(t, key, at);
}

/* Where a row with that key would be among the recent ones. */
static u64 **recent_of(struct group_table *t, const u64 *key)
{
	u64 sum = 0;

	for (size_t i = 0; i < t->key_words; i++)
		sum ^= key[i];
	return &t->recent[sum * 0x9e3779b97f4a7c15ULL >> (64 - RECENT_BITS)];
}

static u64 *row_of(struct group_table *t, const u64 *key)
{
	u64 **recent = recent_of(t, key);

	if (!*recent || !equal(t, *recent, key))
		*recent = row_find(t, key);
	return *recent;
}

void *group_table_row(struct group_table *t, const void *key)
{
	u64 *row = key ? row_of(t, key) : NULL;

	if (row)
		return row;
	t->other_used = true;
	return t->other;
}

struct order {
	int (*compare)(const void *, const void *, void *);
	void *ctx;
};

static int compare_rows(const void *a, const void *b, void *ctx)
{
	const struct order *order = ctx;

	return order->compare(*(const void *const *)a, *(const void *const *)b, order->ctx);
}

u32 group_table_sort(struct group_table *t, int (*compare)(const void *a, const void *b, void *ctx),
		     void *ctx)
{
	struct order order = { compare, ctx };
	u32 n = t->n;

	memcpy(t->sorted, t->rows, n * sizeof(*t->rows));
	if (t->other_used)
		t->sorted[n++] = t->other;
	if (compare)
		qsort_r(t->sorted, n, sizeof(*t->sorted), compare_rows, &order);
	return n;
}

const void *group_table_at(const struct group_table *t, u32 i)
{
	return t->sorted[i];
}

void group_table_reset(struct group_table *t)
{
	hash_clear(&t->index);
	memset(t->recent, 0, sizeof(t->recent));
	t->n = 0;
	other_clear(t);
}
