// SPDX-License-Identifier: GPL-2.0-or-later
/* report: what stands out, live or in recordings, and one page about it for people without nvmetool. */
#include <errno.h>

#include "cmd/report/page.h"
#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/base/units.h"
#include "lib/cli/cmd.h"
#include "lib/event/counters.h"
#include "lib/session/recording.h"
#include "lib/session/unpack.h"
#include "lib/view/latency_count.h"

#define PERCENTILES "50,90,99,99.9"

/* Live needs: what findings and pages tell, but stacks, which cost more than all the rest. */
#define LIVE                                                                                       \
	(NEED_STATUS | NEED_RESULT | NEED_SQE | NEED_PID | NEED_COMM | NEED_CGROUP | NEED_OWNER |  \
	 NEED_QUEUED | NEED_SCHED | NEED_CPU | NEED_CMD_FLAGS | NEED_AER | NEED_TIMEOUT |          \
	 NEED_RESET | NEED_SYNCER)
#define RECORDED (LIVE | NEED_KSTACK | NEED_USTACK | NEED_SUBMIT | NEED_COMPLETE)
#define LIVE_NS	 (10 * NSEC_PER_SEC) /* how long it looks unless told */

static int check_files(const struct report *r, const struct run_opts *run)
{
	if (run->input.n > REPORT_SIDES)
		return fail_usage("a page is of one recording, or compares two",
				  "make a page of each", "%u recordings", run->input.n);
	if (r->page && run->interval_ns)
		return fail_usage("there is one page, of the whole run", "use --duration",
				  "INTERVAL with -w");
	return 0;
}

static int fill_views(struct report *r)
{
	int err = 0;

	/* The shape of diff, so that a percentile has the same value in all tables of the page. */
	r->cfg.hist = hist_finest;
	r->cfg.cell_bytes = latency_cell_size(&r->cfg.hist);
	for (u32 i = 0; !err && i < REPORT_TABLES; i++) {
		struct latency_view *view = &r->view[i];

		group_init(&view->group, r->s, report_keys[i].by, "(other)");
		view->cfg = &r->cfg;
		err = latency_percentiles(view->pct, &view->n_pct, PERCENTILES);
		latency_fields_make(view);
	}
	return err;
}

/* A page goes to a file, or is asked for by -f html. */
static bool is_page(const struct report *r)
{
	const struct output_opts *opts = out_opts(r->o);

	return opts->format == OUT_FORMAT_OWN || (opts->file && opts->format == OUT_TEXT);
}

static int report_check(struct session *s, struct session_request *ask)
{
	const struct selection *sel = &session_common(s)->selection;
	const struct run_opts *run = &session_common(s)->run;
	struct report *r = session_state(s);
	bool live = !session_is_replay(s);
	int err;

	r->s = s;
	r->o = session_out(s);
	r->sides = session_recordings(s);
	r->page = is_page(r);
	err = check_files(r, run);
	if (err)
		return err;
	r->pattern_kind = live || sel->min_lat_ns || sel->status.n ? EVENT_IO : EVENT_SUBMIT;
	if (live && !run->program && !run->interval_ns)
		ask->duration_ns = LIVE_NS;
	ask->admin = true;
	ask->one_host = r->sides > 1;
	ask->one_report = r->page;
	group_init(&r->pattern_group, s, 1ULL << KEY_DEV, "(other)");
	group_init(&r->diff.group, s, 1ULL << KEY_CTRL | 1ULL << KEY_OPCODE, "(other)");
	group_init(&r->stacks.group, s, 0, NULL);
	r->stacks.cfg = &r->stacks_cfg;
	err = latency_percentiles(r->diff.pct, &r->diff.n_pct, PERCENTILES);
	return err ? err : fill_views(r);
}

static int report_start(struct session *s, struct session_request *ask)
{
	struct report *r = session_state(s);

	ask->required = NEED_IO;
	ask->quiet = session_is_replay(s) ? RECORDED : LIVE;
	ask->fast_path_only = true;
	ask->inflight_end = true;
	return report_open(r) ? fail(-ENOMEM, NULL, NULL, "cannot keep the recordings") : 0;
}

/* The recordings are open: it is known what they hold. */
static int report_begin(struct session *s)
{
	struct report *r = session_state(s);

	r->lacks = session_lacks(s);
	r->stacks_cfg.flags = (r->lacks & NEED_KSTACK ? 0 : STACKS_KERNEL) |
			      (r->lacks & NEED_USTACK ? 0 : STACKS_USER);
	return 0;
}

