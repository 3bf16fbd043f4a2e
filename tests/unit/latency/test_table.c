// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows of latency: keys, merging of cells, order, the row "(other)". */
#include <setjmp.h>
#include <stdarg.h>

#include "cmd/latency/table.h"
#include "lib/base/err.h"
#include "lib/base/str.h"

#include <cmocka.h> /* last: its fail() is a macro */

static struct latency_cfg config(u32 by, u32 slots)
{
	struct latency_cfg cfg = { .by = by, .slots = slots, .cpus = 2 };

	hist_shape(&cfg.hist, 3, 0, 0);
	memset(cfg.size_edge, 0xff, sizeof(cfg.size_edge));
	return cfg;
}

static struct latency_key key_of(const struct latency_cfg *cfg, struct latency_in in)
{
	struct latency_key key;

	memset(&key, 0xaa, sizeof(key));
	latency_key_fill(&key, cfg, &in);
	return key;
}

static void test_key_holds_what_was_asked(void **state)
{
	struct latency_in a = { .ctrl_id = 1, .opcode = 2, .qid = 3, .nsid = 4, .pid = 5 }, b = a;
	struct latency_cfg cfg = config(1 << LATENCY_BY_CTRL | 1 << LATENCY_BY_OPCODE, 64);
	struct latency_key x, y;

	(void)state;
	b.qid = 9;
	b.pid = 99;
	x = key_of(&cfg, a);
	y = key_of(&cfg, b);
	assert_memory_equal(&x, &y, sizeof(x));
	assert_true(latency_key_equal(&x, &y, true));
	assert_int_equal(latency_key_hash(&x), latency_key_hash(&y));
	cfg.by |= 1 << LATENCY_BY_QID;
	x = key_of(&cfg, a);
	y = key_of(&cfg, b);
	assert_false(latency_key_equal(&x, &y, true));
	/* The type of a fabrics command counts, that byte of others does not. */
	a.fctype = 4;
	x = key_of(&cfg, a);
	assert_int_equal(x.fctype, 0);
	a.opcode = 0x7f;
	x = key_of(&cfg, a);
	assert_int_equal(x.fctype, 4);
}

/*
 * Where others have a namespace a fabrics command has its type, and some statuses mean something
 * else to it.
 */
static void test_fabrics(void **state)
{
	struct latency_in in = { .opcode = 6, .nsid = 4, .status = 0x4182, .admin = 1 };
	struct latency_cfg cfg = config(1 << LATENCY_BY_NS, 64);
	struct latency_key key;

	(void)state;
	key = key_of(&cfg, in);
	assert_int_equal(key.nsid, 4);
	assert_int_equal(key.fabrics, 0);
	in.opcode = 0x7f;
	key = key_of(&cfg, in);
	assert_int_equal(key.nsid, 0);
	assert_int_equal(key.fabrics, 1);
	cfg.by = 1 << LATENCY_BY_STATUS;
	key = key_of(&cfg, in);
	assert_int_equal(key.fabrics, 1);
	in.status = 0;
	key = key_of(&cfg, in);
	assert_int_equal(key.fabrics, 0); /* one row for all successes */
}

/* Plain programs find cells of the default histogram by a size that they are compiled with. */
static void test_cells(void **state)
{
	struct hist_cfg hist;
	bool seen[2 * LATENCY_BANKS * 64] = { false };

	(void)state;
	hist_shape(&hist, LATENCY_FINE, 0, 0);
	assert_int_equal(hist.slots, LATENCY_FINE_BUCKETS);
	for (u32 i = 0; i < ARRAY_SIZE(seen); i++) {
		u32 at = latency_cell_index(64, i & 1, i >> 1 & 1, i >> 2);

		assert_true(at < ARRAY_SIZE(seen) && !seen[at]);
		seen[at] = true;
	}
}

static void test_size_classes(void **state)
{
	struct latency_cfg cfg = config(1 << LATENCY_BY_SIZE, 64);

	(void)state;
	cfg.n_sizes = 2;
	cfg.size_edge[0] = 16384;
	cfg.size_edge[1] = 65536;
	assert_int_equal(latency_size_class(&cfg, 0), 0);
	assert_int_equal(latency_size_class(&cfg, 16384), 0);
	assert_int_equal(latency_size_class(&cfg, 16385), 1);
	assert_int_equal(latency_size_class(&cfg, 65536), 1);
	assert_int_equal(latency_size_class(&cfg, ~0U), 2);
}

