// SPDX-License-Identifier: GPL-2.0-or-later
/* inflight: the commands that drives have now, without tracing. */
#include "cmd/inflight/inflight.h"

#include <stdlib.h>

#include "bpf/shared/filter.h"
#include "cmd/inflight/inflight_row.h"
#include "cmd/inflight/submitters.h"
#include "lib/base/clock.h"
#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/base/units.h"
#include "lib/cli/expr.h"
#include "lib/cli/select.h"
#include "lib/event/counters.h"
#include "lib/host/probe.h"
#include "lib/record/record.h"
#include "lib/session/recording.h"

enum order { ORDER_AGE, ORDER_LEFT, ORDER_DEV };

/* The columns of a recording that rows show. */
#define RECORDED                                                                                   \
	(NEED_IO | NEED_COMPLETE | NEED_SQE | NEED_PID | NEED_COMM | NEED_CGROUP | NEED_CMD_FLAGS)

static const struct schema *const schemas[] = { &inflight_schema, &inflight_sum_schema, NULL };

/*
 * Whether the options select the command. What is not known of it never matches. Those of a
 * recording were selected by the session, but for their age.
 */
static bool selected(struct session *s, const struct inflight_row *row)
{
	const struct inflight_opts *opts = session_cfg(s);
	const struct filter *f = session_filter(s);

	if (opts->older_ns && (!row->age_source || row->age_ns < opts->older_ns))
		return false;
	if (session_is_replay(s))
		return true;
	if (!row->t.command && (f->has_opcodes || f->n_size || f->n_lba))
		return false;
	return select_command(f, &session_common(s)->selection.cgroup, &row->view);
}

/* A command's place in the order asked for; equal ones by device, queue and tag. */
static int compare(const void *a, const void *b, void *order)
{
	const struct snapshot_cmd *x = a, *y = b;
	int diff = 0;

	if (*(const u32 *)order == ORDER_AGE)
		diff = (x->age_ns < y->age_ns) - (x->age_ns > y->age_ns);
	else if (*(const u32 *)order == ORDER_LEFT)
		diff = (x->left_ns > y->left_ns) - (x->left_ns < y->left_ns);
	if (!diff)
		diff = x->ctrl->ctrl->ctrl_id - y->ctrl->ctrl->ctrl_id;
	if (!diff)
		diff = strncmp(x->rq.disk, y->rq.disk, sizeof(x->rq.disk));
	if (!diff)
		diff = (x->qid > y->qid) - (x->qid < y->qid);
	return diff ? diff : x->rq.tag - y->rq.tag;
}

static void count(struct inflight_sum *sum, const struct snapshot_cmd *c)
{
	sum->inflight++;
	if (c->age_ns != UINT64_MAX && (sum->oldest_ns == UINT64_MAX || sum->oldest_ns < c->age_ns))
		sum->oldest_ns = c->age_ns;
	if (!c->timeout_ns)
		return;
	sum->overdue += c->left_ns < 0;
	if (c->left_ns < sum->left_ns)
		sum->left_ns = c->left_ns;
}

/* Leaves the commands that are selected, the first in order in front, and counts them in @sums. */
static void keep_selected(struct session *s, struct snapshot *snap, struct inflight_sum *sums,
			  struct inflight_row *row)
{
	const struct inflight_opts *opts = session_cfg(s);
	u32 order = opts->order, kept = 0;

	for (u32 i = 0; i < snap->n_cmds; i++) {
		inflight_row_fill(row, &snap->cmds[i], s);
		if (!selected(s, row)) {
			free(snap->cmds[i].recorded);
			continue;
		}
		count(&sums[snap->cmds[i].ctrl - snap->ctrls], &snap->cmds[i]);
		snap->cmds[kept++] = snap->cmds[i];
	}
	snap->n_cmds = kept;
	if (kept)
		qsort_r(snap->cmds, kept, sizeof(*snap->cmds), compare, &order);
}

/* A sum of no commands, and of no controller. */
static struct inflight_sum no_sum(struct session *s, u64 now_ns)
{
	const struct inflight *state = session_state(s);

	return (struct inflight_sum){
		.wall_ns = session_wall_ns(s, now_ns),
		.mono_ns = now_ns,
		.ctrl_id = -1,
		.overdue = session_is_replay(s) ? UINT64_MAX : 0,
		.oldest_ns = UINT64_MAX,
		.left_ns = INT64_MAX,
		.host_inflight = UINT64_MAX,
		.complete = !state->hidden && !state->unrecorded,
	};
}

