// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The edges of exported histograms: 2^k and 1.5 * 2^k nanoseconds, from 2^13 (8.19 us) to 2^33
 * (8.59 s), the same on every host. Each is an edge of our own buckets too (2 or more per power of
 * two), so none is split. A time is a whole number of nanoseconds; one that equals an edge counts
 * above it.
 */
#ifndef NVT_METRICS_EDGES_H
#define NVT_METRICS_EDGES_H

#include "bpf/shared/hist.h"

#define EDGES 41

/* Edge @i below EDGES in nanoseconds. */
static inline u64 edges_ns(u32 i)
{
	return (2ULL + i % 2) << (12 + i / 2);
}

/* The same in seconds, as Go and so Prometheus writes such numbers: 0.000131072, 8.192e-06. */
#define EDGES_TEXT 40
const char *edges_text(u32 i, char buf[EDGES_TEXT]);

/*
 * Sets counts[i] to the number of samples below edge @i, and counts[EDGES] to that of all. @cfg is
 * log-linear with at least one bit.
 */
void edges_count(const struct hist_cfg *cfg, const u64 *buckets, u64 counts[EDGES + 1]);

#endif
