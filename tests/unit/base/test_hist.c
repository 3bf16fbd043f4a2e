// SPDX-License-Identifier: GPL-2.0-or-later
/* Buckets: edges, inverse, fio's bins; percentiles against a sort; rows of the table. */
#include "lib/base/err.h"
#include "lib/base/hist.h"
#include "lib/base/str.h"
#include "tests/unit/test.h"

/* Every shape that options can ask for, within reason. */
static const struct {
	u32 bits;
	u64 min_us;
	u32 shift;
} shapes[] = {
	{ 0, 0, 0 }, { 1, 0, 0 },  { 2, 0, 0 },	 { 3, 0, 0 },  { 4, 0, 0 },  { 5, 0, 0 },
	{ 6, 0, 0 }, { 0, 65, 0 }, { 3, 65, 0 }, { 3, 20, 3 }, { 6, 0, 20 }, { 3, 100000, 1 },
};

static struct hist_cfg shape(u32 i)
{
	struct hist_cfg cfg;

	hist_shape(&cfg, shapes[i].bits, shapes[i].min_us, shapes[i].shift);
	return cfg;
}

TEST(msb)
{
	u64 v;

	for (v = 1; v < 100000; v++)
		assert_int_equal(hist_msb(v), 63 - __builtin_clzll(v));
	for (v = 1; v; v <<= 1) {
		assert_int_equal(hist_msb(v), 63 - __builtin_clzll(v));
		assert_int_equal(hist_msb(v | (v - 1)), 63 - __builtin_clzll(v));
	}
}

TEST(slots_tile_the_axis)
{
	struct hist_cfg cfg;
	u32 i, slot;

	for (i = 0; i < ARRAY_SIZE(shapes); i++) {
		cfg = shape(i);
		assert_true(cfg.slots <= HIST_SLOTS_MAX);
		assert_int_equal(hist_lo(&cfg, 0), 0);
		assert_true(hist_hi(&cfg, cfg.slots - 1) == ~0ULL);
		assert_int_equal(hist_slot(&cfg, ~0ULL), cfg.slots - 1);
		for (slot = 0; slot + 1 < cfg.slots; slot++) {
			assert_true(hist_hi(&cfg, slot) == hist_lo(&cfg, slot + 1));
			if (hist_lo(&cfg, slot) == hist_hi(&cfg, slot)) {
				assert_int_equal(slot, 0); /* no underflow with --lat-min-us 0 */
				assert_int_equal(shapes[i].min_us, 0);
				continue;
			}
			assert_true(hist_lo(&cfg, slot) < hist_hi(&cfg, slot));
			assert_int_equal(hist_slot(&cfg, hist_lo(&cfg, slot)), slot);
			assert_int_equal(hist_slot(&cfg, hist_hi(&cfg, slot) - 1), slot);
		}
		assert_int_equal(hist_slot(&cfg, hist_lo(&cfg, cfg.slots - 1)), cfg.slots - 1);
	}
}

TEST(range)
{
	struct hist_cfg cfg = shape(3);

	assert_int_equal(cfg.slots, 313);
	assert_int_equal(hist_slot(&cfg, (1ULL << 41) - 1), 311);
	assert_int_equal(hist_slot(&cfg, 1ULL << 41), 312);
	assert_true(hist_lo(&cfg, 312) == 1ULL << 41);
	/* nvme_latency's buckets: [0, min), then widths 1, 1, 2, 4, ... microseconds above min. */
	cfg = shape(7);
	assert_int_equal(hist_slot(&cfg, 64999), 0);
	assert_int_equal(hist_slot(&cfg, 65000), 1);
	assert_int_equal(hist_lo(&cfg, 2), 66000);
	assert_int_equal(hist_lo(&cfg, 3), 67000);
	assert_int_equal(hist_lo(&cfg, 4), 69000);
	assert_int_equal(hist_lo(&cfg, 5), 73000);
}

/* fio's binning of latencies, from the description in its stat.h. */
static u32 fio_bin(u64 v)
{
	u32 msb = v ? 63 - (u32)__builtin_clzll(v) : 0;

	if (msb <= 6)
		return (u32)v;
	return ((msb - 6 + 1) << 6) + (u32)(v >> (msb - 6) & 63);
}

TEST(six_bits_are_fios)
{
	struct hist_cfg cfg = shape(6);
	u64 v;

	for (v = 0; v < 1ULL << 34; v = v < 5000 ? v + 1 : v + v / 97)
		assert_int_equal(hist_slot(&cfg, v), fio_bin(v));
}

static int compare_u64(const void *a, const void *b)
{
	const u64 *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

#define SAMPLES 5000

static void check_percentiles(const struct hist_cfg *cfg, u32 n, u64 spread)
{
	static u64 values[SAMPLES], buckets[HIST_SLOTS_MAX];
	static const u32 asked[] = { 0,	       1,	 1000000,  50000000,
				     90000000, 99000000, 99990000, 100000000 };
	u64 seed = n * 7919ULL + spread, want, rank;
	struct hist h = { .cfg = cfg, .buckets = buckets, .count = n };
	u32 i;

	memset(buckets, 0, sizeof(buckets));
	for (i = 0; i < n; i++) {
		seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
		values[i] = 1000 + (seed >> 33) % spread * ((seed >> 20) % 64);
		buckets[hist_slot(cfg, values[i])]++;
	}
	qsort(values, n, sizeof(*values), compare_u64);
	h.min_ns = values[0];
	h.max_ns = values[n - 1];
	for (i = 0; i < ARRAY_SIZE(asked); i++) {
		rank = ((u64)n * asked[i] + 99999999) / 100000000;
		rank += !rank;
		want = hist_hi(cfg, hist_slot(cfg, values[rank - 1]));
		want = want > h.max_ns ? h.max_ns : want;
		assert_int_equal(hist_percentile(&h, asked[i]), want);
	}
}

TEST(percentiles_against_a_sort)
{
	struct hist_cfg cfg;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(shapes); i++) {
		cfg = shape(i);
		check_percentiles(&cfg, 1, 10);
		check_percentiles(&cfg, 2, 1000);
		check_percentiles(&cfg, 1000, 3000000);
		check_percentiles(&cfg, SAMPLES, 90000);
	}
}