static void begin_sum(struct session *s, struct inflight_sum *sum, const struct snapshot_ctrl *c)
{
	const struct inflight *state = session_state(s);

	*sum = no_sum(s, c->now_ns);
	sum->ctrl_id = c->ctrl->ctrl_id;
	sum->ctrl = c->ctrl->name;
	if (c->gone)
		sum->state = "gone";
	else if (c->ctrl->state[0])
		sum->state = c->ctrl->state;
	if (state->hidden || c->gone)
		sum->inflight = sum->overdue = UINT64_MAX;
	sum->host_inflight = c->host;
	sum->torn = c->torn;
	sum->complete &= !c->torn;
}

/* Ends a snapshot without controllers: nothing is in flight, which is an answer, too. */
static void put_no_sum(struct session *s, u64 now_ns)
{
	const struct inflight_sum none = no_sum(s, now_ns);

	if (out_opts(session_out(s))->format != OUT_TEXT)
		out_row(session_out(s), &inflight_sum_schema, &none);
}

int inflight_empty(struct session *s)
{
	put_no_sum(s, clock_ns(CLOCK_MONOTONIC));
	return 0;
}

static void put_line(struct out *o, const struct inflight_sum *sum)
{
	out_text(o, "%s %s", sum->ctrl, sum->state ? sum->state : "-");
	if (sum->inflight != UINT64_MAX)
		out_text(o, "  inflight %llu", (unsigned long long)sum->inflight);
	else if (sum->host_inflight != UINT64_MAX)
		out_text(o, "  inflight %llu by sysfs", (unsigned long long)sum->host_inflight);
	if (sum->oldest_ns != UINT64_MAX)
		out_text(o, "  oldest %.2fs", (double)sum->oldest_ns / 1e9);
	if (sum->overdue && sum->overdue != UINT64_MAX)
		out_text(o, "  overdue %llu", (unsigned long long)sum->overdue);
	out_text(o, "\n");
}

static void put_rows(struct session *s, const struct snapshot *snap, struct inflight_row *row)
{
	const struct inflight_opts *opts = session_cfg(s);
	struct inflight *state = session_state(s);
	u32 max = opts->rows ? opts->rows : UINT32_MAX;
	u64 most = session_common(s)->run.max_events;

	for (u32 i = 0; i < snap->n_cmds && i < max && (!most || state->shown < most); i++) {
		inflight_row_fill(row, &snap->cmds[i], s);
		out_row(session_out(s), &inflight_schema, row);
		state->shown++;
	}
	if (most && state->shown >= most)
		session_end(s);
}

/* Compares each controller with --fail-if, and prints its record, which text has as a line. */
static void put_sums(struct session *s, const struct snapshot *snap,
		     const struct inflight_sum *sums)
{
	for (u32 i = 0; i < snap->n_ctrls; i++) {
		const struct inflight_sum *sum = &sums[i];
		const struct expr_row row = {
			.name = sum->ctrl,
			.wall_ns = sum->wall_ns,
			.count = sum->inflight,
			.oldest_ns = sum->oldest_ns,
			.overdue = sum->overdue,
			.left_ns = sum->left_ns,
		};

		if (out_opts(session_out(s))->format != OUT_TEXT)
			out_row(session_out(s), &inflight_sum_schema, sum);
		if (sum->torn)
			note("%s: %llu commands changed while they were read, and are left out",
			     sum->ctrl, (unsigned long long)sum->torn);
		if (!sum->complete && sum->inflight != UINT64_MAX && session_common(s)->run.strict)
			session_verdict(s, EXIT_AS(EXIT_INCOMPLETE));
		if (sum->inflight != UINT64_MAX)
			session_check(s, &row);
	}
}

static int put_snapshot(struct session *s, struct snapshot *snap, u64 now_ns)
{
	struct inflight_sum *sums = calloc(snap->n_ctrls + 1, sizeof(*sums));
	struct inflight_row *row = calloc(1, sizeof(*row));

	if (sums && row) {
		for (u32 i = 0; i < snap->n_ctrls; i++)
			begin_sum(s, &sums[i], &snap->ctrls[i]);
		keep_selected(s, snap, sums, row);
		for (u32 i = 0; i < snap->n_ctrls && !session_common(s)->output.columns; i++)
			put_line(session_out(s), &sums[i]);
		put_rows(s, snap, row);
		put_sums(s, snap, sums);
		if (!snap->n_ctrls)
			put_no_sum(s, now_ns);
	}
	free(row);
	free(sums);
	return sums && row ? 0 : fail(-ENOMEM, NULL, NULL, "commands");
}

