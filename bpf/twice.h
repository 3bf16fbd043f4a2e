// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Programs that stand in for one that the kernel skips.
 *
 * While a program runs on a CPU, the kernel skips it for whatever else happens there: a completion in an
 * interrupt inside one in a task (fabrics, remote completions), and since 7.0, where programs of
 * tracepoints can be preempted, everything that other tasks do until the first one goes on. So where that
 * can be, each program is loaded twice (cfg.twice), on the same maps. The second looks whether the first
 * is held up on this CPU, hence was skipped, and then does its work. In the few instructions in which the
 * first one is counted as running and has not said so, a command is lost, which is counted.
 */
#ifndef NVT_TWICE_H
#define NVT_TWICE_H

#include "bpf/maps.h"

enum twice_hook { TWICE_SETUP, TWICE_COMPLETE, TWICE_INSERT, TWICE_DONE, TWICE_ENTRY, TWICE_STAMP };

/* Which first programs run, by CPU; a cache line for each. */
struct twice_running {
	volatile u8 hook[64];
};
struct twice_running twice_running[WIRE_CPUS] SEC(".bss.running");

static __always_inline volatile u8 *twice_flag(enum twice_hook hook)
{
	return &twice_running[bpf_get_smp_processor_id() & (WIRE_CPUS - 1)].hook[hook];
}

/* The first program begins, or ends. */
static __always_inline void twice_mark(enum twice_hook hook, u8 running)
{
	if (cfg.twice == TWICE_FIRST)
		*twice_flag(hook) = running;
}

/* In the second: the first one was skipped, so this one goes on. */
static __always_inline bool twice_skipped(enum twice_hook hook)
{
	if (!*twice_flag(hook))
		return false;
	stat_inc(STAT_STOOD_IN);
	return true;
}

/*
 * What both do, between BEGIN and END. @missed: an expression that tells the second one whether it has to.
 */
#define TWICE_BEGIN(hook, missed)                                                                  \
	do {                                                                                       \
		if (cfg.twice == TWICE_SECOND && !(missed))                                        \
			return 0;                                                                  \
		twice_mark(hook, 1);                                                               \
	} while (0)
#define TWICE_END(hook) twice_mark(hook, 0)

#endif
