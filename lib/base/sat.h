// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sums that end at the largest or smallest number instead of beginning anew: damaged recordings
 * have times and latencies of centuries.
 */
#ifndef NVT_BASE_SAT_H
#define NVT_BASE_SAT_H

#include "lib/base/types.h"

static inline u64 sat_add(u64 a, u64 b)
{
	u64 sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static inline s64 sat_sum(s64 a, s64 b)
{
	s64 sum;

	if (!__builtin_add_overflow(a, b, &sum))
		return sum;
	return a < 0 ? INT64_MIN : INT64_MAX;
}

static inline s64 sat_diff(s64 a, s64 b)
{
	s64 diff;

	if (!__builtin_sub_overflow(a, b, &diff))
		return diff;
	return a < 0 ? INT64_MIN : INT64_MAX;
}

/* A time of a clock that begins at 0, moved by @ns: from 0 to INT64_MAX. */
static inline u64 sat_move(u64 time_ns, s64 ns)
{
	s64 moved = sat_sum(time_ns > INT64_MAX ? INT64_MAX : (s64)time_ns, ns);

	return moved < 0 ? 0 : (u64)moved;
}

#endif