static int report_event(struct session *s, const struct view *v)
{
	struct report *r = session_state(s);
	int err = r->failed ? 0 : report_add(r, v);

	if (err) {
		r->failed = true;
		session_fail(s, fail(err, NULL, NULL, "cannot keep the recordings"));
	}
	return 0;
}

/* Rows are of the interval, or of all the time of their recording. */
static void set_periods(struct report *r, const struct tick *t)
{
	for (u32 i = 0; i < r->sides; i++) {
		struct report_side *side = &r->side[i];

		side->start_ns = t->start_ns;
		side->end_ns = t->end_ns;
		if (r->sides > 1)
			session_period(r->s, i, &side->start_ns, &side->end_ns);
	}
}

/* Checks --fail-if on the commands of the interval. */
static void check(struct report *r, const struct tick *t)
{
	struct expr_row row = { .wall_ns = t->wall_ns,
				.lost = counters_lost(session_counters(r->s)) };

	for (u32 i = 0; i < r->sides; i++) {
		row.count += r->side[i].commands;
		row.errors += r->side[i].errors;
	}
	session_check(r->s, &row);
}

/* Tells of an interval; the next one begins with nothing, unless it is asked for more. */
static int report_tick(struct session *s, const struct tick *t)
{
	struct report *r = session_state(s);
	int err = 0;

	if (r->failed || (r->page && !t->last))
		return 0; /* a signal asks for a report in between: there is one page, at the end */
	set_periods(r, t);
	r->find.n = 0;
	if (find_all(r))
		return fail(-ENOMEM, NULL, NULL, "cannot look at the commands");
	if (r->page)
		err = page_put(r);
	else
		find_text(r);
	check(r, t);
	if (err)
		return fail(err, NULL, NULL, "cannot write the page");
	return t->reset && !t->last ? report_restart(r) : 0;
}

static void report_stop(struct session *s)
{
	report_close(session_state(s));
}

static const struct opt_word report_formats[] = {
	{ "html", OUT_FORMAT_OWN, "the page, also without -w" }, { NULL }
};
static const struct schema *const report_schemas[] = { &finding_schema, NULL };

/* clang-format off */
static const struct example report_examples[] = {
	{ "what stands out now", "nvmetool report" },
	{ "in a recording", "nvmetool report drive.nvt" },
	{ "a page for a ticket", "nvmetool report -i drive.nvt -w drive.html" },
	{ "before and after a change", "nvmetool report -i a.nvt -i b.nvt -w new.html" },
	{ "of one drive", "nvmetool report -i a.nvt -d nvme0n1 -w a.html" },
	{ "only slow commands", "nvmetool report -i drive.nvt -L 1ms -w slow.html" },
	{ "times in UTC", "nvmetool report -i drive.nvt --utc -w drive.html" },
	{ NULL },
};
/* clang-format on */

const struct cmd cmd_report = {
	.name = "report",
	.summary = "say what stands out, now or in a recording, or make a page",
	.about =
		"Looks at the drives for --duration, 10 seconds unless given, or at recordings, and says what stands out, at most seven findings, the most consequential first, each with the "
		"command that shows it: what failed, what became slower and when, what waits, who "
		"causes it. `nvmetool help findings` lists the kinds, and when one is said. What coincides "
		"is named as such; it need not be the cause. A `?` behind the severity says that the "
		"evidence is just enough.\n\n"
		"With -w it writes a page of HTML, for people who have no nvmetool: the findings, latency over "
		"time, percentiles, throughput, commands in flight, errors and resets, who sent the "
		"commands, their pattern, the slowest ones, and stacks if they were recorded (record -k "
		"-u). Every figure is what the command prints that the page names.\n\n"
		"The page stands alone: it loads nothing, has no script, opens offline, on a phone and in "
		"dark mode, and prints. Behind each picture is its table.\n\n"
		"With two recordings, before.nvt and after.nvt, it begins with what changed from the "
		"first to the second, as diff tells it.\n\n"
		"It shows names of hosts, drives, processes and cgroups, and serial numbers.",
	.operands = "[FILE... | INTERVAL [COUNT]] [-- PROGRAM...]",
	.examples = report_examples,
	.takes = TAKES_SELECTION | TAKES_OUTPUT | TAKES_FILES | TAKES_UTC | TAKES_UNIT | TAKES_RUN |
		 TAKES_INTERNALS,
	.rows = EXPR_EVENTS,
	.formats = report_formats,
	.schemas = report_schemas,
	.bpf = "trace",
	.unpack = trace_unpack,
	.state_size = sizeof(struct report),
	.check = report_check,
	.start = report_start,
	.begin = report_begin,
	.event = report_event,
	.tick = report_tick,
	.stop = report_stop,
};
