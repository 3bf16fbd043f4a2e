// SPDX-License-Identifier: GPL-2.0-or-later
/* Prints hits, and makes the account. */
#include "cmd/spdk/report.h"

#include <errno.h>

#include "lib/base/clock.h"
#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/session/meta.h"

#define DRAIN_MS 200 /* time that a stopped reader gets at the end */

int spdk_report_open(struct spdk_report *r, const struct invocation *inv)
{
	const char *fail_if = inv->common.run.fail_if;

	r->inv = inv;
	return fail_if ? expr_parse(&r->expr, fail_if, EXPR_EVENTS) : 0;
}

int spdk_report_begin(struct spdk_report *r, struct out *o, bool pids)
{
	int err;

	r->o = o;
	if (out_opts(o)->format != OUT_JSON)
		out_only(o, &spdk_schema);
	if (pids && !r->inv->common.output.columns)
		out_show(o, "pid", true);
	err = out_begin(o);
	if (!err)
		meta_put(o, r->inv, NULL);
	return err;
}

/* False: nobody takes the hit. */
static bool put_hit(struct spdk_report *r, const struct spdk_site *site, const struct spdk_hit *hit)
{
	u64 dropped = out_dropped(r->o);

	spdk_row_fill(&r->row, site, hit, r->start_ns, r->wall_offset_ns);
	out_row(r->o, &spdk_schema, &r->row);
	if (out_dropped(r->o) != dropped)
		return false;
	out_mark(r->o);
	return true;
}

void spdk_report_hit(struct spdk_report *r, const struct spdk_site *site,
		     const struct spdk_hit *hit)
{
	u64 max = r->inv->common.run.max_events;

	if (max && r->emitted >= max) {
		r->over++;
		return;
	}
	if (!put_hit(r, site, hit)) {
		r->lost.output++;
		return;
	}
	r->emitted++;
	r->errors += spdk_failed(site, hit);
	r->ended |= max && r->emitted >= max;
}

void spdk_report_lost(struct spdk_report *r, u64 now_ns)
{
	const struct spdk_sum sum = { .mono_ns = now_ns, .lost = r->lost };

	if (!memcmp(&r->lost, &r->told, sizeof(r->lost)))
		return;
	spdk_tell_lost(&r->lost, &r->told, r->end_ns ? "lost" : "lost so far");
	if (out_opts(r->o)->format == OUT_JSON)
		out_row(r->o, &spdk_lost_schema, &sum);
}

void spdk_report_push(struct spdk_report *r)
{
	if (out_flush(r->o))
		r->ended = true;
}

void spdk_report_hurry(struct spdk_report *r)
{
	out_hurry(r->o);
}

void spdk_report_stop(struct spdk_report *r)
{
	r->end_ns = clock_ns(CLOCK_MONOTONIC);
	out_patient_until(r->o, 0);
}

void spdk_report_drain(struct spdk_report *r)
{
	if (out_drain(r->o, DRAIN_MS) != -ETIMEDOUT)
		return;
	r->lost.output += out_marks_pending(r->o);
	r->emitted -= out_marks_pending(r->o);
}

static bool check_condition(struct spdk_report *r)
{
	const struct expr_row row = {
		.wall_ns = r->end_ns + (u64)r->wall_offset_ns,
		.count = r->emitted,
		.errors = r->errors,
		.lost = spdk_lost_total(&r->lost),
	};

	return expr_check_and_tell(&r->expr, &row, r->inv->common.output.utc);
}

int spdk_report_end(struct spdk_report *r, u64 hits, const struct spdk_process_sum *sums, u32 n)
{
	struct spdk_sum sum = {
		.duration_ns = r->end_ns > r->start_ns ? r->end_ns - r->start_ns : 0,
		.hits = hits,
		.emitted = r->emitted,
		.errors = r->errors,
		.lost = r->lost,
		.expr = &r->expr,
		.process = sums,
		.n_processes = n,
	};
	bool failed;

	spdk_tell_lost(&r->lost, &r->told, "lost");
	failed = check_condition(r);
	sum.complete = !spdk_lost_total(&r->lost);
	if (out_opts(r->o)->format == OUT_JSON)
		out_row(r->o, &spdk_sum_schema, &sum);
	out_ends(r->o);
	if (failed)
		return EXIT_AS(EXIT_CONDITION);
	return r->inv->common.run.strict && !sum.complete ? EXIT_AS(EXIT_INCOMPLETE) : 0;
}
