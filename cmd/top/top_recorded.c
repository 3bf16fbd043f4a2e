// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * In flight, and how long something was: a command that completes ends a span of its place, and
 * swallows the spans that it overlaps.
 */
#include "cmd/top/top_recorded.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/base/array.h"
#include "lib/base/sat.h"
#include "lib/base/str.h"
#include "lib/cli/select.h"
#include "lib/session/session.h"

#define SPANS_KEPT 4096 /* spans of a place before those that are final are added up */

/* A command that is in flight while an interval ends. */
struct top_crossing {
	u64 begin_ns, end_ns;
	struct group_key key;
};

/* Time from one moment to another. */
struct span {
	u64 begin_ns, end_ns;
};

/*
 * A device, a controller or a queue, with the spans of this interval in which it was busy. Spans do
 * not touch each other, and the earliest is first.
 */
struct place {
	struct group_key key;
	struct span *spans;
	u32 n, room;
	u64 final_ns; /* of spans that were added up */
	bool unknown; /* there was no memory */
};

int top_recorded_open(struct top_recorded *r, u32 limit)
{
	r->places = group_table_open(sizeof(struct group_key), sizeof(struct place), limit);
	r->util = group_table_open(sizeof(struct group_key), sizeof(struct top_util), limit);
	return r->places && r->util ? 0 : -ENOMEM;
}

void top_recorded_close(struct top_recorded *r)
{
	u32 n = r->places ? group_table_sort(r->places, NULL, NULL) : 0;

	for (u32 i = 0; i < n; i++)
		free(((struct place *)group_table_at(r->places, i))->spans);
	group_table_close(r->places);
	group_table_close(r->util);
	free(r->crossings);
}

/* The number of the interval that @ns lies in, which is not before the first. */
static u64 interval_of(const struct top_recorded *r, u64 ns)
{
	return (ns - r->start_ns) / r->interval_ns;
}

/* Whether a command is in flight at a moment: one that completes then still is. */
static bool is_in_flight(u64 begin_ns, u64 end_ns, u64 at_ns)
{
	return begin_ns < at_ns && at_ns <= end_ns;
}

static bool crosses_range(const struct top_recorded *r, u64 begin_ns, u64 end_ns)
{
	for (u32 i = 0; i < r->times->n; i++) {
		const struct range64 *range = &r->times->range[i];

		if (is_in_flight(begin_ns, end_ns, sat_add(r->start_ns, range->lo)) ||
		    is_in_flight(begin_ns, end_ns, sat_add(r->start_ns, range->hi)))
			return true;
	}
	return false;
}

static bool crosses(const struct top_recorded *r, u64 begin_ns, u64 end_ns)
{
	if (r->times->n)
		return crosses_range(r, begin_ns, end_ns);
	return begin_ns < r->start_ns || interval_of(r, begin_ns) != interval_of(r, end_ns) ||
	       (r->stop_ns && is_in_flight(begin_ns, end_ns, r->stop_ns));
}

int top_recorded_ahead(struct top_recorded *r, const struct view *v)
{
	const struct event *ev = v->ev;
	struct top_crossing *c;

	if (ev->kind != EVENT_IO || ev->ts_ns < ev->submit_ns)
		return 0;
	if (event_lat_ns(ev) > r->longest_ns)
		r->longest_ns = event_lat_ns(ev);
	if (!crosses(r, ev->submit_ns, ev->ts_ns))
		return 0;
	if (!array_grow((void **)&r->crossings, r->n, &r->room, sizeof(*r->crossings)))
		return -ENOMEM;
	c = &r->crossings[r->n++];
	c->begin_ns = ev->submit_ns;
	c->end_ns = ev->ts_ns;
	group_key_fill(&c->key, r->g, v);
	return 0;
}

