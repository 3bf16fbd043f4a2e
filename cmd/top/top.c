// SPDX-License-Identifier: GPL-2.0-or-later
/* top: who is busy, interval by interval, on a screen or as plain blocks. */
#include "cmd/top/top_live.h"
#include "cmd/top/top_recorded.h"
#include "lib/base/clock.h"
#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/base/units.h"
#include "lib/cli/cmd.h"
#include "lib/session/kernel_maps.h"
#include "lib/session/lookup.h"
#include "lib/view/finding.h"
#include "lib/view/latency_count.h"

#define DEFAULT_ROWS 20

struct top_opts {
	u64 by; /* bits 1 << enum key; 0: those of the view */
	u32 view; /* the same of --view */
	u32 sort; /* enum top_sort */
	u32 rows; /* 0: not given */
	bool queued, batch;
};

struct top_state {
	struct latency_count count;
	struct group counted; /* the keys that are counted */
	struct group_table *begin, *end; /* struct top_flight: at the ends of the interval */
	struct top_busy busy; /* live */
	struct top_recorded recorded; /* in replay */
	struct top_live live;
	u64 now_ns; /* when flights are looked at */
	u64 paused_ns; /* the begin of the interval in which the picture was held; 0: it was not */
	bool stale; /* what was counted has been reported: the next interval begins */
};

/* clang-format off */
static const struct opt top_opts[] = {
	OPT_ENUM(struct top_opts, sort, .name = "sort", .main = true, .letter = 's', .arg = "KEY", .def = "io",
		 .words = top_sort_words, .help = "what rows are sorted by, largest first"),
	OPT_ENUM(struct top_opts, view, .name = "view", .main = true, .arg = "VIEW", .def = "proc",
		 .words = top_view_words, .help = "what rows stand for"),
	OPT_U32(struct top_opts, rows, .name = "rows", .main = true, .letter = 'r', .arg = "ROWS", .min = 1, .max = 1000000,
		.brief = "how many rows; as many as a screen holds", .help = "how many rows; without it as many as a screen holds, 20 in other text, all in CSV and JSON"),
	OPT_SET_OF(struct top_opts, by, .name = "by", .arg = "LIST", .words = top_by_words,
		   .help = "a row for each combination of these instead"),
	OPT_FLAG(struct top_opts, queued, .name = "queued", .letter = 'Q', .help = "show how long commands waited in the block layer, in column QUEUE"),
	OPT_FLAG(struct top_opts, batch, .name = "batch", .letter = 'b',
		 .help = "print blocks, one below the other, although this is a terminal"),
	OPT_ALIAS("--batch", .name = "noclear", .rare = true, .letter = 'C', .help = "as biotop has it"),
	OPT_DONE
};

static const struct example top_examples[] = {
	{ "each second, by process", "nvmetool top" },
	{ "cgroups by bytes", "nvmetool top --view cgroup -s mb 5" },
	{ "process names, all devices together", "nvmetool top --by comm" },
	{ "three blocks for a log", "nvmetool top -bT 10 3" },
	{ "a recording, a minute per block", "nvmetool top -i drive.nvt --view dev 1m" },
	{ "the slowest queue of a drive", "nvmetool top -c 0 --view queue -s p99 -r 5" },
	{ NULL },
};
/* clang-format on */

static bool wants_screen(struct session *s, const struct top_opts *opts)
{
	const struct common *common = session_common(s);

	return !opts->batch && !session_is_replay(s) && !common->run.program &&
	       !common->internal.probe_only && common->output.format == OUT_TEXT &&
	       !common->output.file && screen_possible();
}

static u32 limit_of(const struct top_opts *opts, const struct out *o)
{
	if (opts->rows)
		return opts->rows;
	return out_opts(o)->format == OUT_TEXT ? DEFAULT_ROWS : ~0U;
}

