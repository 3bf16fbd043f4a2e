// SPDX-License-Identifier: GPL-2.0-or-later
/* Compares the latencies of two recordings, key by key. */
#ifndef NVT_VIEW_COMPARE_H
#define NVT_VIEW_COMPARE_H

#include "lib/view/diff_row.h"
#include "lib/group/table.h"

/* Begins as zeroes. The caller fills in group, pct and n_pct before diff_open(). */
struct diff_compare {
	struct group group;
	struct percentile pct[HIST_PERCENTILES];
	u32 n_pct;
	bool queued; /* latency begins at the entry into the block layer */
	struct group_table *table;
	double alpha; /* of one interval */
	double seconds[DIFF_SIDES]; /* how long the recordings are */
	struct diff_row row;
	struct diff_change change[HIST_PERCENTILES]; /* of the row */
};

/* Opens a table of at most @limit keys; a sample takes up to a quarter of a megabyte. 0, -ENOMEM. */
int diff_open(struct diff_compare *c, u32 limit);
void diff_close(struct diff_compare *c); /* one that was not opened is allowed */

/*
 * Adds a completed command; the first recording is the earlier one. 0, 1 if it is in "(other)", or
 * -ENOMEM.
 */
int diff_add(struct diff_compare *c, const struct view *v);

/* Once all were added: sorts the keys, and returns how many there are. */
u32 diff_settle(struct diff_compare *c);
/* Fills in c->row with key @i, and its counts. */
void diff_key(struct diff_compare *c, u32 i);
/* And then with percentile @p of it. */
void diff_percentile(struct diff_compare *c, u32 i, u32 p);

#endif
