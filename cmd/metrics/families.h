// SPDX-License-Identifier: GPL-2.0-or-later
/* The metrics: what is read of a run, and its families as text. */
#ifndef NVT_METRICS_FAMILIES_H
#define NVT_METRICS_FAMILIES_H

#include "cmd/metrics/ctrls.h"
#include "cmd/metrics/expo.h"
#include "cmd/metrics/metrics_rows.h"
#include "cmd/metrics/metrics_process.h"
#include "lib/view/latency_count.h"

/* Begins as zeroes but for `queued`, `served` and `process`. */
struct metrics_reading {
	bool queued; /* there is a second histogram, from block layer entry */
	bool served; /* not in a file: node_exporter, which reads it, has metrics of its own process */
	struct metrics_process process;
	struct session *s; /* NULL: it waits for the driver; there is nothing but nvmetool itself */
	struct latency_count count; /* since the start */
	struct metrics_rows rows;
	struct metrics_ctrls ctrls;
	u64 start_wall_ns; /* when the run began; kept, since the wall clock may be set */
	u64 read_ns; /* CLOCK_MONOTONIC of the last reading; 0: none */
};

/* To be called in start(): as latency_count_start(), with at most @max_series rows. */
int metrics_reading_open(struct metrics_reading *r, struct session *s, const struct group *group,
			 u32 max_series, struct session_request *ask);
void metrics_reading_close(struct metrics_reading *r);

/* In replay: counts an event. */
void metrics_reading_event(struct metrics_reading *r, const struct view *v);

/* Reads what was counted. */
void metrics_read(struct metrics_reading *r);

/* Reads, unless a reading of the current INTERVAL is there, and writes all families of it. */
void metrics_render(struct metrics_reading *r, struct expo *e);

#endif
