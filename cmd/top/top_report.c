// SPDX-License-Identifier: GPL-2.0-or-later
/* From what was counted to the rows of a view. */
#include "cmd/top/top_report.h"

#include <errno.h>

#include "lib/base/sat.h"
#include "lib/cli/expr.h"

void top_report_view(struct top_report *r, struct session *s, u32 by)
{
	struct group g = r->view.group;

	if (g.s)
		group_show(&g, false);
	group_init(&r->view.group, s, by, "(other)");
	out_show(session_out(s), "util_pct", top_view_busy(by));
}

int top_report_open(struct top_report *r, const struct latency_cfg *cfg, u32 limit)
{
	size_t bytes = sizeof(struct top_sum) + cfg->hist.slots * sizeof(u64);

	r->view.cfg = cfg;
	r->shown = group_table_open(sizeof(struct group_key), bytes, limit);
	if (!r->shown)
		return -ENOMEM;
	return latency_percentiles(r->view.pct, &r->view.n_pct, TOP_PERCENTILES);
}

void top_report_close(struct top_report *r)
{
	group_table_close(r->shown);
}

/* The row of the view that a row with @key is a part of. */
static struct top_sum *row_of(struct top_report *r, const struct group_key *key)
{
	struct group_key narrow = *key;
	struct top_sum *row;

	group_key_narrow(&narrow, r->view.group.by);
	row = group_table_row(r->shown, key->other ? NULL : &narrow);
	row->done.key = row->key;
	return row;
}

static void flight_add(struct top_flight *to, const struct top_flight *from)
{
	to->count += from->count;
	to->age_ns += from->age_ns;
	to->uncounted += from->uncounted;
	if (from->oldest_ns > to->oldest_ns)
		to->oldest_ns = from->oldest_ns;
}

/* The time that what @key stands for was busy; NULL: not known. */
static struct top_util *util_of(struct top_report *r, const struct group_key *key)
{
	struct group_key place = *key;

	if (!r->util || key->other)
		return NULL;
	group_key_narrow(&place, top_view_place(r->view.group.by));
	return group_table_find(r->util, &place);
}

/* Adds the rows of @from to those of the view: to their begin, or to their end. */
static void add_flights(struct top_report *r, struct group_table *from, bool end)
{
	u32 n = group_table_sort(from, NULL, NULL);

	for (u32 i = 0; i < n; i++) {
		const struct top_flight *flight = group_table_at(from, i);
		struct top_sum *row = row_of(r, &flight->key);
		struct top_util *util;

		flight_add(end ? &row->end : &row->begin, flight);
		util = flight->uncounted ? util_of(r, &flight->key) : NULL;
		if (util)
			util->unknown = true;
	}
}

/* Adds the waits of a row to those of the view. */
static void add_waits(struct top_sum *to, const struct latency_sum *from,
		      const struct hist_cfg *hist)
{
	const struct latency_cell *waits = latency_second(&from->sum, hist);

	to->wait_ns = sat_add(to->wait_ns, waits->sum_ns);
	for (u32 i = 0; i < hist->slots; i++)
		to->waits += latency_buckets(waits)[i];
}

void top_report_make(struct top_report *r, const struct top_parts *parts)
{
	const struct latency_cfg *cfg = r->view.cfg;
	u32 n = group_table_sort(parts->done, NULL, NULL);

	group_table_reset(r->shown);
	r->util = parts->util;
	r->mixed = false;
	for (u32 i = 0; i < n; i++) {
		const struct latency_sum *from = group_table_at(parts->done, i);
		struct top_sum *row = row_of(r, &from->key);

		r->mixed |= from->key.other;
		latency_sum_merge(&row->done, &cfg->hist, &from->sum);
		if (cfg->flags & LATENCY_WAIT)
			add_waits(row, from, &cfg->hist);
	}
	if (!top_view_late(r->view.group.by)) {
		add_flights(r, parts->begin, false);
		add_flights(r, parts->end, true);
	}
	r->n = group_table_sort(r->shown, NULL, NULL);
}

enum top_known top_report_known(const struct top_report *r)
{
	return top_view_late(r->view.group.by) ? TOP_NOTHING : r->known;
}

static void fill(struct top_report *r, u32 i)
{
	const struct top_sum *from = group_table_at(r->shown, i);
	struct top_row *row = &r->row;

	top_row_fill(row, &r->view, from, top_report_known(r));
	row->util_pct = top_busy_pct(util_of(r, &from->key), row->done.keys.interval_ns);
	if (r->mixed || r->partly)
		row->qd = __builtin_nan("");
	if (r->partly || !top_report_known(r))
		row->util_pct = __builtin_nan("");
}

static int compare(const void *a, const void *b, void *group)
{
	const struct top_sum *x = a, *y = b;

	if (x->key.other != y->key.other)
		return x->key.other - y->key.other;
	if (x->figure != y->figure)
		return x->figure < y->figure ? 1 : -1;
	return group_compare(a, b, group);
}

u32 top_report_end(const struct top_report *r)
{
	return r->n - r->first > r->limit ? r->first + r->limit : r->n;
}

void top_report_print(struct top_report *r)
{
	struct out *o = session_out(r->view.group.s);
	u32 i;

	for (i = 0; i < r->n; i++) {
		fill(r, i);
		((struct top_sum *)group_table_at(r->shown, i))->figure =
			top_row_figure(&r->row, r->sort);
	}
	r->n = group_table_sort(r->shown, compare, &r->view.group);
	for (i = r->first; i < top_report_end(r); i++) {
		fill(r, i);
		out_row(o, &top_schema, &r->row);
	}
}

void top_report_check(struct top_report *r)
{
	for (u32 i = 0; i < r->n; i++) {
		const struct top_sum *sum = group_table_at(r->shown, i);
		struct expr_row values;

		fill(r, i);
		values = latency_sum_values(&sum->done, &r->row.done.hist);
		group_check(&r->view.group, &r->row.done.keys, &values);
	}
	if (!r->n)
		group_check(&r->view.group, NULL, &(struct expr_row){ 0 });
}
