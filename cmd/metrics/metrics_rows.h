// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows of metrics: sums by key, with labels and with histograms of exported edges. Rows only grow,
 * and keep their labels.
 */
#ifndef NVT_METRICS_ROWS_H
#define NVT_METRICS_ROWS_H

#include "cmd/metrics/edges.h"
#include "lib/group/table.h"
#include "lib/view/latency_sum.h"

struct metrics_hist {
	struct latency_cell sum;
	u64 counts[EDGES + 1]; /* as edges_count() sets them */
};

struct metrics_row {
	const char *labels; /* as expo_label() writes them */
	struct metrics_hist command, block; /* block: with LATENCY_BOTH, from block layer entry */
};

/* Begins as zeroes. */
struct metrics_rows {
	const struct group *group;
	const struct latency_cfg *cfg;
	struct group_table *labels; /* of each key, made once: a name found later changes no row */
	struct metrics_row *row;
	u32 n, limit;
};

/* Opens rows for @limit keys and "(other)". 0 or -ENOMEM. */
int metrics_rows_open(struct metrics_rows *r, const struct group *group,
		      const struct latency_cfg *cfg, u32 limit);
void metrics_rows_close(struct metrics_rows *r);

/*
 * Makes r->row, r->n of them sorted by labels, of @table, which has rows of struct latency_sum. Keys
 * with the same labels, like cgroups of one path, make one row. 0 or -ENOMEM.
 */
int metrics_rows_make(struct metrics_rows *r, struct group_table *table);

#endif
