// SPDX-License-Identifier: GPL-2.0-or-later
/* Intervals of percentiles and of their changes. */
#include "cmd/diff/change.h"

#include <math.h>

#define ALL	   (100.0 * HIST_PERCENT)
#define HALF	   (-50.0) /* percent */
#define TWICE	   100.0
#define SLICES_MIN 4 /* fewer do not tell how much a recording varies */

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

/* The bucket that holds the sample of this rank, from 1 to count. */
static u32 slot_at(const struct diff_sample *s, double rank)
{
	u32 slot = s->first_slot;
	double below = (double)s->buckets[slot];

	while (below < rank && slot < s->last_slot)
		below += (double)s->buckets[++slot];
	return slot;
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

/* The distance in ranks from a percentile to the ends of its interval. */
static double half_width(const struct diff_sample *s, double share, double alpha)
{
	double n = (double)s->count, above, below;
	u32 slot = slot_at(s, ceil(share * n)), slices;

	above = diff_sample_spread(s, slot, &slices);
	below = slot ? diff_sample_spread(s, slot - 1, &slices) : 1;
	if (slices < SLICES_MIN)
		return INFINITY;
	return diff_reach(slices - 1, alpha) *
	       sqrt((above > below ? above : below) * n * share * (1 - share));
}

struct diff_point diff_point(const struct diff_sample *s, u32 millionths, double alpha)
{
	struct diff_point p = { NAN, NAN, NAN };
	double share = millionths / ALL, rank, half, low, high;
	struct hist h;

	if (!s || !s->count)
		return p;
	h = diff_sample_hist(s);
	p.at = (double)hist_percentile(&h, millionths);
	rank = share * (double)s->count;
	half = half_width(s, share, alpha);
	low = floor(rank - half);
	high = ceil(rank + half) + 1;
	if (low >= 1)
		p.low = edge(s, slot_at(s, low), false);
	if (high <= (double)s->count)
		p.high = edge(s, slot_at(s, high), true);
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
