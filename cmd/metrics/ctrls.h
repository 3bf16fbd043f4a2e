// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Metrics of each controller: its names from Identify, the commands in flight, timeouts and resets.
 * Several recordings have none, since numbers of controllers are those of one host.
 */
#ifndef NVT_METRICS_CTRLS_H
#define NVT_METRICS_CTRLS_H

#include "bpf/shared/latency.h"
#include "cmd/metrics/expo.h"
#include "lib/session/session.h"

struct metrics_flight {
	u64 count, oldest_ns;
};

/* Begins as zeroes but for `s`. Tables are by latency_trouble_index(). */
struct metrics_ctrls {
	struct session *s;
	u64 now_ns; /* of the reading */
	struct metrics_flight flight[LATENCY_CTRLS]; /* at the last reading */
	struct latency_trouble trouble[LATENCY_CTRLS]; /* since the start */
};

/* Has timeouts and resets counted where the kernel lets them be seen; to be called in start(). */
void metrics_ctrls_ask(struct session_request *ask);

/* In replay: counts a timeout or a reset. */
void metrics_ctrls_event(struct metrics_ctrls *c, const struct view *v);

/* Live: reads what is there now. */
void metrics_ctrls_read(struct metrics_ctrls *c);

/* Writes their families. What cannot be known has none. */
void metrics_ctrls_put(const struct metrics_ctrls *c, struct expo *e);

#endif
