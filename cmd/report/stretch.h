// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds the stretches in which values are higher: the latencies of like commands along time, or
 * along the blocks of a drive.
 *
 * Points are joined to blocks of some eight or more, of which each has a level, its median. If the
 * levels are of two kinds, the lower ones are quiet. A stretch is a row of blocks above the quiet
 * ones, by so much that chance does not explain it: chance is what the levels of quiet blocks differ
 * by, since neighbours may be alike (a drive is slow for a while, a cache warms up).
 */
#ifndef NVT_REPORT_STRETCH_H
#define NVT_REPORT_STRETCH_H

#include "lib/base/types.h"

struct stretch_point {
	double at; /* ascending */
	float value; /* the logarithm of a latency */
	u32 tag; /* the caller's */
};

struct stretch {
	u32 from, to; /* points: the first, and behind the last */
	double edge[2]; /* where it begins and ends; at the ends of all points: where these are */
	double unsure[2]; /* by so much that may be off */
	bool open[2]; /* it begins, or ends, with all points: there is no edge */
	double level; /* the median */
	double surely; /* standard deviations above the quiet level */
	bool growing; /* its level rises all the time */
};

#define STRETCH_MOST 64
struct stretches {
	bool known; /* there are enough points for what follows */
	double quiet; /* the level of quiet blocks */
	double spread; /* standard deviation of values in a block */
	u32 n;
	struct stretch is[STRETCH_MOST];
};

/*
 * Returns the stretches of @n points that are higher than the quiet level by @least and by so many
 * standard deviations. None without memory.
 */
struct stretches stretch_find(const struct stretch_point *p, u32 n, double least, double surely);

/* For qsort(): orders points by their place. */
int stretch_by_place(const void *a, const void *b);

/* Both put the values into another order. stretch_select(): the value with @k lower ones; @k is below @n. */
float stretch_select(float *values, u32 n, u32 k);
double stretch_median(float *values, u32 n);

#endif