static int by_opcode(const struct latency_key *a, const struct latency_key *b, void *ctx)
{
	(void)ctx;
	return a->opcode - b->opcode;
}

static void test_add_and_sort(void **state)
{
	struct latency_cfg cfg = config(1 << LATENCY_BY_OPCODE, 64);
	struct latency_key write = { .opcode = 1 }, read = { .opcode = 2 };
	const struct agg_row *row;
	struct agg *a = NULL;

	(void)state;
	assert_int_equal(agg_open(&a, &cfg), 0);
	assert_int_equal(agg_rows(a), 0);
	assert_true(agg_add(a, &read, 500, 4096, false));
	assert_true(agg_add(a, &write, 900, 512, true));
	assert_true(agg_add(a, &read, 100, 4096, false));
	agg_sort(a, by_opcode, NULL);
	assert_int_equal(agg_rows(a), 2);
	assert_true(agg_add(a, &read, 300, 4096, true));
	row = agg_at(a, 1);
	assert_int_equal(row->key.opcode, 2);
	assert_int_equal(row->count, 3);
	assert_int_equal(row->sum.errors, 1);
	assert_int_equal(row->sum.bytes, 12288);
	assert_int_equal(row->sum.sum_ns, 900);
	assert_int_equal(row->sum.max_ns, 500);
	assert_int_equal(~row->sum.max_inv_ns, 100);
	assert_int_equal(row->buckets[hist_slot(&cfg.hist, 300)], 1);
	agg_reset(a);
	assert_int_equal(agg_rows(a), 0);
	assert_true(agg_add(a, &write, 7, 0, false));
	assert_int_equal(agg_at(a, 0)->count, 1);
	assert_int_equal(agg_at(a, 0)->sum.max_ns, 7);
	agg_close(a);
}

static void test_merge(void **state)
{
	struct latency_cfg cfg = config(1 << LATENCY_BY_OPCODE, 64);
	struct {
		struct latency_cell sum;
		u64 buckets[HIST_SLOTS_MAX];
	} cpu0 = { 0 }, cpu1 = { 0 }, idle = { 0 };
	struct latency_key key = { .opcode = 2 };
	const struct agg_row *row;
	struct agg *a = NULL;

	(void)state;
	latency_cell_add(&cpu0.sum, 1000, 512, 0);
	latency_cell_add(&cpu1.sum, 10, 512, 1);
	cpu0.buckets[5] = 1;
	cpu1.buckets[5] = 1;
	assert_int_equal(agg_open(&a, &cfg), 0);
	agg_merge(a, &key, &cpu0.sum);
	agg_merge(a, &key, &cpu1.sum);
	agg_merge(a, &key, &idle.sum);
	agg_merge(a, NULL, &cpu1.sum);
	assert_int_equal(agg_rows(a), 2);
	row = agg_at(a, 0);
	assert_int_equal(row->count, 2);
	assert_int_equal(row->sum.errors, 1);
	assert_int_equal(row->sum.max_ns, 1000);
	assert_int_equal(~row->sum.max_inv_ns, 10);
	assert_int_equal(row->buckets[5], 2);
	assert_true(agg_at(a, 1)->other);
	agg_close(a);
}

static void test_other_takes_the_rest(void **state)
{
	struct latency_cfg cfg = config(1 << LATENCY_BY_PID, 8);
	struct latency_key key = { 0 };
	struct agg *a = NULL;
	u64 total = 0;
	u32 i;

	(void)state;
	assert_int_equal(agg_open(&a, &cfg), 0);
	for (i = 0; i < 1000; i++) {
		key.pid = i % 20;
		assert_int_equal(agg_add(a, &key, 10, 1, false), key.pid < 7);
	}
	assert_int_equal(agg_rows(a), 8);
	for (i = 0; i < agg_rows(a); i++)
		total += agg_at(a, i)->count;
	assert_int_equal(total, 1000);
	assert_int_equal(agg_at(a, 7)->count, 1000 / 20 * 13);
	assert_true(agg_at(a, 7)->other);
	agg_close(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_key_holds_what_was_asked),
		cmocka_unit_test(test_fabrics),
		cmocka_unit_test(test_cells),
		cmocka_unit_test(test_size_classes),
		cmocka_unit_test(test_add_and_sort),
		cmocka_unit_test(test_merge),
		cmocka_unit_test(test_other_takes_the_rest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
