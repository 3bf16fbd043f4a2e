// SPDX-License-Identifier: GPL-2.0-or-later
/* The programs give rows back, and CPUs add to cells that they share. */
#include "lib/base/str.h"
#include "lib/loader/loader.h"
#include "lib/session/impl.h"
#include "lib/view/latency_retire.h"
#include "lib/view/latency_size.h"
#include "lib/view/latency_sum.h"
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>

#define SLOTS 103 /* 102 rows: a quarter is 25 */

struct memory {
	struct latency_cfg cfg;
	struct latency_rows rows;
};

static void memory_open(struct memory *m, u32 cpus, u32 copies)
{
	struct latency_cfg *cfg = &m->cfg;

	*m = (struct memory){ .cfg = { .cpus = cpus, .copies = copies, .slots = SLOTS } };
	hist_shape(&cfg->hist, LATENCY_FINE, 0, 0);
	cfg->cell_bytes = latency_cell_size(&cfg->hist);
	m->rows.cfg = cfg;
	m->rows.keys = calloc(SLOTS, sizeof(*m->rows.keys));
	m->rows.cells = calloc((size_t)LATENCY_BANKS * copies * SLOTS, cfg->cell_bytes);
	m->rows.extremes = calloc(latency_extremes_count(cfg), latency_extremes_bytes(cfg));
	m->rows.place = calloc(SLOTS, sizeof(*m->rows.place));
	assert_non_null(m->rows.keys);
	assert_non_null(m->rows.cells);
	assert_non_null(m->rows.extremes);
	assert_non_null(m->rows.place);
}

static void memory_close(struct memory *m)
{
	free(m->rows.keys);
	free(m->rows.cells);
	free(m->rows.extremes);
	free(m->rows.place);
}

/* The first @n rows are in use. */
static void use(struct memory *m, u32 n)
{
	for (u32 i = 0; i < n; i++)
		m->rows.place[i].used = true;
}

static u32 chosen(const struct memory *m)
{
	u32 n = 0;

	for (u32 i = 0; i < SLOTS; i++)
		n += m->rows.place[i].state == LATENCY_PLACE_CHOSEN;
	return n;
}

TEST(idle_rows_go_from_a_quarter_on)
{
	struct memory m;

	memory_open(&m, 2, 2);
	use(&m, 25);
	assert_false(latency_rows_choose(&m.rows, 0, false));
	use(&m, 26);
	m.rows.place[3].count = 1;
	assert_true(latency_rows_choose(&m.rows, 0, false));
	assert_int_equal(chosen(&m), 25);
	assert_int_equal(m.rows.place[3].state, LATENCY_PLACE_LIVE);
	memory_close(&m);
}

/* A row that came after the interval is not idle, whichever CPU it came on. */
TEST(new_rows_stay)
{
	struct memory m;

	memory_open(&m, 2, 2);
	use(&m, 30);
	latency_rows_cell(&m.rows, 1, 1, 7)->extremes.max_inv_ns = 1;
	assert_true(latency_rows_choose(&m.rows, 0, false));
	assert_int_equal(m.rows.place[7].state, LATENCY_PLACE_LIVE);
	assert_int_equal(chosen(&m), 29);
	memory_close(&m);

	memory_open(&m, 4, 2);
	use(&m, 30);
	m.rows.extremes[latency_cell_index(SLOTS, 0, 3, 9)].max_inv_ns = 1;
	assert_true(latency_rows_choose(&m.rows, 1, false));
	assert_int_equal(m.rows.place[9].state, LATENCY_PLACE_LIVE);
	assert_int_equal(chosen(&m), 29);
	memory_close(&m);
}

/* Where commands found no row, the busier half keeps its rows; of equal ones nobody knows. */
TEST(the_busiest_stay)
{
	struct memory m;

	memory_open(&m, 2, 2);
	use(&m, 10);
	for (u32 i = 0; i < 10; i++)
		m.rows.place[i].count = 10 - i;
	assert_true(latency_rows_choose(&m.rows, 0, true));
	for (u32 i = 0; i < 10; i++)
		assert_int_equal(m.rows.place[i].state,
				 i < 5 ? LATENCY_PLACE_LIVE : LATENCY_PLACE_CHOSEN);
	memory_close(&m);

	memory_open(&m, 2, 2);
	use(&m, 10);
	for (u32 i = 0; i < 10; i++)
		m.rows.place[i].count = 3;
	assert_true(latency_rows_choose(&m.rows, 0, true));
	assert_int_equal(chosen(&m), 10);
	memory_close(&m);
}

