// SPDX-License-Identifier: GPL-2.0-or-later
/* Prints hits, and makes the account of the run. */
#ifndef NVT_SPDK_REPORT_H
#define NVT_SPDK_REPORT_H

#include "cmd/spdk/row.h"
#include "lib/cli/cmd.h"

struct spdk_report {
	const struct invocation *inv;
	struct out *o;
	struct expr expr;
	struct spdk_row row;
	u64 start_ns, end_ns; /* CLOCK_MONOTONIC */
	s64 wall_offset_ns;
	u64 emitted, errors, over; /* over: hits behind --max-events */
	struct spdk_lost lost, told;
	bool ended; /* the run shall end: --max-events is reached, or nobody reads any more */
};

/* Reads --fail-if. 0 or EXIT_AS(...)/-errno after a message. */
int spdk_report_open(struct spdk_report *r, const struct invocation *inv);
/* Begins the output. @pids: rows tell processes apart. Needs r->start_ns and r->wall_offset_ns. */
int spdk_report_begin(struct spdk_report *r, struct out *o, bool pids);

/* Prints a hit and counts it. */
void spdk_report_hit(struct spdk_report *r, const struct spdk_site *site,
		     const struct spdk_hit *hit);
/* Says what was lost since it was last asked. */
void spdk_report_lost(struct spdk_report *r, u64 now_ns);
/* Passes on what can be passed on without waiting. */
void spdk_report_push(struct spdk_report *r);
/* The run is to end: the reader is not waited for any more. */
void spdk_report_hurry(struct spdk_report *r);
/* Notes that the run ends now. The hits that still come are those that were on their way. */
void spdk_report_stop(struct spdk_report *r);
/* Waits a little for the reader, and gives the rest up. Called before the losses are read. */
void spdk_report_drain(struct spdk_report *r);
/*
 * Ends with the account: @hits is what should have come. Returns the status of the run: 0, or
 * EXIT_AS(...)/-errno, reported.
 */
int spdk_report_end(struct spdk_report *r, u64 hits, const struct spdk_process_sum *sums, u32 n);

#endif