/* Takes the snapshot from the recording, and tells what that cannot have. */
static int look_recorded(struct session *s, u64 end_ns)
{
	const struct inflight_opts *opts = session_cfg(s);
	struct inflight *state = session_state(s);
	const struct counters *total = session_counters(s);
	u64 start_ns = session_start_ns(s), at_ns = start_ns + opts->at_ns;
	u64 had = session_recorded_inflight(s), lacks;
	int err;

	if (end_ns < state->end_ns)
		end_ns = state->end_ns;
	lacks = total->inflight_at_exit > had ? total->inflight_at_exit - had : 0;
	if (at_ns > end_ns && !total->cut)
		return fail(EXIT_AS(EXIT_NOTHING), "the recording has no event so late",
			    "give an earlier time", "--at: %.3f s are recorded",
			    (double)(end_ns - start_ns) / 1e9);
	if (lacks)
		note("%llu commands were still in flight at the end of the recording: it does not have them",
		     (unsigned long long)lacks);
	state->unrecorded = lacks || total->inflight_unknown || !counters_complete(total);
	if (state->unrecorded && session_common(s)->run.strict)
		session_verdict(s, EXIT_AS(EXIT_INCOMPLETE));
	err = snapshot_end_recorded(&state->recorded, s, at_ns);
	return err ? err : put_snapshot(s, &state->recorded, at_ns);
}

static int inflight_event(struct session *s, const struct view *v)
{
	const struct inflight_opts *opts = session_cfg(s);
	struct inflight *state = session_state(s);
	int err = snapshot_add_recorded(&state->recorded, v, session_start_ns(s) + opts->at_ns);

	if (v->ev->kind == EVENT_INFLIGHT)
		state->end_ns = v->ev->ts_ns;
	if (err)
		session_fail(s, err);
	return 1; /* it is no row: the moment has rows */
}

static int look_now(struct session *s)
{
	struct inflight *state = session_state(s);
	struct snapshot snap = { 0 };
	int err = snapshot_take(&snap, state->walker, session_filter(s));

	if (!err && state->submitters)
		submitters_fill(state->submitters, &snap);
	if (!err)
		err = put_snapshot(s, &snap, clock_ns(CLOCK_MONOTONIC));
	snapshot_free(&snap);
	return err;
}

/*
 * A recording is looked at once, when all of it was read. The last tick of a run that --max-events
 * has ended has nothing more to show.
 */
static int inflight_tick(struct session *s, const struct tick *t)
{
	const struct inflight *state = session_state(s);
	u64 most = session_common(s)->run.max_events;

	if (session_is_replay(s))
		return t->last ? look_recorded(s, t->end_ns) : 0;
	if (t->last && state->hidden)
		session_verdict(s, probe_locked_down("commands in flight"));
	return most && state->shown >= most ? 0 : look_now(s);
}

/* Checks the words about a recording, which knows neither timeouts nor more than one moment. */
static int check_recorded(struct session *s)
{
	const struct inflight_opts *opts = session_cfg(s);
	const struct run_opts *words = &session_common(s)->run;
	const struct expr *expr = session_condition(s);

	if (!words->input.n)
		return opts->has_at
			       ? fail_missing("there is no recording", "give one with -i", "--at")
			       : 0;
	if (!opts->has_at)
		return fail_missing("it is not said which moment of the recording to show",
				    "give --at TIME, counted from its beginning", "-i");
	if (words->interval_ns)
		return fail_usage("a recording is looked at once", "drop it", "INTERVAL with -i");
	if (words->duration_ns)
		return fail_usage("a recording is looked at once", "drop it", "--duration with -i");
	for (u32 i = 0; i < expr->n_terms; i++) {
		if (expr->terms[i].name == EXPR_LEFT || expr->terms[i].name == EXPR_OVERDUE)
			return fail_usage("a recording does not know timeouts",
					  "use count and oldest", "--fail-if '%s'", words->fail_if);
	}
	return 0;
}

static int inflight_check(struct session *s, struct session_request *ask)
{
	ask->admin = true;
	ask->at_once = true;
	ask->quiet = RECORDED;
	return check_recorded(s);
}

static int inflight_begin(struct session *s)
{
	struct record_head head = { 0 };

	session_describe(s, &head);
	return head.hosts ? fail_usage("they are of several hosts", "give those of one",
				       "the recordings of -i")
			  : 0;
}

static void inflight_stop(struct session *s)
{
	snapshot_free(&((struct inflight *)session_state(s))->recorded);
}

