// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * %UTIL of `top`: how long at least one command was outstanding on a device, a controller or a
 * queue. All operations share that time.
 */
#ifndef NVT_TOP_TOP_BUSY_H
#define NVT_TOP_TOP_BUSY_H

#include "cmd/top/top_view.h"
#include "lib/group/table.h"

/* A row of a table: for the rows of a view whose key, without the operation, is @key. */
struct top_util {
	struct group_key key;
	u64 busy_ns; /* in the interval */
	u32 parts; /* that were busy; of several nobody knows how they overlap */
	bool unknown;
};

struct busy;
struct busy_time;

/* Live: what the programs counted, see bpf/busy.h. */
struct top_busy {
	struct session *s;
	const struct busy *counts;
	struct busy_time *times; /* of the same entries */
	u32 n;
	u32 by, level; /* the keys of the view; enum busy_level: the level of that */
	bool partial; /* the interval began before the level was chosen */
	u64 looked_ns;
	struct group_table *util; /* of struct top_util: what top_busy_look() found */
};

/*
 * In begin(), where the programs have begun with @by: at most @limit rows. 0 or -ENOMEM; without
 * counts nothing is known.
 */
int top_busy_open(struct top_busy *b, struct session *s, u32 by, u32 limit);
void top_busy_close(struct top_busy *b);

/* Turns to another view: until the next interval nothing is known. */
void top_busy_view(struct top_busy *b, u32 by);

/* Fills b->util for the rows of @g, from the begin of the interval until now. */
void top_busy_look(struct top_busy *b, const struct group *g);

/* An interval begins, at the moment of the last look. */
void top_busy_renew(struct top_busy *b);

/* Percent of @interval_ns; NaN: not known. @util NULL: there is none. */
double top_busy_pct(const struct top_util *util, u64 interval_ns);

#endif
