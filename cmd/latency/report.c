// SPDX-License-Identifier: GPL-2.0-or-later
/* The report of an interval: rows in order, printed, and shown to --fail-if. */
#include "cmd/latency/row.h"
#include "lib/base/str.h"
#include "lib/cli/expr.h"
#include "lib/event/counters.h"
#include "lib/session/session.h"

int latency_key_compare(const struct latency_key *a, const struct latency_key *b, void *ctx)
{
	struct session *s = ctx;
	int order = 0;

#define BY(member) (order = order ? order : (a->member > b->member) - (a->member < b->member))
	BY(ctrl_id);
	BY(nsid);
	if (!order && a->queue != b->queue)
		order = strverscmp(session_dev_name(s, a->queue), session_dev_name(s, b->queue));
	BY(qid);
	BY(cpu);
	BY(admin);
	BY(opcode);
	BY(fctype);
	BY(size_class);
	BY(cmd_flags);
	if (!order)
		order = memcmp(a->comm, b->comm, sizeof(a->comm));
	BY(pid);
	BY(cgroup_id);
	BY(status);
	BY(phase);
	BY(fabrics);
#undef BY
	return order;
}

static u64 row_percentile(const void *ctx, u32 millionths)
{
	return hist_percentile(ctx, millionths);
}

/* Lets --fail-if see the row; NULL: an interval without commands. */
static void check_row(struct session *s, const struct latency_view *view,
		      const struct latency_row *row)
{
	struct expr_row values = { .duration_ns = view->end_ns - view->start_ns,
				   .lost = counters_lost(session_counters(s)),
				   .wall_ns = view->wall_ns };
	char name[EXPR_ROW_NAME];

	if (row) {
		latency_row_name(row, view->cfg->by, name, sizeof(name));
		values.name = name;
		values.op =
			row->other || !latency_has(view->cfg, LATENCY_BY_OPCODE) ? NULL : row->op;
		values.count = row->count;
		values.errors = row->errors;
		values.bytes = row->bytes;
		values.min_ns = row->min_ns;
		values.max_ns = row->max_ns;
		values.avg_ns = (double)row->sum_ns / (double)row->count;
		values.percentile = row_percentile;
		values.ctx = &row->hist;
	}
	session_check(s, &values);
}

void latency_report(struct session *s, struct latency_report *report, struct agg *agg)
{
	struct out *o = session_out(s);
	u32 n = agg_rows(agg), i;

	agg_sort(agg, latency_key_compare, s);
	if (report->draw && n)
		out_text_time(o, report->view.wall_ns);
	for (i = 0; i < n; i++) {
		latency_row_fill(&report->row, &report->view, agg_at(agg, i));
		if (report->draw)
			latency_draw(o, &report->style, &report->row);
		else
			out_row(o, &latency_schema, &report->row);
		check_row(s, &report->view, &report->row);
	}
	if (!n)
		check_row(s, &report->view, NULL);
	report->printed |= n > 0;
}
