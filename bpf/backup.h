// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Programs that stand in for one that the kernel skips.
 *
 * While a program runs on a CPU, the kernel skips it for whatever else happens there: a completion
 * in an interrupt inside one in a task (fabrics, remote completions), and since 7.0, where programs
 * of tracepoints can be preempted, everything that other tasks do until the first one goes on. So
 * where that can be, each program is loaded twice (cfg.twice), on the same maps, and the second one
 * does what the first left undone. Both run one after the other in the task whose event it is, so
 * the first leaves a mark where it has been, and the second takes it away: a mark is never that of
 * an earlier event.
 */
#ifndef NVT_BACKUP_H
#define NVT_BACKUP_H

#include "bpf/maps.h"

/*
 * Of a program that is about to do the work of @hook: if it is the second, the first was skipped.
 */
static __always_inline void backup_stands_in(enum backup_hook hook)
{
	if (cfg.backup == BACKUP_SECOND)
		stat_inc(STAT_STOOD_IN + hook);
}

/* What the first program leaves in a member of its own. */
static __always_inline u8 backup_mark(void)
{
	return cfg.backup == BACKUP_FIRST;
}

/* Of the second program: the first has left @mark. */
static __always_inline bool backup_done(u8 *mark)
{
	if (cfg.backup != BACKUP_SECOND || !*mark)
		return false;
	*mark = 0;
	return true;
}

#endif
