// SPDX-License-Identifier: GPL-2.0-or-later
/* The time, in nanoseconds. */
#ifndef NVT_CLOCK_H
#define NVT_CLOCK_H

#include <time.h>

#include "lib/types.h"
#include "lib/units.h"

/* What @clock shows; 0 when the kernel does not have it. */
static inline u64 clock_ns(clockid_t clock)
{
	struct timespec t;

	return clock_gettime(clock, &t) ? 0 : (u64)t.tv_sec * NSEC_PER_SEC + (u64)t.tv_nsec;
}

#endif
