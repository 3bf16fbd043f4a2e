// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows of latency: adding up, merging of cells. */
#include "lib/view/latency_sum.h"
#include "lib/base/err.h"
#include "lib/base/str.h"
#include "tests/unit/test.h"

static struct latency_cfg config(void)
{
	struct latency_cfg cfg = { .slots = 64, .cpus = 2 };

	hist_shape(&cfg.hist, 3, 0, 0);
	cfg.cell_bytes = (u32)(sizeof(struct latency_cell) + cfg.hist.slots * sizeof(u64));
	return cfg;
}

/* Plain programs find cells of the default histogram by a size that they are compiled with. */
TEST(cells)
{
	struct hist_cfg hist;
	bool seen[2 * LATENCY_BANKS * 64] = { false };

	hist_shape(&hist, LATENCY_FINE, 0, 0);
	assert_int_equal(hist.slots, LATENCY_FINE_BUCKETS);
	for (u32 i = 0; i < ARRAY_SIZE(seen); i++) {
		u32 at = latency_cell_index(64, i & 1, i >> 1 & 1, i >> 2);

		assert_true(at < ARRAY_SIZE(seen) && !seen[at]);
		seen[at] = true;
	}
}

static struct latency_sum *row_new(const struct latency_cfg *cfg)
{
	struct latency_sum *row = calloc(1, latency_sum_bytes(cfg));

	assert_non_null(row);
	return row;
}

TEST(merge)
{
	struct latency_cfg cfg = config();
	struct {
		struct latency_cell sum;
		u64 buckets[HIST_SLOTS_MAX];
	} cpu0 = { 0 }, cpu1 = { 0 }, idle = { 0 };
	struct latency_sum *row = row_new(&cfg);

	cpu0.sum = latency_cell_of(1000, 512, false);
	cpu1.sum = latency_cell_of(10, 512, true);
	cpu0.buckets[5] = 1;
	cpu1.buckets[5] = 1;
	assert_int_equal(latency_sum_merge(row, &cfg.hist, &cpu0.sum), 1);
	assert_int_equal(latency_sum_merge(row, &cfg.hist, &cpu1.sum), 1);
	assert_int_equal(latency_sum_merge(row, &cfg.hist, &idle.sum), 0);
	assert_int_equal(row->count, 2);
	assert_int_equal(row->sum.errors, 1);
	assert_int_equal(row->sum.extremes.max_ns, 1000);
	assert_int_equal(~row->sum.extremes.max_inv_ns, 10);
	assert_int_equal(row->buckets[5], 2);
	free(row);
}
