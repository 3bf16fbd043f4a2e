// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How the share of commands up to a latency wanders over a recording, as a sum of cosine waves.
 *
 * Wave 1 is half a wave long over the recording, wave 2 a whole one, and so on. Where the share
 * wanders for times that are short beside the recording, the slowest waves are as strong as the
 * mean itself is off: their mean strength is its variance, with a degree of freedom each. That is
 * the equal-weighted cosine estimator of the long-run variance: Mueller, "HAC corrections for
 * strongly autocorrelated time series" (2014), section 2; Lazarus, Lewis, Stock and Watson, "HAR
 * inference: recommendations for practice" (2018), section 3.
 */
#ifndef NVT_VIEW_WAVES_H
#define NVT_VIEW_WAVES_H

#include "lib/view/sample.h"

/*
 * The waves that give the variance. Fewer make all intervals wider, more make them too narrow where
 * a recording wanders for a fiftieth of its length.
 */
#define WAVES_SLOW 8
/* The waves that are looked at. A sample of no more commands has too few slices for them. */
#define WAVES_MAX (DIFF_SLICES / 2)

/* The share up to a slot, which moves from first_slot to last_slot. */
struct waves {
	const struct diff_sample *s;
	u32 slot, slices;
	u64 below; /* commands up to the slot */
	double share, upto[DIFF_SLICES]; /* the same of each slice */
	double cosine[4 * DIFF_SLICES]; /* of a turn, in so many parts as there are slices, by 4 */
};

/* Begins at the first slot. The sample has more than WAVES_MAX commands. */
void waves_begin(struct waves *w, const struct diff_sample *s);
/* Moves to the next slot; false behind the last one. */
bool waves_next(struct waves *w);

/* The variance of the share if it were that of independent commands. */
double waves_chance(const struct waves *w);
/* Its variance as the slow waves tell it. */
double waves_variance(const struct waves *w);

/*
 * How many parts of the recording wander apart from each other: the mean number of the waves, by
 * their strength beyond chance. 0: many, so that the slow waves tell the variance. Else the slowest ones are much
 * stronger than the others, so that even slower ones must be expected, which the recording is too
 * short to show.
 */
double waves_too_slow(const struct waves *w);

#endif