static int check_keys(struct session *s, struct session_request *ask)
{
	const struct top_opts *opts = session_cfg(s);
	struct top_state *state = session_state(s);
	u32 by = opts->by ? (u32)opts->by & ~(1U << KEY_NONE) : opts->view;

	if (opts->by && opts->view != top_view_words[0].value)
		return fail_usage("a view is a name for keys", "drop one of them",
				  "--view and --by");
	state->live.all = state->live.wanted ? top_view_all(by) : by;
	state->live.own = opts->by ? by : ~0U;
	group_init(&state->counted, s, state->live.all, NULL);
	group_show(&state->counted, false);
	state->counted.apart = by >> KEY_CGROUP & by >> KEY_OWNER & 1;
	state->live.by = by;
	top_report_view(&state->live.report, s, by);
	ask->by_host = group_has(&state->counted, KEY_HOST);
	return group_check_condition(&state->live.report.view.group);
}

static int top_check(struct session *s, struct session_request *ask)
{
	const struct top_opts *opts = session_cfg(s);
	struct top_state *state = session_state(s);
	struct top_report *report = &state->live.report;
	bool queued = opts->queued || opts->sort == TOP_BY_QUEUE;

	state->live.wanted = wants_screen(s, opts);
	state->live.rows = opts->rows;
	state->live.busy = &state->busy;
	report->sort = opts->sort;
	report->sorts = queued ? TOP_SORTS_ALL : TOP_BY_QUEUE;
	report->limit = limit_of(opts, session_out(s));
	report->known = session_is_replay(s) ? TOP_NOTHING : TOP_ALL;
	report->partly =
		session_common(s)->selection.min_lat_ns || session_common(s)->selection.status.n;
	hist_shape(&state->count.cfg.hist, latency_bits(s), 0, 0);
	state->count.cfg.flags = queued ? LATENCY_BOTH | LATENCY_WAIT : 0;
	out_show(session_out(s), "queue_mean_ns", queued);
	state->count.group = &state->counted;
	state->count.gives_back = true;
	if (state->live.wanted) /* seconds on a slow machine, before there is a screen */
		progress("attaching: the kernel checks the programs");
	return check_keys(s, ask);
}

static int open_tables(struct top_state *state, bool replay)
{
	const struct latency_cfg *cfg = &state->count.cfg;
	u32 limit = state->count.limit;

	state->begin = group_table_open(sizeof(struct group_key), sizeof(struct top_flight), limit);
	state->end = group_table_open(sizeof(struct group_key), sizeof(struct top_flight), limit);
	if (!state->begin || !state->end || top_report_open(&state->live.report, cfg, limit))
		return fail(-ENOMEM, NULL, NULL, "cannot keep rows");
	state->recorded.g = &state->counted;
	state->recorded.times = session_times(state->counted.s);
	state->recorded.by = state->live.report.view.group.by;
	if (replay && top_recorded_open(&state->recorded, limit))
		return fail(-ENOMEM, NULL, NULL, "cannot keep times");
	return 0;
}

/* What to say of a run without a row: admin commands are in none unless they are selected. */
static const char *nothing_text(const struct filter *f)
{
	return f->admin || f->has_opcodes ? "command completed"
					  : "command completed; -q admin selects admin commands";
}

static int top_start(struct session *s, struct session_request *ask)
{
	struct top_state *state = session_state(s);
	int err = latency_count_start(&state->count, s, ask);

	ask->none = state->live.wanted ? NULL : nothing_text(session_filter(s));
	ask->required |= NEED_NSID;
	ask->busy = top_view_busy(state->live.report.view.group.by);
	if (!session_is_replay(s) && (ask->busy || state->live.wanted))
		ask->required |= NEED_BUSY;
	ask->fast_path_only = false; /* there a slot in flight lacks opcode and namespace */
	if (!err)
		err = open_tables(state, session_is_replay(s));
	if (!err && state->live.wanted)
		err = top_live_open(&state->live, ask);
	return err;
}

