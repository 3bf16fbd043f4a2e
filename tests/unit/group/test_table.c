// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of rows by key: found again, in order, bounded, forgotten. */
#include "lib/base/str.h"
#include "lib/group/group.h"
#include "lib/group/table.h"
#include "tests/unit/test.h"

/* A command may have more in its key than group_key. */
struct row {
	struct group_key key;
	u64 more;
	u64 count;
	u64 figures[3];
};
#define KEY_BYTES offsetof(struct row, count)

static struct group_table *table_of(u32 limit)
{
	struct group_table *t = group_table_open(KEY_BYTES, sizeof(struct row), limit);

	assert_non_null(t);
	return t;
}

static struct row *row_of(struct group_table *t, u32 pid, u64 more)
{
	struct row key = { .key = { .pid = pid }, .more = more, .count = 99 };

	return group_table_row(t, &key);
}

static int handed; /* handed through */

static int by_pid(const void *a, const void *b, void *ctx)
{
	const struct row *x = a, *y = b;

	assert_ptr_equal(ctx, &handed);
	if (x->key.other != y->key.other)
		return x->key.other - y->key.other;
	return (x->key.pid > y->key.pid) - (x->key.pid < y->key.pid);
}

static void fill(struct group_table *t, u32 keys, u32 step)
{
	for (u32 i = 0; i < 3 * keys; i++)
		row_of(t, i * step % keys, 0)->count++;
}

TEST(rows)
{
	struct group_table *t = table_of(64);
	struct row *row = row_of(t, 1, 0);

	assert_int_equal(row->key.pid, 1);
	assert_int_equal(row->count, 0); /* what is behind the key is the table's */
	row->count = 5;
	assert_ptr_not_equal(row_of(t, 1, 7), row);
	assert_int_equal(row_of(t, 1, 7)->more, 7);
	assert_ptr_equal(row_of(t, 1, 0), row);
	assert_int_equal(group_table_sort(t, NULL, NULL), 2);
	assert_ptr_equal(group_table_at(t, 0), row);
	group_table_close(t);
}

/* Sorting disturbs nothing, and rows that were forgotten are empty when they come again. */
TEST(sort_and_reset)
{
	struct group_table *t = table_of(4096);

	for (u32 round = 0; round < 3; round++) {
		fill(t, 1000, 7);
		assert_int_equal(group_table_sort(t, by_pid, &handed), 1000);
		for (u32 i = 0; i < 1000; i++) {
			const struct row *row = group_table_at(t, i);

			assert_int_equal(row->key.pid, i);
			assert_int_equal(row->count, 3);
		}
		fill(t, 1000, 7);
		assert_int_equal(((const struct row *)group_table_at(t, 5))->count, 6);
		group_table_reset(t);
		assert_int_equal(group_table_sort(t, by_pid, &handed), 0);
	}
	group_table_close(t);
}

/* Commands that find no row are in "(other)", so that the counts add up. */
TEST(bounded)
{
	struct group_table *t = table_of(7);
	const struct row *row;
	u64 total = 0;

	for (u32 i = 0; i < 1000; i++) {
		struct row *of = row_of(t, i % 20, 0);

		assert_int_equal(of->key.other, i % 20 >= 7);
		of->count++;
	}
	assert_int_equal(group_table_sort(t, by_pid, &handed), 8);
	for (u32 i = 0; i < 8; i++)
		total += ((const struct row *)group_table_at(t, i))->count;
	assert_int_equal(total, 1000);
	row = group_table_at(t, 7);
	assert_true(row->key.other);
	assert_int_equal(row->count, 1000 / 20 * 13);
	group_table_reset(t);
	assert_int_equal(group_table_sort(t, NULL, NULL), 0);
	assert_int_equal(((struct row *)group_table_row(t, NULL))->count, 0);
	group_table_close(t);
}

/* NULL is "(other)", which is a row only if it was asked for. */
TEST(other)
{
	struct group_table *t = table_of(7);
	struct row *other = group_table_row(t, NULL);

	assert_true(other->key.other);
	other->count = 1;
	row_of(t, 3, 0)->count = 2;
	assert_ptr_equal(group_table_row(t, NULL), other);
	assert_int_equal(group_table_sort(t, NULL, NULL), 2);
	assert_ptr_equal(group_table_at(t, 1), other);
	group_table_close(t);
}