TEST(empty)
{
	static const u64 buckets[HIST_SLOTS_MAX];
	struct hist_cfg cfg = shape(3);
	struct hist h = { .cfg = &cfg, .buckets = buckets };
	struct hist_row row;
	u32 slot = 0;

	assert_int_equal(hist_percentile(&h, 50000000), 0);
	assert_false(hist_next_row(&h, 0, &slot, &row));
}

TEST(rows)
{
	static u64 buckets[HIST_SLOTS_MAX];
	struct hist_cfg cfg = shape(3);
	struct hist h = { .cfg = &cfg, .buckets = buckets };
	struct hist_row row;
	u32 slot = 0;

	buckets[hist_slot(&cfg, 70000)] = 3; /* [65536, 131072) */
	buckets[hist_slot(&cfg, 130000)] = 4;
	buckets[hist_slot(&cfg, 300000)] = 5; /* [262144, 524288) */
	assert_true(hist_next_row(&h, 0, &slot, &row));
	assert_int_equal(row.lo_ns, 65536);
	assert_int_equal(row.hi_ns, 131072);
	assert_int_equal(row.count, 7);
	assert_true(hist_next_row(&h, 0, &slot, &row));
	assert_int_equal(row.lo_ns, 131072);
	assert_int_equal(row.count, 0);
	assert_true(hist_next_row(&h, 0, &slot, &row));
	assert_int_equal(row.count, 5);
	assert_false(hist_next_row(&h, 0, &slot, &row));
}

/* Joined or not, rows follow each other and no sample is left out. */
TEST(rows_hold_all)
{
	static u64 buckets[HIST_SLOTS_MAX];
	struct hist_cfg cfg;
	struct hist_row row;
	u32 i, bits, slot;
	u64 total, end;

	for (i = 0; i < ARRAY_SIZE(shapes); i++) {
		cfg = shape(i);
		for (slot = 0; slot < cfg.slots; slot++)
			buckets[slot] = 1;
		for (bits = 0; bits <= cfg.bits; bits++) {
			struct hist h = { .cfg = &cfg, .buckets = buckets };

			for (slot = 0, total = 0, end = 0; hist_next_row(&h, bits, &slot, &row);) {
				assert_true(row.lo_ns == end);
				end = row.hi_ns;
				total += row.count;
			}
			assert_true(end == ~0ULL);
			assert_int_equal(total, cfg.slots);
		}
	}
}

/* Those without samples are left out; the last one is open. */
TEST(buckets)
{
	static u64 buckets[HIST_SLOTS_MAX];
	struct hist_cfg cfg = shape(0);
	struct hist h = { .cfg = &cfg, .buckets = buckets };
	struct hist_row bucket;
	u32 slot = 0;

	assert_false(hist_next_bucket(&h, &slot, &bucket));
	buckets[hist_slot(&cfg, 0)] = 3;
	buckets[hist_slot(&cfg, 70000)] = 4;
	buckets[hist_slot(&cfg, ~0ULL)] = 5;
	slot = 0;
	assert_true(hist_next_bucket(&h, &slot, &bucket));
	assert_int_equal(bucket.lo_ns, 0);
	assert_int_equal(bucket.count, 3);
	assert_true(hist_next_bucket(&h, &slot, &bucket));
	assert_true(bucket.lo_ns <= 70000 && bucket.hi_ns > 70000);
	assert_int_equal(bucket.count, 4);
	assert_true(hist_next_bucket(&h, &slot, &bucket));
	assert_int_equal(bucket.hi_ns, ~0ULL);
	assert_int_equal(bucket.count, 5);
	assert_false(hist_next_bucket(&h, &slot, &bucket));
}

TEST(percentile_words)
{
	static const char *const wrong[] = { "",      ".",   "5.", ".5",    "1e1",	 "-1",
					     "100.1", "101", "a",  "1.2.3", "99.9999999" };
	struct percentile list[HIST_PERCENTILES];
	u32 i, n;

	assert_int_equal(hist_parse_percentiles("50,99.99,100,0.000001", list, &n), 0);
	assert_int_equal(n, 4);
	assert_int_equal(list[0].millionths, 50000000);
	assert_int_equal(list[1].millionths, 99990000);
	assert_int_equal(list[1].word_len, 5);
	assert_int_equal(list[2].millionths, 100000000);
	assert_int_equal(list[3].millionths, 1);
	for (i = 0; i < ARRAY_SIZE(wrong); i++)
		assert_true(hist_parse_percentile(wrong[i], strlen(wrong[i]), list) < 0);
	assert_int_equal(hist_parse_percentiles("99,99.0", list, &n), -EEXIST);
	assert_int_equal(hist_parse_percentiles("99,,50", list, &n), -EINVAL);
	assert_int_equal(
		hist_parse_percentiles("1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,"
				       "23,24,25,26,27,28,29,30,31,32,33",
				       list, &n),
		-E2BIG);
}
