// SPDX-License-Identifier: GPL-2.0-or-later
/* Records of `diff`: a percentile of a key in both recordings. */
#ifndef NVT_VIEW_DIFF_ROW_H
#define NVT_VIEW_DIFF_ROW_H

#include "lib/view/change.h"
#include "lib/group/fields.h"

/*
 * The keys of --by but `none`, in the order of the columns. Hosts are compared with each other;
 * process IDs and cgroup IDs of two runs have nothing to do with each other.
 */
#define DIFF_KEYS(USE)                                                                             \
	USE(CTRL) USE(NS) USE(DEV) USE(QID) USE(CPU) USE(OPCODE) USE(FLAGS) USE(COMM) USE(STATUS)

enum { DIFF_A, DIFF_B, DIFF_SIDES };

/* A recording that is too short: for how long it wanders, and what length is enough. 0: neither. */
struct diff_short {
	u64 wander_ns, need_ns;
};

/* One record as printed. */
struct diff_row {
	struct group_row keys; /* must be first: its columns read it there */
	u64 count[DIFF_SIDES];
	double iops[DIFF_SIDES]; /* NaN while the recording has no length */
	char percentile[24]; /* p99 */
	u64 ns[DIFF_SIDES]; /* ~0: there are no commands */
	struct diff_change change;
	const char *verdict;
	const char *why; /* it is DIFF_UNKNOWN; else NULL */
	char too_short_text[96];
	struct diff_short now; /* of the recording that is named there */
	struct diff_short too_short[DIFF_SIDES]; /* the longest of the percentiles so far */
};

extern const struct schema diff_schema;

/* The sign of a verdict. */
const char *diff_sign(enum diff_verdict verdict);

/* Writes "A is too short: it wanders over 1.2 s; record at least 36 s" to @buf, and returns it. */
const char *diff_short_text(char *buf, size_t size, u32 side, const struct diff_short *is);

#endif
