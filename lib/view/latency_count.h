// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counts latencies by key: live in the programs of bpf/latency.bpf.c, in replay from the events. A
 * command that shares this has `.bpf = "latency"`, and calls each of these in the callback of the
 * same name.
 */
#ifndef NVT_VIEW_LATENCY_COUNT_H
#define NVT_VIEW_LATENCY_COUNT_H

#include "lib/view/latency_retire.h"
#include "lib/view/latency_sum.h"

#define LATENCY_BITS 3 /* of the default histogram, which the fast path serves */

/*
 * The bits of a histogram whose shape nobody gave: LATENCY_BITS, and with --fail-if the finest. Then
 * a limit is compared with a percentile that is at most 1.6 % too large, the one that is printed.
 */
u32 latency_bits(const struct session *s);

/* Begins as zeroes. The caller keeps it, and what it points to, until the end of the run. */
struct latency_count {
	const struct group *group; /* the keys; set before latency_count_start() */
	struct latency_cfg cfg; /* hist and flags are the caller's, the rest is filled in */
	u32 max_inflight; /* only commands submitted with at most so many outstanding; 0: all */
	u32 max_rows; /* at most so many and "(other)"; 0: as many as there is room for */
	bool gives_back; /* rows without a command in an interval, and then the table has more rows */
	u32 limit; /* filled in: the most rows of the table */
	struct latency_rows rows;
	struct group_table *table; /* rows of struct latency_sum since the caller reset it */
	struct session *s;
	u8 fine[LATENCY_FINE_SLOTS];
};

/*
 * Has the programs count, and opens the table. Adds to the needs in @ask, and sets its sections and
 * maps. 0 or -errno, reported.
 */
int latency_count_start(struct latency_count *c, struct session *s, struct session_request *ask);
/*
 * In replay: counts a completed command in its row, and in the account of the session. False: it is
 * none, or left out because -Q wants a time that is not known.
 */
bool latency_count_event(struct latency_count *c, const struct view *v);
/*
 * At a tick: adds to the table what the programs counted since the last one, and to the account of
 * the session. In replay there is nothing to add.
 */
void latency_count_collect(struct latency_count *c);
/* Closes the table; one that was not opened is allowed. */
void latency_count_stop(struct latency_count *c);

#endif
