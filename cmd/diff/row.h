// SPDX-License-Identifier: GPL-2.0-or-later
/* Records of `diff`: a percentile of a key in both recordings. */
#ifndef NVT_DIFF_ROW_H
#define NVT_DIFF_ROW_H

#include "cmd/diff/change.h"
#include "lib/group/fields.h"

/*
 * The keys of --by but `none`, in the order of the columns. Hosts are compared with each other;
 * process IDs and cgroup IDs of two runs have nothing to do with each other.
 */
#define DIFF_KEYS(USE)                                                                             \
	USE(CTRL) USE(NS) USE(DEV) USE(QID) USE(CPU) USE(OPCODE) USE(FLAGS) USE(COMM) USE(STATUS)

enum { DIFF_A, DIFF_B, DIFF_SIDES };

/* One record as printed. */
struct diff_row {
	struct group_row keys; /* must be first: its columns read it there */
	u64 count[DIFF_SIDES];
	double iops[DIFF_SIDES]; /* NaN while the recording has no length */
	char percentile[24]; /* p99 */
	u64 ns[DIFF_SIDES]; /* ~0: there are no commands */
	struct diff_change change;
	const char *verdict;
};

extern const struct schema diff_schema;

/* The sign of a verdict. */
const char *diff_sign(enum diff_verdict verdict);

#endif
