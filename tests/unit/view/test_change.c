// SPDX-License-Identifier: GPL-2.0-or-later
/* Changes between samples that a seeded generator makes: none is invented, none is missed. */
#include <math.h>

#include "lib/view/change.h"
#include "lib/base/str.h"
#include "tests/unit/draw.h"
#include "tests/unit/test.h"

#define TRIALS	  200
#define HALF	  20000 /* commands */
#define KEYS	  2
#define APART_NS  100000 /* from one completion to the next */
#define EPOCH	  500 /* commands for which a drive is faster or slower than on average */
#define P(pct)	  ((u32)((pct)*HIST_PERCENT))
#define GOOD_LUCK (TRIALS * 95 / 100)

static const u32 percentiles[] = { P(50), P(90), P(99) };
#define COMPARED 6.0
_Static_assert((u64)COMPARED == KEYS * ARRAY_SIZE(percentiles), "so many intervals");

/* A drive: latencies are log-normal, and for a while all of them are longer or shorter. */
struct drive {
	u64 seed, n;
	double epoch; /* the factor of this time */
	double tail; /* a factor of latencies beyond the 95th percentile */
};

static u64 next_lat(struct drive *d)
{
	double x = normal(&d->seed);

	if (d->n++ % EPOCH == 0)
		d->epoch = 0.1 * normal(&d->seed);
	return (u64)(80000 * exp(0.4 * x + d->epoch) * (x > 1.645 ? d->tail : 1));
}

static struct diff_sample *sample(struct drive *d, u32 commands)
{
	struct diff_sample *s = diff_sample_new();

	assert_non_null(s);
	for (u32 i = 0; i < commands; i++)
		diff_sample_add(s, d->n * APART_NS, next_lat(d));
	return s;
}

static enum diff_verdict judge(const struct diff_sample *a, const struct diff_sample *b, u32 p)
{
	struct diff_point x = diff_point(a, p, 0.05 / COMPARED);
	struct diff_point y = diff_point(b, p, 0.05 / COMPARED);
	struct diff_change c = diff_change(&x, &y);

	assert_true(!(x.at < x.low) && !(x.at > x.high));
	assert_true(!(c.pct < c.low_pct) && !(c.pct > c.high_pct));
	return diff_judge(&c);
}

/* A tail that is longer by a fifth is found, and which way; the median is not accused. */
TEST(shift)
{
	u32 more = 0, less = 0, same = 0;

	for (u64 trial = 0; trial < TRIALS; trial++) {
		struct drive before = { .seed = 1000 + trial, .tail = 1 };
		struct drive after = { .seed = 9000 + trial, .tail = 1.2 };
		struct diff_sample *a = sample(&before, HALF), *b = sample(&after, HALF);

		more += judge(a, b, P(99)) == DIFF_MORE;
		less += judge(b, a, P(99)) == DIFF_LESS;
		same += judge(a, b, P(50)) == DIFF_SAME;
		free(a);
		free(b);
	}
	print_message("# found in %u and %u, median the same in %u of %d\n", more, less, same,
		      TRIALS);
	assert_true(more >= GOOD_LUCK);
	assert_true(less >= GOOD_LUCK);
	assert_true(same >= GOOD_LUCK);
}

TEST(too_few)
{
	struct drive d = { .seed = 1, .tail = 1 };
	struct diff_sample *few = sample(&d, 50), *many = sample(&d, HALF), *one = sample(&d, 1);
	struct diff_point none = diff_point(NULL, P(50), 0.05);

	assert_true(isnan(none.at));
	assert_int_equal(judge(many, NULL, P(50)), DIFF_UNKNOWN);
	assert_int_equal(judge(few, many, P(99)), DIFF_UNKNOWN);
	assert_int_equal(judge(many, one, P(50)), DIFF_UNKNOWN);
	assert_int_equal(judge(many, many, P(100)), DIFF_UNKNOWN);
	assert_int_equal(judge(many, many, P(0)), DIFF_UNKNOWN);
	assert_int_equal(judge(many, many, P(99)), DIFF_SAME);
	free(few);
	free(many);
	free(one);
}

/* One side alone can be enough: the slowest of many is faster than nearly all of a few. */
TEST(open_interval)
{
	struct diff_sample *fast = diff_sample_new(), *slow = diff_sample_new();
	struct diff_point x, y;
	struct diff_change c;

	for (u64 i = 0; i < 3000; i++)
		diff_sample_add(fast, i * APART_NS, 1000 + i % 10);
	for (u64 i = 0; i < 500; i++)
		diff_sample_add(slow, i * APART_NS, 9000000 + i % 10);
	x = diff_point(fast, P(99), 0.05);
	y = diff_point(slow, P(99.9), 0.05);
	c = diff_change(&x, &y);
	assert_true(isnan(y.high) && isnan(c.high_pct));
	assert_int_equal(diff_judge(&c), DIFF_MORE);
	free(fast);
	free(slow);
}

/* Two-sided quantiles of the t distribution, from tables. */
TEST(reach)
{
	static const struct {
		u32 freedom;
		double alpha, t;
	} table[] = {
		{ 1, 0.05, 12.7062 }, { 2, 0.05, 4.3027 },   { 3, 0.01, 5.8409 },
		{ 10, 0.05, 2.2281 }, { 23, 0.001, 3.7676 }, { 1000, 0.05, 1.9623 },
	};

	for (u32 i = 0; i < ARRAY_SIZE(table); i++)
		assert_true(fabs(diff_reach(table[i].freedom, table[i].alpha) - table[i].t) <
			    0.0001);
}

TEST(shape)
{
	struct diff_sample *s = diff_sample_new();
	struct hist h = diff_sample_hist(s);
	struct hist_cfg want;

	hist_shape(&want, HIST_BITS_MAX, 0, 0);
	assert_memory_equal(h.cfg, &want, sizeof(want));
	free(s);
}
