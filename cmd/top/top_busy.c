// SPDX-License-Identifier: GPL-2.0-or-later
/* From what the programs counted to the time in which something was outstanding. */
#include "cmd/top/top_busy.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/base/clock.h"
#include "lib/session/kernel_maps.h"
#include "lib/session/lookup.h"

#define READ_TRIES 8
#define APART_NS   NSEC_PER_SEC /* two clocks differ by less; a sum that is half written by more */

/* One entry of the map since the start of the run. */
struct busy_time {
	u64 begin_ns, end_ns; /* at the begin of the interval, at the last look */
	bool unknown; /* of the last look */
};

int top_busy_open(struct top_busy *b, struct session *s, u32 by, u32 limit)
{
	size_t size = 0;

	b->s = s;
	b->by = by;
	b->level = top_view_busy(by);
	b->util = group_table_open(sizeof(struct group_key), sizeof(struct top_util), limit);
	b->counts = session_map_memory(s, "busy", &size);
	b->n = b->counts ? (u32)(size / sizeof(*b->counts)) : 0;
	b->times = calloc(b->n + 1UL, sizeof(*b->times));
	b->looked_ns = session_start_ns(s);
	return b->util && b->times ? 0 : -ENOMEM;
}

void top_busy_close(struct top_busy *b)
{
	group_table_close(b->util);
	free(b->times);
}

/*
 * The time in which something was outstanding so far. Two CPUs may have added to the sum in the
 * other order, or one of them not yet: then it is off by the age of the system, and read again.
 */
static bool read_count(const struct busy_count *count, u64 before_ns, u64 within_ns, u64 *ns)
{
	for (u32 i = 0; i < READ_TRIES; i++) {
		u64 sum = __atomic_load_n(&count->sum, __ATOMIC_ACQUIRE);
		u64 until = sum & 1 ? 2 * clock_ns(CLOCK_MONOTONIC) + 1 : 0;
		s64 more = (s64)(sum + until) / 2 - (s64)before_ns;

		if (more > (s64)(within_ns + APART_NS) || more < -(s64)APART_NS)
			continue;
		*ns = before_ns + (more > 0 ? (u64)more : 0);
		return true;
	}
	return false;
}

/* True if the queue's entry counts at this level, for all queues of the same thing. */
static bool counts_here(const struct top_busy *b, u32 i)
{
	return b->level && __atomic_load_n(&b->counts[i].at[b->level], __ATOMIC_ACQUIRE) == i;
}

static void read_all(struct top_busy *b)
{
	u64 now_ns = clock_ns(CLOCK_MONOTONIC);

	for (u32 i = 1; i < b->n; i++) {
		struct busy_time *time = &b->times[i];

		if (counts_here(b, i))
			time->unknown = !read_count(&b->counts[i].count[b->level], time->end_ns,
						    now_ns - b->looked_ns, &time->end_ns);
	}
	b->looked_ns = now_ns;
}

void top_busy_view(struct top_busy *b, u32 by)
{
	b->by = by;
	b->level = top_view_busy(by);
	session_busy_at(b->s, b->level);
	b->partial = true;
	group_table_reset(b->util);
	for (u32 i = 1; i < b->n; i++)
		b->times[i] = (struct busy_time){ 0 };
	b->looked_ns = session_start_ns(b->s);
	read_all(b);
	top_busy_renew(b);
	b->partial = true;
}

/* Adds entry @i to the row that it is a part of. */
static void add(struct top_busy *b, const struct group *g, u32 i)
{
	static const struct command_slot none;
	const struct busy_time *time = &b->times[i];
	const struct key_in in = {
		.info = session_queue(b->s, i),
		.slot = &none,
		.size_edge = g->size_edge,
	};
	struct kernel_key key;
	struct group_key row_key;
	struct top_util *row;

	key_fill(&key, group_kernel_by(g) & ~(1U << KEY_OPCODE), &in);
	key.admin = false;
	group_key_of(&row_key, g, &key);
	group_key_narrow(&row_key, top_view_place(b->by));
	row = group_table_row(b->util, &row_key);
	row->busy_ns += time->end_ns - time->begin_ns;
	row->parts += time->end_ns > time->begin_ns;
	row->unknown |= time->unknown;
}

void top_busy_look(struct top_busy *b, const struct group *g)
{
	group_table_reset(b->util);
	read_all(b);
	for (u32 i = 1; i < b->n && !b->partial; i++) {
		if (counts_here(b, i))
			add(b, g, i);
	}
}

void top_busy_renew(struct top_busy *b)
{
	for (u32 i = 1; i < b->n; i++)
		b->times[i].begin_ns = b->times[i].end_ns;
	b->partial = false;
}

double top_busy_pct(const struct top_util *util, u64 interval_ns)
{
	u64 ns;

	if (!util || util->unknown || util->parts > 1 || !interval_ns)
		return __builtin_nan("");
	ns = util->busy_ns < interval_ns ? util->busy_ns : interval_ns;
	return 100.0 * (double)ns / (double)interval_ns;
}
