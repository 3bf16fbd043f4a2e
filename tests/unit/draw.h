// SPDX-License-Identifier: GPL-2.0-or-later
/* Numbers drawn from a seed, the same everywhere: for tests of statistics. */
#ifndef NVT_TESTS_UNIT_DRAW_H
#define NVT_TESTS_UNIT_DRAW_H

#include <math.h>

#include "lib/base/types.h"

/* SplitMix64, as a number above 0 and below 1. */
static inline double uniform(u64 *seed)
{
	u64 z = *seed += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return ((double)((z ^ z >> 31) >> 12) + 0.5) / 4503599627370496.0;
}

/* A number of the standard normal distribution. */
static inline double normal(u64 *seed)
{
	return sqrt(-2 * log(uniform(seed))) * cos(2 * M_PI * uniform(seed));
}

#endif
