// SPDX-License-Identifier: GPL-2.0-or-later
/* Sums by key: an array of entries and a search tree over them. */
#include <search.h>

#include "cmd/pattern/sum.h"
#include "lib/base/str.h"

#define TABLE_BYTES (24U << 20)
#define TABLE_ROWS                                                                                 \
	(TABLE_BYTES / sizeof(struct pattern_entry) < 4096                                         \
		 ? TABLE_BYTES / sizeof(struct pattern_entry)                                      \
		 : 4096)

struct pattern_table {
	struct pattern_entry *entry[TABLE_ROWS]; /* made when first needed and kept */
	struct pattern_entry other;
	struct pattern_entry *last; /* found last: commands come in runs */
	void *tree;
	u32 n;
};

struct pattern_table *pattern_table_new(void)
{
	struct pattern_table *t = calloc(1, sizeof(*t));

	if (t)
		t->other.other = true;
	return t;
}

/* The key comes first in an entry. */
static int compare_bytes(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct latency_key));
}

static struct pattern_entry *add(struct pattern_table *t, const struct latency_key *key)
{
	struct pattern_entry *e;

	if (t->n == TABLE_ROWS)
		return &t->other;
	if (!t->entry[t->n])
		t->entry[t->n] = malloc(sizeof(*e));
	e = t->entry[t->n];
	if (!e)
		return &t->other;
	*e = (struct pattern_entry){ .key = *key };
	if (!tsearch(e, &t->tree, compare_bytes))
		return &t->other;
	t->n++;
	return e;
}

struct pattern_entry *pattern_table_at(struct pattern_table *t, const struct latency_key *key)
{
	void *found;

	if (t->last && latency_key_equal(&t->last->key, key, true))
		return t->last;
	found = tfind(key, &t->tree, compare_bytes);
	if (!found)
		return add(t, key);
	t->last = *(struct pattern_entry **)found;
	return t->last;
}

u32 pattern_table_rows(const struct pattern_table *t)
{
	return t->n + (t->other.sum.count ? 1 : 0);
}

const struct pattern_entry *pattern_table_row(const struct pattern_table *t, u32 i)
{
	return i < t->n ? t->entry[i] : &t->other;
}

struct sorting {
	int (*compare)(const struct latency_key *, const struct latency_key *, void *);
	void *ctx;
};

static int compare_entries(const void *a, const void *b, void *arg)
{
	const struct pattern_entry *const *x = a, *const *y = b;
	const struct sorting *s = arg;

	return s->compare(&(*x)->key, &(*y)->key, s->ctx);
}

/* The tree points to the entries, not to their places: it stays as it is. */
void pattern_table_sort(struct pattern_table *t,
			int (*compare)(const struct latency_key *, const struct latency_key *,
				       void *),
			void *ctx)
{
	struct sorting s = { compare, ctx };

	qsort_r(t->entry, t->n, sizeof(void *), compare_entries, &s);
}

void pattern_table_reset(struct pattern_table *t)
{
	while (t->tree)
		tdelete(*(void **)t->tree, &t->tree, compare_bytes);
	t->other = (struct pattern_entry){ .other = true };
	t->last = NULL;
	t->n = 0;
}

void pattern_table_free(struct pattern_table *t)
{
	if (!t)
		return;
	pattern_table_reset(t);
	for (u32 i = 0; i < TABLE_ROWS; i++)
		free(t->entry[i]);
	free(t);
}