static int by_begin(const void *a, const void *b)
{
	const struct top_crossing *x = a, *y = b;

	return (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
}

/* Adds up the spans that nothing can touch any more which ends after @now_ns. */
static void make_final(struct place *p, u64 now_ns, u64 longest_ns)
{
	u32 n = 0;

	while (n < p->n && p->spans[n].end_ns + longest_ns < now_ns) {
		p->final_ns += p->spans[n].end_ns - p->spans[n].begin_ns;
		n++;
	}
	p->n -= n;
	memmove(p->spans, p->spans + n, p->n * sizeof(*p->spans));
}

/* Adds a span that ends no earlier than those before it. */
static void add_span(struct top_recorded *r, const struct group_key *key, u64 begin_ns, u64 end_ns)
{
	u64 from_ns = session_interval_start(r->g->s);
	struct group_key place = *key;
	struct place *p;

	group_key_narrow(&place, top_view_place(r->by));
	if (begin_ns < from_ns)
		begin_ns = from_ns;
	p = group_table_row(r->places, &place);
	while (p->n && p->spans[p->n - 1].end_ns >= begin_ns) {
		if (p->spans[p->n - 1].begin_ns < begin_ns)
			begin_ns = p->spans[p->n - 1].begin_ns;
		p->n--;
	}
	if (p->n == p->room && p->n >= SPANS_KEPT)
		make_final(p, end_ns, r->longest_ns);
	if (!array_grow((void **)&p->spans, p->n, &p->room, sizeof(*p->spans))) {
		p->unknown = true;
		return;
	}
	p->spans[p->n++] = (struct span){ begin_ns, end_ns };
}

void top_recorded_event(struct top_recorded *r, const struct view *v)
{
	const struct event *ev = v->ev;
	struct group_key key;

	if (!r->ahead || ev->kind != EVENT_IO || ev->ts_ns < ev->submit_ns)
		return;
	group_key_fill(&key, r->g, v);
	add_span(r, &key, ev->submit_ns, ev->ts_ns);
}

/* Moves the commands that are in flight at @at_ns to the front. */
static void find_active(struct top_recorded *r, u64 at_ns)
{
	u32 n = 0;

	if (!r->sorted && r->n)
		qsort(r->crossings, r->n, sizeof(*r->crossings), by_begin);
	r->sorted = true;
	for (u32 i = 0; i < r->active; i++) {
		if (r->crossings[i].end_ns >= at_ns)
			r->crossings[n++] = r->crossings[i];
	}
	for (; r->begun < r->n && r->crossings[r->begun].begin_ns < at_ns; r->begun++) {
		if (r->crossings[r->begun].end_ns >= at_ns)
			r->crossings[n++] = r->crossings[r->begun];
	}
	r->active = n;
}

static void add_flight(struct group_table *flights, const struct top_crossing *c, u64 at_ns)
{
	struct top_flight *flight = group_table_row(flights, &c->key);
	u64 age_ns = at_ns - c->begin_ns;

	flight->count++;
	flight->age_ns += age_ns;
	if (age_ns > flight->oldest_ns)
		flight->oldest_ns = age_ns;
}

/* Ends the interval for a place: how long it was busy. */
static void end_place(struct top_recorded *r, struct place *p, bool reset)
{
	struct top_util *util = group_table_row(r->util, &p->key);

	util->busy_ns = p->final_ns;
	util->unknown = p->unknown || p->key.other;
	util->parts = 1;
	for (u32 i = 0; i < p->n; i++)
		util->busy_ns += p->spans[i].end_ns - p->spans[i].begin_ns;
	if (!reset)
		return;
	p->n = 0;
	p->final_ns = 0;
}

/* Whether it was looked for what is in flight at @ns. */
static bool expected(const struct top_recorded *r, u64 ns)
{
	for (u32 i = 0; i < r->times->n; i++) {
		const struct range64 *range = &r->times->range[i];

		if (ns == sat_add(r->start_ns, range->lo) || ns == sat_add(r->start_ns, range->hi))
			return true;
	}
	if (r->times->n)
		return false;
	return ns == r->stop_ns || (ns >= r->start_ns && !((ns - r->start_ns) % r->interval_ns));
}

/* Adds what is in flight at the end of the interval. */
static void add_active(struct top_recorded *r, u64 end_ns, struct group_table *end)
{
	find_active(r, end_ns);
	for (u32 i = 0; i < r->active; i++) {
		const struct top_crossing *c = &r->crossings[i];

		add_flight(end, c, end_ns);
		add_span(r, &c->key, c->begin_ns, end_ns);
	}
}

/* Finds what was in flight already when the interval began. */
static void find_begin(struct top_recorded *r, u64 start_ns, struct group_table *begin)
{
	r->begin_ns = start_ns;
	group_table_reset(begin);
	find_active(r, start_ns);
	for (u32 i = 0; i < r->active; i++)
		add_flight(begin, &r->crossings[i], start_ns);
}

enum top_known top_recorded_end(struct top_recorded *r, const struct tick *t, bool whole,
				struct group_table *begin, struct group_table *end)
{
	enum top_known known = TOP_ALL;
	u32 n;

	group_table_reset(end);
	group_table_reset(r->util);
	if (t->start_ns != r->begin_ns)
		find_begin(r, t->start_ns, begin);
	if (whole)
		known = TOP_TIMES;
	else
		add_active(r, t->end_ns, end);
	n = group_table_sort(r->places, NULL, NULL);
	for (u32 i = 0; i < n; i++)
		end_place(r, (struct place *)group_table_at(r->places, i), t->reset);
	if (!r->ahead || !expected(r, t->start_ns) || (!whole && !expected(r, t->end_ns)))
		return TOP_NOTHING;
	return known;
}
