// SPDX-License-Identifier: GPL-2.0-or-later
/* Heat maps: cells follow each other without a gap, every command is in one, shades rise. */
#include "lib/base/str.h"
#include "lib/out/heat.h"
#include "tests/unit/test.h"

TEST(scale)
{
	struct heat_scale scale;

	for (u32 room = 3; room < 400; room++) {
		scale = heat_scale_fixed(room);
		assert_in_range(scale.cells, 3, room < HEAT_CELLS ? room : HEAT_CELLS);
		assert_int_equal(heat_lo(&scale, 0), 0);
		assert_int_equal(heat_hi(&scale, 0), 1024);
		for (u32 i = 1; i < scale.cells; i++)
			assert_int_equal(heat_lo(&scale, i), heat_hi(&scale, i - 1));
		assert_true(heat_hi(&scale, scale.cells - 1) == ~0ULL);
	}
}

TEST(every_bucket_is_in_its_cell)
{
	static u64 buckets[HIST_SLOTS_MAX];
	u64 counts[HEAT_CELLS], ns;
	struct hist_cfg cfg;
	struct hist h = { .cfg = &cfg, .buckets = buckets, .count = 1 };
	struct heat_scale scale;
	u32 cell;

	hist_shape(&cfg, 3, 0, 0);
	for (u32 room = 20; room < 260; room += 30) {
		scale = heat_scale_fixed(room);
		for (u32 slot = 0; slot < cfg.slots; slot++) {
			buckets[slot] = 1;
			heat_count(&scale, &h, counts);
			buckets[slot] = 0;
			for (cell = 0; !counts[cell]; cell++)
				assert_in_range(cell, 0, scale.cells - 1);
			assert_int_equal(counts[cell], 1);
			ns = hist_lo(&cfg, slot);
			assert_true(heat_lo(&scale, cell) <= ns && ns < heat_hi(&scale, cell));
		}
	}
}

/* A lone command has the faintest shade, and the fullest cell one of the strongest. */
TEST(shade)
{
	struct heat_shades shades;
	char buf[HEAT_COUNT];

	for (u64 max = 1; max < 1000000000000; max = max * 3 / 2 + 1) {
		shades = heat_shades_of(max);
		assert_int_equal(heat_shade(&shades, 0), 0);
		assert_int_equal(heat_shade(&shades, 1), 1);
		for (u32 level = 1; level < HEAT_LEVELS; level++) {
			assert_int_equal(heat_shade(&shades, shades.from[level]), level);
			assert_int_equal(heat_shade(&shades, shades.from[level] - 1), level - 1);
		}
		assert_true(heat_shade(&shades, max) == HEAT_LEVELS - 1 || max < 9);
	}
	shades = heat_shades_of(~0ULL);
	assert_int_equal(shades.from[1], 1);
	assert_string_equal(heat_count_text(shades.from[HEAT_LEVELS - 1], buf), "60k");
	assert_string_equal(heat_count_text(250, buf), "250");
	assert_string_equal(heat_count_text(100000000, buf), "100M");
}