static int top_begin(struct session *s)
{
	struct top_state *state = session_state(s);
	int err = top_busy_open(&state->busy, s, state->live.report.view.group.by,
				state->count.limit);

	if (err)
		return fail(err, NULL, NULL, "cannot keep times");
	return state->live.wanted ? top_live_begin(&state->live) : 0;
}

/* Begins a new interval, once the last one was reported: what was in flight at its end still is. */
static void renew(struct top_state *state)
{
	struct group_table *end = state->end;

	if (!state->stale)
		return;
	state->stale = false;
	group_table_reset(state->count.table);
	top_busy_renew(&state->busy);
	state->end = state->begin;
	state->begin = end;
}

/* Sees to it that reading ahead finds the intervals that reports will have. */
static void plan_ahead(struct top_recorded *r, struct session *s)
{
	u64 duration_ns = session_common(s)->run.duration_ns;

	r->ahead = true;
	r->start_ns = session_start_ns(s);
	r->interval_ns = session_common(s)->run.interval_ns;
	r->stop_ns = duration_ns ? r->start_ns + duration_ns : 0;
}

static int top_ahead(struct session *s, const struct view *v)
{
	struct top_state *state = session_state(s);

	if (!state->recorded.ahead)
		plan_ahead(&state->recorded, s);
	return top_recorded_ahead(&state->recorded, v)
		       ? fail(-ENOMEM, NULL, NULL, "cannot keep commands in flight")
		       : 0;
}

static int top_event(struct session *s, const struct view *v)
{
	struct top_state *state = session_state(s);

	renew(state);
	latency_count_event(&state->count, v);
	top_recorded_event(&state->recorded, v);
	return 0;
}

static void add_flight(void *ctx, const struct command_slot *slot, u32 queue, u32 tag)
{
	struct top_state *state = ctx;
	const struct group *g = &state->counted;
	const struct key_in in = {
		.info = session_queue(g->s, queue),
		.slot = slot,
		.size_edge = g->size_edge,
		.cmd_flags_mask = ~0U,
	};
	u64 age_ns = state->now_ns > slot->submit_ns ? state->now_ns - slot->submit_ns : 0;
	struct kernel_key key;
	struct group_key row_key;
	struct top_flight *row;

	(void)tag;
	key_fill(&key, group_kernel_by(g), &in);
	group_key_of(&row_key, g, &key);
	row = group_table_row(state->end, &row_key);
	row->count++;
	row->age_ns += age_ns;
	row->uncounted += slot->state >> BUSY_SHIFT != state->busy.level;
	if (age_ns > row->oldest_ns)
		row->oldest_ns = age_ns;
}

/*
 * Takes what was counted until now. What is in flight is looked at right before, so that hardly a
 * command completes in between and is in both.
 */
static void collect(struct session *s, struct top_state *state)
{
	group_table_reset(state->end);
	state->now_ns = clock_ns(CLOCK_MONOTONIC);
	session_inflight(s, add_flight, state);
	top_busy_look(&state->busy, &state->live.report.view.group);
	latency_count_collect(&state->count);
}

/* The length of an interval is from the last report on: a pause does not end it. */
static void set_interval(struct top_state *state, const struct tick *t)
{
	struct group *g = &state->live.report.view.group;

	group_interval(g, t);
	if (state->paused_ns)
		g->start_ns = state->paused_ns;
	state->paused_ns = 0;
}

/* Prints the rows, and in text how many there are beside. */
static void print_block(struct top_report *r)
{
	u32 end = top_report_end(r);

	top_report_print(r);
	if (end < r->n)
		out_text(session_out(r->view.group.s), "(%u more row%s: -r)\n", r->n - end,
			 plural(r->n - end));
}

static struct top_parts parts_of(const struct top_state *state)
{
	const struct top_recorded *recorded = &state->recorded;

	return (struct top_parts){ state->count.table, state->begin, state->end,
				   recorded->util ? recorded->util : state->busy.util };
}

static void report(struct top_state *state, bool last)
{
	struct top_report *r = &state->live.report;
	const struct top_parts parts = parts_of(state);

	top_report_make(r, &parts);
	top_report_check(r);
	if (!state->live.wanted)
		print_block(r);
	else if (!last)
		top_live_draw(&state->live);
}

