// SPDX-License-Identifier: GPL-2.0-or-later
/* Stretches of higher values: none in noise, and those that are there, with their edges. */
#include "cmd/report/stretch.h"

#include <math.h>

#include "lib/base/str.h"
#include "tests/unit/draw.h"
#include "tests/unit/test.h"

#define SEEDS  200
#define POINTS 2000
#define SPREAD 0.4
#define LEAST  0.405 /* the logarithm of 1.5 */
#define SURELY 5.0

struct run {
	struct stretch_point p[POINTS];
	u32 n;
	u64 seed;
	struct stretches found;
};

/* So many points more, a millisecond apart, of a level that goes from one to another. */
static void put(struct run *r, u32 n, double from, double to)
{
	for (u32 i = 0; i < n; i++) {
		double level = from + (to - from) * i / n;

		r->p[r->n] = (struct stretch_point){
			.at = 1e6 * r->n,
			.value = (float)(level + SPREAD * normal(&r->seed)),
			.tag = r->n,
		};
		r->n++;
	}
}

static bool find(struct run *r)
{
	r->found = stretch_find(r->p, r->n, LEAST, SURELY);
	return r->found.n;
}

static struct run *run_of(u64 seed)
{
	static struct run r;

	r = (struct run){ .seed = seed };
	return &r;
}

/* Whether edge @e of stretch @i is where it has to be, within what it says itself, and it says little. */
static bool is_edge(const struct run *r, u32 i, u32 e, u32 point)
{
	const struct stretch *is = &r->found.is[i];

	return !is->open[e] && fabs(is->edge[e] - 1e6 * point) <= is->unsure[e] &&
	       is->unsure[e] <= 20e6;
}

TEST(noise)
{
	for (u64 seed = 1; seed <= SEEDS; seed++) {
		struct run *r = run_of(seed);

		put(r, POINTS, 0, 0);
		assert_false(find(r));
		assert_true(r->found.known);
		assert_true(fabs(r->found.quiet) < 0.1);
		assert_true(fabs(r->found.spread - SPREAD) < 0.1);
	}
}

/* Levels that wander, as those of a drive do, are no stretches, though each value is like its neighbours. */
TEST(noise_that_is_alike)
{
	u32 found = 0;

	for (u64 seed = 1; seed <= SEEDS; seed++) {
		struct run *r = run_of(seed);

		while (r->n < POINTS) {
			double level = 0.1 * normal(&r->seed);

			put(r, 50, level, level);
		}
		found += find(r);
	}
	assert_true(found <= SEEDS / 100);
}

TEST(step)
{
	u32 right = 0;

	for (u64 seed = 1; seed <= SEEDS; seed++) {
		struct run *r = run_of(seed);

		put(r, 800, 0, 0);
		put(r, 400, 1, 1);
		put(r, 800, 0, 0);
		assert_true(find(r));
		assert_int_equal(r->found.n, 1);
		assert_true(fabs(r->found.is[0].level - 1) < 0.1);
		assert_true(fabs(r->found.quiet) < 0.1);
		assert_true(r->found.is[0].surely >= SURELY);
		assert_true(r->found.is[0].to > r->found.is[0].from);
		assert_false(r->found.is[0].growing);
		right += is_edge(r, 0, 0, 800) && is_edge(r, 0, 1, 1200);
	}
	assert_true(right >= SEEDS * 95 / 100);
}

/* One that lasts to the end, or is there from the begin, has no edge there. */
TEST(open)
{
	struct run *r = run_of(1);

	put(r, 1000, 0, 0);
	put(r, 1000, 1, 1);
	assert_true(find(r) && r->found.n == 1);
	assert_true(!r->found.is[0].open[0] && r->found.is[0].open[1]);
	assert_int_equal(r->found.is[0].to, POINTS);
	r = run_of(1);
	put(r, 800, 1, 1);
	put(r, 1200, 0, 0);
	assert_true(find(r) && r->found.n == 1);
	assert_true(r->found.is[0].open[0] && !r->found.is[0].open[1]);
	assert_int_equal(r->found.is[0].from, 0);
}

TEST(two)
{
	for (u64 seed = 1; seed <= SEEDS; seed++) {
		struct run *r = run_of(seed);

		put(r, 500, 0, 0);
		put(r, 250, 1.5, 1.5);
		put(r, 500, 0, 0);
		put(r, 250, 1.5, 1.5);
		put(r, 500, 0, 0);
		assert_true(find(r));
		assert_int_equal(r->found.n, 2);
		assert_true(fabs(r->found.is[0].edge[0] - 500e6) < 20e6);
		assert_true(fabs(r->found.is[1].edge[0] - 1250e6) < 20e6);
		assert_true(fabs(r->found.is[1].edge[1] - 1500e6) < 20e6);
	}
}

/* Its begin may be a short stretch of its own. */
TEST(ramp)
{
	u32 one = 0;

	for (u64 seed = 1; seed <= SEEDS; seed++) {
		struct run *r = run_of(seed);
		const struct stretch *is;

		put(r, 800, 0, 0);
		put(r, 1200, 0, 3);
		assert_true(find(r));
		is = &r->found.is[r->found.n - 1];
		assert_true(is->growing);
		assert_true(is->edge[0] > 800e6 && is->edge[0] < 1400e6);
		assert_true(is->unsure[0] > 100e6); /* it has no edge to compare by */
		one += r->found.n == 1;
	}
	assert_true(one >= SEEDS * 9 / 10);
}

/* A tenth more is no stretch, however sure; nor are a few high values among others. */
TEST(too_little)
{
	struct run *r = run_of(1);

	put(r, 1000, 0, 0);
	put(r, 1000, 0.1, 0.1);
	assert_false(find(r));
	r = run_of(1);
	for (u32 i = 0; i < 100; i++) {
		put(r, 19, 0, 0);
		put(r, 1, 5, 5);
	}
	assert_false(find(r));
}

TEST(too_few)
{
	struct run *r = run_of(1);

	put(r, 23, 0, 0);
	assert_false(find(r));
	assert_false(r->found.known);
	assert_int_equal(r->found.n, 0);
}

TEST(median)
{
	float odd[] = { 5, 1, 3 }, even[] = { 4, 1, 3, 2 };

	assert_true(stretch_median(odd, ARRAY_SIZE(odd)) == 3);
	assert_true(stretch_median(even, ARRAY_SIZE(even)) == 2.5);
}

TEST(select)
{
	float values[257];

	for (u32 k = 0; k < ARRAY_SIZE(values); k++) {
		/* Each value below 128 is there twice. */
		for (u32 i = 0; i < ARRAY_SIZE(values); i++) {
			u32 place = i * 91U % 257U;

			values[i] = (float)(place >> 1);
		}
		assert_true(stretch_select(values, ARRAY_SIZE(values), k) == (float)(k >> 1));
	}
}
