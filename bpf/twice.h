// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Programs that stand in for one that the kernel skips.
 *
 * While a program runs on a CPU, the kernel skips it for whatever else happens there: a completion in an
 * interrupt inside one in a task (fabrics, remote completions), and since 7.0, where programs of
 * tracepoints can be preempted, everything that other tasks do until the first one goes on. So where that
 * can be, each program is loaded twice (cfg.twice), on the same maps, and the second one does what the
 * first left undone. At setup and completion the command's entry tells: see prog_setup() and
 * prog_complete(). Elsewhere the first one says while it runs on a CPU; in the few instructions in which
 * the kernel counts it as running and it has not said so, a run is lost, which is counted.
 */
#ifndef NVT_TWICE_H
#define NVT_TWICE_H

#include "bpf/maps.h"

enum twice_hook { TWICE_INSERT, TWICE_DONE, TWICE_ENTRY, TWICE_STAMP };

/* Which first programs run, by CPU; a cache line for each. */
struct twice_running {
	volatile u8 hook[64];
};
struct twice_running twice_running[WIRE_CPUS] SEC(".bss.running");

static __always_inline volatile u8 *twice_flag(enum twice_hook hook)
{
	return &twice_running[bpf_get_smp_processor_id() & (WIRE_CPUS - 1)].hook[hook];
}

/* Of a program that is about to do the work of its hook: if it is the second, the first was skipped. */
static __always_inline void twice_stand_in(void)
{
	if (cfg.twice == TWICE_SECOND)
		stat_inc(STAT_STOOD_IN);
}

/*
 * A program of @hook begins. False: there is nothing to do for it. @left: whether there is work that the
 * first one would have done; false where nothing tells.
 */
static __always_inline bool twice_begin(enum twice_hook hook, bool left)
{
	if (cfg.twice == TWICE_FIRST)
		*twice_flag(hook) = 1;
	if (cfg.twice == TWICE_SECOND && !left && !*twice_flag(hook))
		return false;
	twice_stand_in();
	return true;
}

static __always_inline void twice_end(enum twice_hook hook)
{
	if (cfg.twice == TWICE_FIRST)
		*twice_flag(hook) = 0;
}

#endif
