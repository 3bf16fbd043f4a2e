// SPDX-License-Identifier: GPL-2.0-or-later
/* Prints or records hits, and makes the account. */
#include "cmd/spdk/report.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/utsname.h>

#include "lib/base/clock.h"
#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/session/meta.h"

#define DRAIN_MS 200 /* time that a stopped reader gets at the end */

bool spdk_records(const struct invocation *inv)
{
	return inv->common.output.format == SPDK_NVT;
}

int spdk_report_open(struct spdk_report *r, const struct invocation *inv)
{
	const char *fail_if = inv->common.run.fail_if, *file = inv->common.output.file;
	int err = fail_if ? expr_parse(&r->expr, fail_if, EXPR_EVENTS) : 0;

	r->inv = inv;
	if (!err && spdk_records(inv))
		err = spdk_save_open(&r->save, file ? file : "-");
	return err;
}

/* Writes the head of a recording: this host, or that of the recording that is replayed. */
static int begin_file(struct spdk_report *r)
{
	struct utsname host = { 0 };
	struct record_head head = { 0 };

	uname(&host);
	if (r->recorded)
		head = *r->recorded;
	else
		head = (struct record_head){ .host = host.nodename,
					     .kernel = host.release,
					     .arch = host.machine };
	head.version = NVT_VERSION;
	head.start_ns = r->start_ns;
	head.wall_offset_ns = r->wall_offset_ns;
	spdk_save_patient(r->save, r->recorded, -1);
	return spdk_save_begin(r->save, &head);
}

int spdk_report_begin(struct spdk_report *r, struct out *o, bool pids)
{
	int err;

	r->o = o;
	if (r->save)
		return begin_file(r);
	if (out_opts(o)->format != OUT_JSON)
		out_only(o, &spdk_schema);
	if (pids && !r->inv->common.output.columns)
		out_show(o, "pid", true);
	err = out_begin(o);
	if (!err)
		meta_put(o, r->inv, r->recorded);
	return err;
}

/* Notes what became of a write to the recording. A reader that has gone ends the run, and no more. */
static void check_file(struct spdk_report *r, int err)
{
	if (!err || r->ended)
		return;
	r->ended = true;
	r->err = err == -EPIPE ? 0 : err;
}

void spdk_report_processes(struct spdk_report *r, const struct spdk_process_sum *sums, u32 n)
{
	for (u32 i = 0; r->save && i < n; i++)
		check_file(r, spdk_save_process(r->save, i, &sums[i]));
}

/* False: nobody takes the hit. */
static bool put_hit(struct spdk_report *r, u32 process, const struct spdk_site *site,
		    const struct spdk_hit *hit)
{
	u64 dropped;
	int err;

	if (r->save) {
		err = spdk_save_hit(r->save, process, site, hit, r->wall_offset_ns);
		if (err != -ENOSPC)
			check_file(r, err);
		return !err;
	}
	dropped = out_dropped(r->o);
	spdk_row_fill(&r->row, site, hit, r->start_ns, r->wall_offset_ns);
	out_row(r->o, &spdk_schema, &r->row);
	if (out_dropped(r->o) != dropped)
		return false;
	out_mark(r->o);
	return true;
}

void spdk_report_hit(struct spdk_report *r, u32 process, const struct spdk_site *site,
		     const struct spdk_hit *hit)
{
	u64 max = r->inv->common.run.max_events;

	if (max && r->emitted >= max) {
		r->over++;
		return;
	}
	if (!put_hit(r, process, site, hit)) {
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
	if (r->o && out_opts(r->o)->format == OUT_JSON)
		out_row(r->o, &spdk_lost_schema, &sum);
}

void spdk_report_push(struct spdk_report *r, u64 now_ns)
{
	if (r->save)
		check_file(r, spdk_save_flush(r->save, now_ns));
	else if (out_flush(r->o))
		r->ended = true;
}

void spdk_report_hurry(struct spdk_report *r)
{
	if (r->o)
		out_hurry(r->o);
}

void spdk_report_stop(struct spdk_report *r)
{
	r->end_ns = clock_ns(CLOCK_MONOTONIC);
	if (r->o)
		out_patient_until(r->o, 0);
}

void spdk_report_drain(struct spdk_report *r)
{
	if (!r->o || out_drain(r->o, DRAIN_MS) != -ETIMEDOUT)
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

static void end_file(struct spdk_report *r, struct spdk_sum *sum)
{
	check_file(r, spdk_save_finish(r->save, sum, r->end_ns));
	r->emitted = sum->emitted;
	r->lost = sum->lost;
	if (!r->err)
		note("recorded %" PRIu64 " hit%s (%" PRIu64 " bytes) in '%s'", r->emitted,
		     plural(r->emitted), spdk_save_bytes(r->save),
		     r->inv->common.output.file ? r->inv->common.output.file : "-");
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

	spdk_report_processes(r, sums, n);
	if (r->save)
		end_file(r, &sum);
	spdk_tell_lost(&r->lost, &r->told, "lost");
	failed = check_condition(r);
	sum.complete = !spdk_lost_total(&r->lost);
	if (r->o && out_opts(r->o)->format == OUT_JSON)
		out_row(r->o, &spdk_sum_schema, &sum);
	if (r->o)
		out_ends(r->o);
	if (r->err)
		return r->err;
	if (failed)
		return EXIT_AS(EXIT_CONDITION);
	return r->inv->common.run.strict && !sum.complete ? EXIT_AS(EXIT_INCOMPLETE) : 0;
}

void spdk_report_close(struct spdk_report *r)
{
	spdk_save_close(r->save);
}
