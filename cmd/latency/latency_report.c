// SPDX-License-Identifier: GPL-2.0-or-later
/* The report of an interval: sorts the rows, prints them and lets --fail-if see each. */
#include "cmd/latency/latency_report.h"
#include "lib/base/str.h"

static void check_row(const struct latency_view *view, const struct latency_row *row,
		      const struct latency_sum *sum)
{
	struct expr_row values = latency_sum_values(sum, &row->hist);
	char phase[32];

	if (row->phase) {
		snprintf(phase, sizeof(phase), "phase=%s", row->phase);
		values.name = phase;
	}
	group_check(&view->group, &row->keys, &values);
}

static void print_buckets(struct out *o, struct latency_row *row)
{
	u32 slot = 0;

	while (hist_next_bucket(&row->hist, &slot, &row->bucket))
		out_row(o, &latency_bucket_schema, row);
}

static void print(struct out *o, struct latency_report *report)
{
	if (report->map)
		return;
	if (report->draw)
		latency_draw(o, &report->view, &report->style, &report->row);
	else if (report->style.histogram == LATENCY_ROWS)
		print_buckets(o, &report->row);
	else
		out_row(o, &latency_schema, &report->row);
}

/* Prints the line of an interval, also of one without commands. */
static void print_heat(struct latency_report *report, u32 n)
{
	const struct latency_view *view = &report->view;
	const struct hist none = { .cfg = &view->cfg->hist };

	heat_line(&report->heat, session_out(view->group.s), view->group.wall_ns,
		  n ? &report->row.hist : &none);
}

void latency_report(struct latency_report *report, struct group_table *table)
{
	struct latency_view *view = &report->view;
	struct out *o = session_out(view->group.s);
	u32 n = group_table_sort(table, latency_sum_compare, &view->group);
	bool heat = report->draw && report->style.histogram == LATENCY_HEAT;

	if (report->draw && n && !heat)
		out_text_time(o, view->group.wall_ns);
	for (u32 i = 0; i < n; i++) {
		const struct latency_sum *sum = group_table_at(table, i);

		latency_row_fill(&report->row, view, sum);
		if (!heat)
			print(o, report);
		check_row(view, &report->row, sum);
	}
	if (heat)
		print_heat(report, n);
	if (!n)
		group_check(&view->group, NULL, &(struct expr_row){ 0 });
}