/* Any time, 0 as well: what was in flight as the recording began. */
static int parse_at(void *group, const char *arg)
{
	struct inflight_opts *opts = group;

	if (units_time(arg, &opts->at_ns))
		return fail_usage("expected a time such as 500us, 2ms or 1.5 (seconds)", "",
				  "bad value '%s' for --at", arg);
	opts->has_at = true;
	return 0;
}

/* clang-format off */
static const struct opt_word order_words[] = {
	{ "age", ORDER_AGE, "the oldest first" },
	{ "left", ORDER_LEFT, "the one that expires next first" },
	{ "dev", ORDER_DEV, "by device, queue and tag" },
	{ NULL },
};

static const struct opt opts[] = {
	OPT_TIME(struct inflight_opts, older_ns, .name = "older-than", .main = true, .arg = "TIME",
		 .help = "only commands in flight for at least so long: 5s"),
	OPT_ENUM(struct inflight_opts, order, .name = "sort", .letter = 's', .main = true, .arg = "KEY", .def = "age",
		 .words = order_words, .help = "order of the commands"),
	OPT_U32(struct inflight_opts, rows, .name = "rows", .letter = 'r', .arg = "N", .min = 1, .max = 1000000,
		.help = "show only the first N commands; all are counted"),
	OPT_CALL(parse_at, .name = "at", .main = true, .arg = "TIME",
		 .brief = "with -i: so long after the recording began: 1.5s",
		 .help = "with -i: what was in flight so long after the recording began: 1.5s"),
	OPT_DONE,
};

static const struct example examples[] = {
	{ "what is in flight now", "nvmetool inflight" },
	{ "what hangs", "nvmetool inflight --older-than 5s" },
	{ "a check for cron or Nagios", "nvmetool inflight --fail-if 'oldest>5s'" },
	{ "one drive, each second", "nvmetool inflight -d nvme0n1 1" },
	{ "what was in flight at a moment of a recording", "nvmetool inflight -i load.nvt --at 900ms" },
	{ "the process that waits longest", "nvmetool inflight --json --no-meta -r 1 | jq '.pid, .comm'" },
	{ NULL },
};
/* clang-format on */

const struct cmd cmd_inflight = {
	.name = "inflight",
	.summary = "show the commands in flight now, and who waits for them",
	.about =
		"Shows the commands in flight at this moment, I/O and admin, also those that were "
		"sent before nvmetool started: since when, how long until the timeout, and whose "
		"they are. It reads the kernel's own tables by a BPF program that runs once in "
		"nvmetool itself. Nothing is attached, no device is opened and no command is sent, "
		"so it neither costs anything on the way of a command nor waits for a drive that "
		"hangs.\n\n"
		"With INTERVAL it looks again and again, and attaches programs as errors does, so "
		"that PID and COMM of all commands sent from then on are known. Where it cannot "
		"attach, it says why, shows what it can, and ends with the exit status for that. "
		"Without INTERVAL it looks once: now, or at the end of --duration or PROGRAM.\n\n"
		"A line for each controller has its state: a controller that is not live holds "
		"commands back. Commands are taken one after the other, so those of one moment may "
		"be some microseconds apart. PID and COMM are shown where the kernel's own objects "
		"prove them: direct I/O and passthrough. FILE is the file whose data moves, as for latency "
		"--by file. AGE counts from when the request was made. Where the kernel does not note "
		"that, it counts from the last start of the command's timer (age_source is then "
		"deadline), or with INTERVAL from when the command was sent (trace).\n\n"
		"--fail-if knows, for each controller: count, oldest and left (the age of the "
		"oldest and the least time left, with a unit), overdue (commands whose timeout has "
		"passed).\n\n"
		"With -i and --at it shows what was in flight at a moment of a recording. A "
		"recording knows neither timeouts nor the controller's state. Of commands that had "
		"not completed when it ended it has the 1024 oldest, or, if it was made by "
		"an older version or by record --ring, tells only how many there were. A "
		"command that was sent before the recording began has neither age nor opcode.",
	.examples = examples,
	.takes = TAKES_TRACING | SHOWS_INFLIGHT,
	.rows = EXPR_INFLIGHT,
	.opts = opts,
	.cfg_size = sizeof(struct inflight_opts),
	.schemas = schemas,
	.state_size = sizeof(struct inflight),
	.source = &inflight_walk,
	.check = inflight_check,
	.begin = inflight_begin,
	.event = inflight_event,
	.tick = inflight_tick,
	.stop = inflight_stop,
};
