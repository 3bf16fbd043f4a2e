// SPDX-License-Identifier: GPL-2.0-or-later
/* Intervals of percentiles and of their changes. */
#include "lib/view/change.h"

#include <math.h>

#include "lib/view/waves.h"

#define ALL   (100.0 * HIST_PERCENT)
#define HALF  (-50.0) /* percent */
#define TWICE 100.0
/*
 * A recording is long enough if it is so many times as long as it wanders: then nine of ten show no
 * wave that is too slow.
 */
#define ENOUGH 30
/*
 * Commands count as independent unless the slow waves are so many times as strong as these make
 * them: one of twenty shares of independent commands is beyond it, by the chi-squared distribution.
 */
#define STRONG 1.94

/*
 * The probability that a variable of the t distribution lies within @t of 0 (Abramowitz and
 * Stegun, 26.7.3 and 26.7.4).
 */
static double within(u32 freedom, double t)
{
	bool odd = freedom % 2;
	double n = freedom, sine = t / sqrt(n + t * t), cosine = sqrt(n / (n + t * t));
	double term = odd ? cosine : 1, sum = 0;

	for (u32 i = odd; i + odd < freedom; i += 2) {
		sum += term;
		term *= cosine * cosine * (i + 1) / (i + 2);
	}
	return odd ? (atan(t / sqrt(n)) + sine * sum) * 2 / M_PI : sine * sum;
}

double diff_reach(u32 freedom, double alpha)
{
	double low = 0, high = 1e9;

	for (u32 i = 0; i < 100; i++) {
		double t = (low + high) / 2;

		if (within(freedom, t) < 1 - alpha)
			low = t;
		else
			high = t;
	}
	return high;
}

/* The lower and the upper edge of a bucket, as far as there are samples. */
static double edge(const struct diff_sample *s, u32 slot, bool upper)
{
	struct hist h = diff_sample_hist(s);
	u64 lo_ns = hist_lo(h.cfg, slot), hi_ns = hist_hi(h.cfg, slot);

	if (upper)
		return (double)(hi_ns < s->max_ns ? hi_ns : s->max_ns);
	return (double)(lo_ns > s->min_ns ? lo_ns : s->min_ns);
}

/* The search for the interval of a percentile, from the first bucket to the last. */
struct search {
	struct waves waves;
	double share; /* of the percentile */
	double rank; /* of its command, from 1; half a command less, so that no sum hits it */
	double reach; /* in standard deviations */
	double chance; /* variance of the share of independent commands */
	double before, variance_before; /* of the bucket: the share below it, and its variance */
	double excess; /* how many times the variance of independent commands it is at the percentile */
	double parts; /* the least that waves_too_slow() said; 0: none */
	double low, high; /* in nanoseconds; NaN: not yet found */
};

static double larger(double a, double b)
{
	return a > b ? a : b;
}

/* How far a share with this variance may be off. Less than a command cannot be told. */
static double off(const struct search *x, double variance)
{
	return x->reach * sqrt(variance) + 1 / (double)x->waves.s->count;
}

/* The variance of this share. What independent commands have is that of the percentile sought. */
static double variance_of(const struct search *x)
{
	double slow = waves_variance(&x->waves);

	return slow > STRONG * waves_chance(&x->waves) ? larger(slow, x->chance) : x->chance;
}

/* Whether the command of @rank is in this bucket. */
static bool holds(const struct search *x, double rank)
{
	double n = (double)x->waves.s->count;

	return x->before * n < rank && rank < x->waves.share * n;
}

static void note_excess(struct search *x, double share, double variance)
{
	double chance = share * (1 - share) / (double)x->waves.s->count;

	if (chance > 0)
		x->excess = larger(x->excess, variance / chance);
}

/* A percentile wanders at least as slowly as lower ones do: 50 and 90 show it best. */
static bool shows_wander(const struct search *x)
{
	double n = (double)x->waves.s->count;

	return holds(x, x->rank) || (x->share > 0.5 && holds(x, floor(0.5 * n) + 0.5)) ||
	       (x->share > 0.9 && holds(x, floor(0.9 * n) + 0.5));
}

static void look_at_bucket(struct search *x)
{
	const struct waves *w = &x->waves;
	bool empty = !w->s->buckets[w->slot];
	double parts, variance = empty ? x->variance_before : variance_of(x);

	if (isnan(x->low) && w->share + off(x, variance) >= x->share)
		x->low = edge(w->s, w->slot, false);
	if (x->before - off(x, x->variance_before) <= x->share)
		x->high = edge(w->s, w->slot, true);
	if (holds(x, x->rank)) {
		note_excess(x, x->before, x->variance_before);
		note_excess(x, w->share, variance);
	}
	parts = shows_wander(x) ? waves_too_slow(w) : 0;
	if (parts > 0 && (x->parts <= 0 || parts < x->parts))
		x->parts = parts;
	x->before = w->share;
	x->variance_before = variance;
}

/* An end is open if no share, not even 0 or all, is too far off for it. */
static void close_search(const struct search *x, struct diff_point *p)
{
	const struct diff_sample *s = x->waves.s;
	double most = off(x, x->excess * x->chance), length_ns = (double)(s->last_ns - s->first_ns);

	if (x->parts > 0) {
		p->wander_ns = length_ns / x->parts;
		p->need_ns = ENOUGH * p->wander_ns;
		return;
	}
	if (x->share > most)
		p->low = x->low;
	if (x->share < 1 - most)
		p->high = x->high;
}

struct diff_point diff_point(const struct diff_sample *s, u32 millionths, double alpha)
{
	struct diff_point p = { .at = NAN, .low = NAN, .high = NAN };
	struct search x = { .excess = 1, .low = NAN, .high = NAN };
	struct hist h;

	if (!s || !s->count)
		return p;
	h = diff_sample_hist(s);
	p.at = (double)hist_percentile(&h, millionths);
	if (s->count <= WAVES_MAX)
		return p;
	x.share = millionths / ALL;
	x.rank = larger(ceil(x.share * (double)s->count), 1) - 0.5;
	x.reach = diff_reach(WAVES_SLOW, alpha);
	x.chance = x.variance_before = x.share * (1 - x.share) / (double)s->count;
	waves_begin(&x.waves, s);
	do
		look_at_bucket(&x);
	while (waves_next(&x.waves));
	close_search(&x, &p);
	return p;
}

/* How much @to is more than @from, as a logarithm. No latency is below a nanosecond. */
static double factor(double from, double to)
{
	return log(to < 1 ? 1 : to) - log(from < 1 ? 1 : from);
}

/* The length of a vector; NaN if a side is. */
static double length(double x, double y)
{
	return sqrt(x * x + y * y);
}

static double percent(double logarithm)
{
	return expm1(logarithm) * 100;
}

struct diff_change diff_change(const struct diff_point *a, const struct diff_point *b)
{
	double by = factor(a->at, b->at);

	if (isnan(by))
		return (struct diff_change){ NAN, NAN, NAN };
	return (struct diff_change){
		.pct = percent(by),
		.low_pct = percent(by - length(factor(b->low, b->at), factor(a->at, a->high))),
		.high_pct = percent(by + length(factor(b->at, b->high), factor(a->low, a->at))),
	};
}

enum diff_verdict diff_judge(const struct diff_change *c)
{
	if (c->low_pct > 0)
		return DIFF_MORE;
	if (c->high_pct < 0)
		return DIFF_LESS;
	return c->low_pct >= HALF && c->high_pct <= TWICE ? DIFF_SAME : DIFF_UNKNOWN;
}