/* In replay: what the recording tells of an interval that is over. */
static void look_back(struct session *s, struct top_state *state, const struct tick *t)
{
	bool whole = t->last && !session_ending(s);

	state->live.report.known =
		top_recorded_end(&state->recorded, t, whole, state->begin, state->end);
}

static int top_tick(struct session *s, const struct tick *t)
{
	struct top_state *state = session_state(s);

	if (state->live.paused && !t->last) {
		if (!state->paused_ns)
			state->paused_ns = t->start_ns;
		return 0;
	}
	renew(state);
	if (session_is_replay(s))
		look_back(s, state, t);
	else
		collect(s, state);
	set_interval(state, t);
	report(state, t->last);
	state->stale = t->reset;
	return 0;
}

static int top_idle(struct session *s, u64 now_ns)
{
	struct top_state *state = session_state(s);
	const struct top_parts parts = parts_of(state);

	(void)now_ns;
	return state->live.wanted ? top_live_keys(&state->live, &parts) : 0;
}

static void top_stop(struct session *s)
{
	struct top_state *state = session_state(s);

	finding_hint(s);
	top_live_close(&state->live);
	top_report_close(&state->live.report);
	top_busy_close(&state->busy);
	top_recorded_close(&state->recorded);
	group_table_close(state->begin);
	group_table_close(state->end);
	latency_count_stop(&state->count);
}

static const struct schema *const top_schemas[] = { &top_schema, NULL };

const struct cmd cmd_top = {
	.name = "top",
	.summary = "show who is busy, live",
	.about =
		"On a terminal top is a screen that is redrawn at each INTERVAL, a second unless one is "
		"given: s, left and right choose what rows are sorted by, which a star marks in the "
		"heading, v the view, o whether reads, writes and the like share a row, up and down "
		"scroll, p holds the picture, h explains keys and columns, q ends. Elsewhere, with -b and in other formats it prints a "
		"block per interval.\n\n"
		"Admin commands are left out, unless -q admin or -O admin:NAME selects them.\n\n"
		"Figures are of the interval. IO/s, MB/s and latencies are of the commands that "
		"completed in it; a percentile is that of latency. QD is "
		"the mean number of commands that were outstanding, weighted by time: the time "
		"between set-up and completion that lies in the interval, summed over all commands and "
		"divided by the interval's length. %UTIL, of devices, controllers and queues, is the "
		"share of the interval in which at least one selected command was outstanding, whatever "
		"its operation. OLD is the age of the oldest command that was in flight at its end. QUEUE, with -Q, is the mean "
		"time from the entry into the block layer to the set-up, of first attempts: QD and latencies do not have it.\n\n"
		"A recording gets a command when it completes, so those still in flight when the "
		"recording ended are in no figure. By raw_tp (on 5.10, and without CAP_SYS_ADMIN), and "
		"with --min-lat or --status, live %UTIL is unknown.\n\n"
		"The view cgroup has the cgroup that caused a command, of writeback, too; where a recording "
		"has no owners, that of the task that sent it.\n\n"
		"In every view each operation has a row of its own; --by has the rows that it names. "
		"With keys that a command gets when it completes, status and during, what is "
		"outstanding is unknown.",
	.examples = top_examples,
	.takes = TAKES_TRACING | TAKES_UNIT | COUNTS_IN_KERNEL,
	.rows = EXPR_LATENCIES,
	.interval_ns = NSEC_PER_SEC,
	.opts = top_opts,
	.cfg_size = sizeof(struct top_opts),
	.schemas = top_schemas,
	.bpf = "latency",
	.state_size = sizeof(struct top_state),
	.check = top_check,
	.start = top_start,
	.begin = top_begin,
	.ahead = top_ahead,
	.event = top_event,
	.tick = top_tick,
	.idle = top_idle,
	.stop = top_stop,
};
