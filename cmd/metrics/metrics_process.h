// SPDX-License-Identifier: GPL-2.0-or-later
/* Metrics of this process, by the names that Prometheus' client libraries use. */
#ifndef NVT_METRICS_PROCESS_H
#define NVT_METRICS_PROCESS_H

#include "cmd/metrics/expo.h"

/* The figures that never change. They are read at the start, before system calls are given up. */
struct metrics_process {
	u64 start_wall_ns; /* since 1970; 0: /proc does not tell */
	u64 fds_max;
};

void metrics_process_open(struct metrics_process *p);

/* Writes the families; what /proc does not tell is left out. */
void metrics_process_put(const struct metrics_process *p, struct expo *e);

#endif
