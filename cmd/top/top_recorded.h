// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds in a recording what was outstanding. A recording has a command when it completes, with the
 * time of its submission. So it is read ahead once, for the commands that are in flight while an
 * interval ends.
 */
#ifndef NVT_TOP_TOP_RECORDED_H
#define NVT_TOP_TOP_RECORDED_H

#include "cmd/top/top_busy.h"
#include "cmd/top/top_row.h"

struct time_ranges;
struct top_crossing;

struct top_recorded {
	const struct group *g; /* the keys of flights */
	u32 by; /* the keys of the view */
	bool ahead; /* it was read ahead; else nothing is known */
	u64 start_ns, stop_ns, interval_ns; /* of the run; stop_ns 0: the end of the recording */
	const struct time_ranges *times; /* of --time: the intervals, if there are any */
	struct top_crossing *crossings;
	u32 n, room;
	u32 begun; /* of them, when the last interval ended; those in flight come first */
	u32 active;
	bool sorted;
	u64 longest_ns; /* that a command took */
	u64 begin_ns; /* of the interval for which find_begin() looked */
	struct group_table *places; /* of struct place: all that was ever busy */
	struct group_table *util; /* of struct top_util */
};

/* 0 or -ENOMEM. @limit: of rows. */
int top_recorded_open(struct top_recorded *r, u32 limit);
void top_recorded_close(struct top_recorded *r);

/* Reading ahead: takes a command. 0 or -ENOMEM. */
int top_recorded_ahead(struct top_recorded *r, const struct view *v);

/* A command completes. */
void top_recorded_event(struct top_recorded *r, const struct view *v);

/*
 * The interval @t is over: puts what was in flight when it began into @begin, and what is now into
 * @end, both of struct top_flight, and fills r->util. @whole: the recording ends with
 * it, and does not tell what was in flight then. Nothing is known of an interval that was not expected
 * when the recording was read ahead.
 */
enum top_known top_recorded_end(struct top_recorded *r, const struct tick *t, bool whole,
				struct group_table *begin, struct group_table *end);

#endif
