// SPDX-License-Identifier: GPL-2.0-or-later
/* The time, in nanoseconds. */
#ifndef NVT_BASE_CLOCK_H
#define NVT_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

#include "lib/base/types.h"
#include "lib/base/units.h"

/*
 * Returns the time of @clock; 0 when the kernel does not have that clock. CLOCK_MONOTONIC is that
 * of the host, as BPF programs read it, once clock_open() was called.
 */
u64 clock_ns(clockid_t clock);

/*
 * Reads how far CLOCK_MONOTONIC of this time namespace is ahead of the host's, from
 * @proc/timens_offsets (NULL: /proc/self). A process whose children have another namespace is left
 * out: these offsets are theirs. 0, also where the kernel has no time namespaces, or -errno.
 */
int clock_open(const char *proc);

/* Returns @t in nanoseconds. */
static inline u64 clock_from(struct timespec t)
{
	return (u64)t.tv_sec * NSEC_PER_SEC + (u64)t.tv_nsec;
}

/*
 * Returns when work that began at @begin_ns of CLOCK_MONOTONIC, and ends now, may be done again, so
 * that it takes at most a tenth of the time.
 */
static inline u64 clock_rest(u64 begin_ns)
{
	u64 end_ns = clock_ns(CLOCK_MONOTONIC);

	return end_ns + 10 * (end_ns - begin_ns);
}

/* Returns what CLOCK_REALTIME now is ahead of CLOCK_MONOTONIC. */
static inline s64 clock_wall_offset(void)
{
	return (s64)(clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC));
}

/* Returns @from_ns + @times * @step_ns, with @times 0 counted as 1; U64_MAX when that overflows. */
static inline u64 clock_after(u64 from_ns, u64 step_ns, u64 times)
{
	u64 ns;

	if (__builtin_mul_overflow(step_ns, times ? times : 1, &ns) ||
	    __builtin_add_overflow(from_ns, ns, &ns))
		return UINT64_MAX;
	return ns;
}

#endif
