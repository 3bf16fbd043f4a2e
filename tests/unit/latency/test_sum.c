// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows of latency: keys of the kernel, size classes, adding up, merging of cells. */
#include <setjmp.h>
#include <stdarg.h>

#include "cmd/latency/sum.h"
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
	struct latency_cfg cfg = config(1 << KEY_CTRL | 1 << KEY_OPCODE, 64);
	struct latency_key x, y;

	(void)state;
	b.qid = 9;
	b.pid = 99;
	x = key_of(&cfg, a);
	y = key_of(&cfg, b);
	assert_memory_equal(&x, &y, sizeof(x));
	assert_true(latency_key_equal(&x, &y, true));
	assert_int_equal(latency_key_mark(&x, true), latency_key_mark(&y, true));
	cfg.by |= 1 << KEY_QID;
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
	struct latency_cfg cfg = config(1 << KEY_NS, 64);
	struct latency_key key;

	(void)state;
	key = key_of(&cfg, in);
	assert_int_equal(key.nsid, 4);
	assert_int_equal(key.fabrics, 0);
	in.opcode = 0x7f;
	key = key_of(&cfg, in);
	assert_int_equal(key.nsid, 0);
	assert_int_equal(key.fabrics, 1);
	cfg.by = 1 << KEY_STATUS;
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
	struct latency_cfg cfg = config(1 << KEY_SIZE, 64);

	(void)state;
	cfg.n_sizes = 2;
	cfg.size_edge[0] = 16384;
	cfg.size_edge[1] = 65536;
	assert_int_equal(key_size_class(cfg.size_edge, 0), 0);
	assert_int_equal(key_size_class(cfg.size_edge, 16384), 0);
	assert_int_equal(key_size_class(cfg.size_edge, 16385), 1);
	assert_int_equal(key_size_class(cfg.size_edge, 65536), 1);
	assert_int_equal(key_size_class(cfg.size_edge, ~0U), 2);
}

static struct latency_sum *row_new(const struct latency_cfg *cfg)
{
	struct latency_sum *row = calloc(1, latency_sum_bytes(&cfg->hist));

	assert_non_null(row);
	return row;
}

static void test_add(void **state)
{
	struct latency_cfg cfg = config(0, 64);
	struct latency_sum *row = row_new(&cfg);

	(void)state;
	latency_sum_add(row, &cfg.hist, 500, 4096, false);
	latency_sum_add(row, &cfg.hist, 100, 4096, false);
	latency_sum_add(row, &cfg.hist, 300, 4096, true);
	assert_int_equal(row->count, 3);
	assert_int_equal(row->sum.errors, 1);
	assert_int_equal(row->sum.bytes, 12288);
	assert_int_equal(row->sum.sum_ns, 900);
	assert_int_equal(row->sum.max_ns, 500);
	assert_int_equal(~row->sum.max_inv_ns, 100);
	assert_int_equal(row->buckets[hist_slot(&cfg.hist, 300)], 1);
	free(row);
}

static void test_merge(void **state)
{
	struct latency_cfg cfg = config(0, 64);
	struct {
		struct latency_cell sum;
		u64 buckets[HIST_SLOTS_MAX];
	} cpu0 = { 0 }, cpu1 = { 0 }, idle = { 0 };
	struct latency_sum *row = row_new(&cfg);

	(void)state;
	latency_cell_add(&cpu0.sum, 1000, 512, 0);
	latency_cell_add(&cpu1.sum, 10, 512, 1);
	cpu0.buckets[5] = 1;
	cpu1.buckets[5] = 1;
	assert_int_equal(latency_sum_merge(row, &cfg.hist, &cpu0.sum), 1);
	assert_int_equal(latency_sum_merge(row, &cfg.hist, &cpu1.sum), 1);
	assert_int_equal(latency_sum_merge(row, &cfg.hist, &idle.sum), 0);
	assert_int_equal(row->count, 2);
	assert_int_equal(row->sum.errors, 1);
	assert_int_equal(row->sum.max_ns, 1000);
	assert_int_equal(~row->sum.max_inv_ns, 10);
	assert_int_equal(row->buckets[5], 2);
	free(row);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_key_holds_what_was_asked),
		cmocka_unit_test(test_fabrics),
		cmocka_unit_test(test_cells),
		cmocka_unit_test(test_size_classes),
		cmocka_unit_test(test_add),
		cmocka_unit_test(test_merge),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
