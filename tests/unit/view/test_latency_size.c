// SPDX-License-Identifier: GPL-2.0-or-later
/* How rows and cells share the memory, and that keys find a place among the rows. */
#include "lib/view/latency_retire.h"
#include "lib/view/latency_size.h"
#include "lib/view/latency_sum.h"
#include "tests/unit/test.h"

#include <string.h>

static struct latency_cfg sized(u32 cpus, u32 bits, u32 flags, u32 most)
{
	struct latency_cfg cfg = { .cpus = cpus, .flags = flags };

	hist_shape(&cfg.hist, bits, 0, 0);
	cfg.cell_bytes = latency_cell_size(&cfg.hist) * (flags & LATENCY_BOTH ? 2 : 1);
	latency_size(&cfg, most);
	return cfg;
}

/* A cell for each CPU or a power of two of them, and entries of the maps that hold them. */
static void check_shape(const struct latency_cfg *cfg)
{
	u32 entries = LATENCY_BANKS * cfg->copies * cfg->slots;

	assert_true(latency_map_bytes(cfg) <= LATENCY_MAP_BYTES);
	assert_int_equal(cfg->cells, cfg->copies == cfg->cpus ? entries : 0);
	assert_int_equal(cfg->shared_cells, cfg->copies == cfg->cpus ? 0 : entries);
	if (cfg->copies != cfg->cpus)
		assert_int_equal(cfg->copies & (cfg->copies - 1), 0);
	assert_in_range(cfg->copies, 1, cfg->cpus);
}

TEST(rows_for_any_number_of_cpus)
{
	for (u32 cpus = 1; cpus <= 1024; cpus++) {
		for (u32 bits = 0; bits <= HIST_BITS_MAX; bits++) {
			struct latency_cfg cfg = sized(cpus, bits, 0, LATENCY_SLOTS_LIVE);

			check_shape(&cfg);
			if (bits <= LATENCY_FINE || cpus <= 32)
				assert_true(cfg.slots > 1024);
		}
	}
}

TEST(figures)
{
	struct latency_cfg cfg = sized(4, LATENCY_FINE, 0, LATENCY_SLOTS_LIVE);

	assert_int_equal(cfg.slots, LATENCY_SLOTS_LIVE);
	assert_int_equal(cfg.copies, 4);
	cfg = sized(160, LATENCY_FINE, 0, LATENCY_SLOTS_LIVE);
	assert_int_equal(cfg.slots, LATENCY_SLOTS_LIVE);
	assert_int_equal(cfg.copies, 8);
	cfg = sized(160, LATENCY_FINE, LATENCY_BOTH, LATENCY_SLOTS_LIVE);
	assert_int_equal(cfg.copies, 4);
	cfg = sized(64, LATENCY_FINE, 0, 2);
	assert_int_equal(cfg.slots, 2);
	assert_int_equal(cfg.copies, 64);
}

/* Whether @key finds a place among those that are taken, as in bpf/latency.bpf.c. */
static bool place(bool *taken, const struct latency_cfg *cfg, const struct kernel_key *key)
{
	u64 mark = key_mark(key, KEYS_ALL);
	u32 at = latency_place_first(mark, cfg->slots);

	for (u32 i = 0; i < LATENCY_PROBES; i++) {
		assert_in_range(at, 0, cfg->slots - 2);
		if (!taken[at]) {
			taken[at] = true;
			return true;
		}
		at = latency_place_next(mark, at, cfg->steps, cfg->slots);
	}
	return false;
}

/* Processes as they come, of a command each. */
static u32 placed(const struct latency_cfg *cfg, u32 first_pid, u32 keys)
{
	bool taken[LATENCY_SLOTS_LIVE] = { false };
	u32 found = 0;

	for (u32 i = 0; i < keys; i++) {
		struct kernel_key key;

		memset(&key, 0, sizeof(key));
		strcpy(key.who.comm, "dd");
		key.who.pid = first_pid + i;
		key.ctrl_id = (s32)(i % 24);
		key.opcode = 2;
		found += place(taken, cfg, &key);
	}
	return found;
}

TEST(keys_find_a_place)
{
	struct latency_cfg cfg = sized(160, LATENCY_FINE, 0, LATENCY_SLOTS_LIVE);

	for (u32 run = 0; run < 200; run++)
		assert_int_equal(placed(&cfg, 1000 + 4321 * run, 1024), 1024);
}

/* All rows can be taken where there are few, as with `metrics --max-series`. */
TEST(few_rows_are_all_taken)
{
	struct latency_cfg cfg = sized(4, LATENCY_FINE, 0, 51);

	assert_int_equal(cfg.steps, 0);
	assert_int_equal(placed(&cfg, 1, 60), 50);
}
