// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whether a percentile changed between two samples.
 *
 * The interval of a percentile lies between two order statistics, which hold it whatever the
 * distribution. How far they are apart in rank follows from the binomial distribution, widened by
 * what the slices of the recording vary more than chance makes them (Woodruff, "Confidence
 * intervals for medians and other position measures", 1952), by the t distribution of so many
 * slices. Their values are the outer edges of their buckets. The interval of the change joins the
 * two by the method of Zou and Donner, "Construction of confidence intervals about effect measures"
 * (2008), on logarithms, since latencies change by a factor.
 */
#ifndef NVT_DIFF_CHANGE_H
#define NVT_DIFF_CHANGE_H

#include "cmd/diff/sample.h"

/* A percentile in nanoseconds. NaN: the sample is too small to tell. */
struct diff_point {
	double at, low, high;
};

/* A change in percent. NaN: not known. */
struct diff_change {
	double pct, low_pct, high_pct;
};

enum diff_verdict {
	DIFF_UNKNOWN, /* ?: the interval is open, or holds 0 and a factor of two */
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