TEST(shared_extremes)
{
	struct memory m;
	struct latency_cell *cell;

	memory_open(&m, 5, 2);
	m.rows.extremes[latency_cell_index(SLOTS, 1, 1, 4)] = (struct hist_extremes){ 70, ~30ULL };
	m.rows.extremes[latency_cell_index(SLOTS, 1, 3, 4)] = (struct hist_extremes){ 90, ~50ULL };
	m.rows.extremes[latency_cell_index(SLOTS, 1, 4, 4)] = (struct hist_extremes){ 20, ~10ULL };
	latency_rows_gather(&m.rows, 1, 4);
	cell = latency_rows_cell(&m.rows, 1, 1, 4);
	assert_true(cell->extremes.max_ns == 90 && ~cell->extremes.max_inv_ns == 30);
	cell = latency_rows_cell(&m.rows, 1, 0, 4);
	assert_true(cell->extremes.max_ns == 20 && ~cell->extremes.max_inv_ns == 10);
	memset(cell, 0, sizeof(*cell));
	latency_rows_gather(&m.rows, 1, 4);
	assert_int_equal(cell->extremes.max_inv_ns, 0);
	memory_close(&m);
}

/* The key of a row that is gone is kept; one that is half written, or given back, is none. */
TEST(keys)
{
	static const struct kernel_key want = { .who = { .pid = 5 }, .opcode = 2 };
	struct kernel_key key;
	struct memory m;

	memory_open(&m, 1, 1);
	m.rows.keys[1].key = want;
	assert_false(latency_rows_key(&m.rows, 1, &key));
	m.rows.keys[1].mark = key_mark(&want, KEYS_ALL);
	assert_true(latency_rows_key(&m.rows, 1, &key));
	m.rows.keys[1].mark = LATENCY_RETIRED;
	assert_false(latency_rows_key(&m.rows, 1, &key));
	m.rows.place[1] = (struct latency_place){ .key = want, .state = LATENCY_PLACE_GONE };
	assert_true(latency_rows_key(&m.rows, 1, &key));
	assert_memory_equal(&key, &want, sizeof(key));
	memory_close(&m);
}

/*
 * A chosen row has neither mark nor key any more, and its place is free; but one to which a command was
 * added meanwhile keeps its key here until that was collected.
 */
TEST(given_back)
{
	static const struct kernel_key keys[] = { { .opcode = 1 },
						  { .opcode = 2 },
						  { .opcode = 3 } };
	static const struct kernel_key none;
	const struct internal_opts opts = { .verbose = 0 };
	struct session *s = calloc(1, sizeof(*s));
	struct kernel_key key;
	struct memory m;

	assert_int_equal(loader_open(&s->loader, "latency", &opts), 0);
	memory_open(&m, 1, 1);
	use(&m, ARRAY_SIZE(keys));
	for (u32 i = 0; i < ARRAY_SIZE(keys); i++) {
		m.rows.keys[i].key = keys[i];
		m.rows.keys[i].mark = key_mark(&keys[i], KEYS_ALL);
	}
	m.rows.place[0].state = m.rows.place[1].state = LATENCY_PLACE_CHOSEN;
	latency_rows_cell(&m.rows, 1, 0, 1)->extremes.max_inv_ns = 1;
	latency_rows_give_back(&m.rows, s, 0);
	assert_int_equal(m.rows.place[0].state, LATENCY_PLACE_LIVE);
	assert_false(m.rows.place[0].used);
	assert_false(latency_rows_key(&m.rows, 0, &key));
	assert_memory_equal(&m.rows.keys[0].key, &none, sizeof(none));
	assert_int_equal(m.rows.place[1].state, LATENCY_PLACE_GONE);
	assert_true(latency_rows_key(&m.rows, 1, &key));
	assert_memory_equal(&key, &keys[1], sizeof(key));
	assert_int_equal(m.rows.keys[1].mark, LATENCY_RETIRED);
	assert_memory_equal(&m.rows.keys[1].key, &none, sizeof(none));
	assert_true(latency_rows_key(&m.rows, 2, &key));
	assert_memory_equal(&key, &keys[2], sizeof(key));
	latency_rows_free(&m.rows, s);
	assert_int_equal(m.rows.place[1].state, LATENCY_PLACE_LIVE);
	assert_false(m.rows.place[1].used);
	assert_false(latency_rows_key(&m.rows, 1, &key));
	memory_close(&m);
	loader_close(s->loader);
	free(s);
}
