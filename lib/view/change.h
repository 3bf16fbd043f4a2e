// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whether a percentile changed between two samples.
 *
 * The interval of a percentile holds all latencies that may be it: the share of commands up to one
 * is not further from that of the percentile than its own standard deviation allows (Woodruff,
 * "Confidence intervals for medians and other position measures", 1952). That deviation is the one
 * of independent commands, unless the slow waves of this share are much stronger than these make
 * them; then it is what they tell (waves.h). It reaches as far as the t distribution of so many
 * waves says. Values are the outer edges
 * of their buckets. The interval of the change joins the two by the method of Zou and Donner,
 * "Construction of confidence intervals about effect measures" (2008), on logarithms, since
 * latencies change by a factor.
 */
#ifndef NVT_VIEW_CHANGE_H
#define NVT_VIEW_CHANGE_H

#include "lib/view/sample.h"

/*
 * A percentile in nanoseconds. NaN: the sample is too small to tell. If the recording is too short
 * for how slowly it wanders, the interval is open, @wander_ns is for how long it wanders, and
 * @need_ns how long a recording would be long enough; else both are 0.
 */
struct diff_point {
	double at, low, high;
	double wander_ns, need_ns;
};

/* A change in percent. NaN: not known. */
struct diff_change {
	double pct, low_pct, high_pct;
};

enum diff_verdict {
	DIFF_UNKNOWN, /* ?: it is open, or holds 0 and a factor of two */
	DIFF_SAME, /* =: it holds 0 */
	DIFF_MORE, /* +: all of it is above */
	DIFF_LESS, /* -: below */
};

/*
 * How many standard deviations an interval reaches that misses with probability @alpha: the t
 * distribution of @freedom degrees.
 */
double diff_reach(u32 freedom, double alpha);

/*
 * A percentile of @s, which may be NULL: no samples. The interval holds the true one with
 * probability 1 - @alpha.
 */
struct diff_point diff_point(const struct diff_sample *s, u32 millionths, double alpha);

/* The change from @a to @b, with the probability of their intervals. */
struct diff_change diff_change(const struct diff_point *a, const struct diff_point *b);

enum diff_verdict diff_judge(const struct diff_change *c);

#endif
