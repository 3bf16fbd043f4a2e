// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The frame of every session, live or replayed: the life of a run, ticks, signals, answers to
 * commands.
 */
#include "lib/session/session.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/cli/select.h"
#include "lib/loader/btf.h"
#include "lib/loader/loader.h"
#include "lib/session/about.h"
#include "lib/session/impl.h"
#include "lib/session/outstanding.h"
#include "lib/session/program.h"
#include "lib/session/signals.h"

int session_signals(struct session *s)
{
	struct signalfd_siginfo info;
	int err = 0;
	u64 now_ns;

	while (!err && read(s->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		switch (info.ssi_signo) {
		case SIGUSR1:
		case SIGUSR2:
			/* The time of a replay is that of its events. */
			now_ns = s->replay ? s->end_ns : clock_ns(CLOCK_MONOTONIC);
			if (s->begun)
				err = session_do_tick(s, now_ns, false, info.ssi_signo == SIGUSR1);
			break;
		case SIGCHLD:
			if (s->program && program_ended(s->program))
				s->ending = true;
			break;
		default:
			s->ending = s->interrupted = true;
			if (s->out)
				out_hurry(s->out);
			if (s->program)
				program_excuse(s->program);
			signals_second_sigint();
		}
	}
	return err;
}

bool session_once(const struct session *s)
{
	const struct run_opts *run = &s->inv->common.run;

	return s->source && s->request.at_once && !run->interval_ns && !run->duration_ns &&
	       !run->program;
}

void session_plan(struct session *s)
{
	const struct run_opts *run = &s->inv->common.run;
	u64 end_ns;

	s->interval_ns = run->interval_ns ? run->interval_ns : s->request.interval_ns;
	if (session_once(s))
		s->stop_ns = s->start_ns;
	end_ns = clock_after(s->start_ns, s->interval_ns, run->count);
	if (run->duration_ns)
		s->stop_ns = s->start_ns + run->duration_ns;
	if (!s->interval_ns)
		return;
	if (s->aggregates)
		s->next_tick_ns = s->start_ns + (s->request.at_once ? 0 : s->interval_ns);
	else if (!s->stop_ns || end_ns < s->stop_ns)
		s->stop_ns = end_ns;
}

/*
 * Checks --fail-if of commands that print events, on a row of all that they printed since the last
 * report, or without INTERVAL in the whole run. Losses are those of the run so far, as in other
 * rows.
 */
static void check_events(struct session *s, bool reset)
{
	struct expr_row row = {
		.wall_ns = s->tick_wall_ns,
		.count = s->counters.emitted - s->checked.emitted,
		.errors = s->counters.errors - s->checked.errors,
		.lost = counters_lost(&s->counters),
	};

	session_check(s, &row);
	if (reset)
		s->checked = s->counters;
}

int session_do_tick(struct session *s, u64 now_ns, bool last, bool reset)
{
	struct tick tick = {
		.start_ns = s->tick_ns,
		.end_ns = now_ns,
		.wall_ns = session_wall_ns(s, now_ns),
		.seq = s->seq,
		.last = last,
		.reset = reset,
	};
	int err;

	s->tick_wall_ns = tick.wall_ns;
	progress_clear(); /* the report may go to the same terminal */
	if (s->out && s->aggregates)
		out_report(s->out);
	err = s->cmd->tick ? s->cmd->tick(s, &tick) : 0;

	if (s->cmd->takes & PRINTS_EVENTS && (s->aggregates || last))
		check_events(s, reset);
	s->seq++;
	if (reset)
		s->tick_ns = now_ns;
	if (s->out && !err)
		out_flush(s->out);
	return err;
}

/*
 * Counts one printed command; it is lost if its row was dropped. @dropped: rows dropped before it.
 */
static void count_printed(struct session *s, u64 dropped)
{
	if (s->out && out_dropped(s->out) != dropped) {
		s->counters.lost.output++;
	} else {
		s->counters.emitted++;
		if (s->out)
			out_mark(s->out);
	}
}

/* Hands an event to the command, which counts it with session_account() unless it prints it. */
void session_put_event(struct session *s, const struct view *v)
{
	u64 dropped = s->out ? out_dropped(s->out) : 0;
	const struct event *ev = v->ev;
	int left_out = s->cmd->event(s, v);
	bool printed = !left_out && s->cmd->takes & PRINTS_EVENTS;

	s->matched |= session_counts(ev) || ev->kind == EVENT_SUBMIT || ev->kind == EVENT_COMPLETE;
	s->left_out += left_out && session_counts(ev);
	if (printed && session_counts(ev))
		count_printed(s, dropped);
	else if (printed && s->out)
		s->counters.lost.output_extra += out_dropped(s->out) - dropped;
	/*
	 * A completion whose submission was not seen has no pair and so is not in `emitted`, but it
	 * may be an error.
	 */
	if (printed && (session_counts(ev) || ev->kind == EVENT_COMPLETE))
		s->counters.errors += event_failed(ev);
	if (session_has_enough(s))
		s->ending = true;
}

bool session_takes_orphan(const struct session *s, const struct event *ev,
			  const struct queue_info *queue)
{
	return filter_orphan(&s->filter, queue, ev->qid);
}

/*
 * True once --max-events is reached. It counts commands, or the records about them: trace -E has
 * two for each.
 */
bool session_has_enough(const struct session *s)
{
	u64 max = s->inv->common.run.max_events;
	u64 records = s->cmd->takes & PRINTS_EVENTS && s->out ? out_records(s->out) : 0;

	return max && (s->counters.emitted >= max || records >= max);
}

const struct expr *session_condition(const struct session *s)
{
	return &s->expr;
}

/* Parses --fail-if. For commands that print events there is one row, of all that they printed. */
static int parse_condition(struct session *s, const char *text)
{
	int err = expr_parse(&s->expr, text, s->cmd->rows);

	if (!err && s->cmd->takes & PRINTS_EVENTS && expr_names_op(&s->expr))
		return fail_usage("this command does not count by opcode",
				  "select one with -O, or use latency", "--fail-if '%s'", text);
	return err;
}

static int prepare(struct session *s)
{
	const struct run_opts *run = &s->inv->common.run;
	int err;

	if (s->cmd->state_size) {
		s->state = calloc(1, s->cmd->state_size);
		if (!s->state)
			return fail(-ENOMEM, NULL, NULL, "session");
	}
	if (run->max_events && !run->input.n && s->cmd->takes & COUNTS_IN_KERNEL)
		return fail_usage("this command counts in the kernel, one interval at a time",
				  "use --duration, or INTERVAL and COUNT", "--max-events");
	if (run->fail_if) {
		err = parse_condition(s, run->fail_if);
		if (err)
			return err;
	}
	s->filters = about_filters(&s->inv->common.selection, NULL);
	if (!s->filters)
		return fail(-ENOMEM, NULL, NULL, "session");
	s->signal_fd = signals_open();
	err = s->signal_fd < 0 ? s->signal_fd : 0;
	if (err || s->cmd->takes & (NEEDS_FILE | WRITES_ITSELF))
		return err;
	err = out_open(&s->out, &s->inv->common.output, s->cmd->schemas);
	if (!err && (run->input.n || !(s->cmd->takes & PRINTS_EVENTS)))
		out_patient(s->out, s->signal_fd);
	return err;
}

/*
 * Checks all words of the command line before it looks at what they name: a bad word is an error on
 * any host.
 */
static int check_words(struct session *s)
{
	struct filter f;
	int err = select_filter(&f, &s->inv->common.selection, NULL);

	if (!err && s->cmd->check)
		err = s->cmd->check(s, &s->request);
	if (!err && s->out)
		err = out_settle(s->out);
	return err ? err : expr_selected(&s->expr, f.io, f.admin || s->request.admin);
}

/* The exit status of a run without an error of its own. */
static int verdict(const struct session *s)
{
	if (s->condition)
		return EXIT_AS(EXIT_CONDITION);
	if (s->verdict)
		return s->verdict;
	if (s->inv->common.run.strict && !counters_complete(&s->counters))
		return EXIT_AS(EXIT_INCOMPLETE);
	if (s->replay && replay_damaged(s->replay))
		return EXIT_AS(EXIT_NOTHING);
	if (s->program && program_exit_status(s->program))
		return EXIT_AS(program_exit_status(s->program));
	return 0;
}

static void stop(struct session *s)
{
	if (s->started && s->cmd->stop)
		s->cmd->stop(s);
	s->started = false;
}

/* Has --fail-if fail where no command matched: such a run proves nothing. */
static void check_any(struct session *s)
{
	const struct common *c = &s->inv->common;

	if (!s->matched && !c->run.allow_none && !c->internal.probe_only)
		s->condition |= expr_none(&s->expr, session_has_hits(s) ? "no hits" : "no commands",
					  s->tick_wall_ns);
}

static int output_failed(const struct session *s, int err)
{
	char written[40] = "";

	/* Aggregates print no events. */
	if (!s->aggregates)
		snprintf(written, sizeof(written), " (%llu events written)",
			 (unsigned long long)s->counters.emitted);
	return fail(err, NULL, "free space or choose another file", "cannot write output%s",
		    written);
}

/* Makes the last report and the account. @err: how the run ended. */
static int finish(struct session *s, int err)
{
	int closed;

	account_close(s);
	if (!err)
		err = session_do_tick(s, s->end_ns, true, true);
	stop(s);
	if (!err)
		check_any(s);
	if (!err && s->out)
		out_ends(s->out);
	if (!err)
		account_end(s);
	closed = out_close(s->out);
	s->out = NULL;
	if (closed == -EPIPE)
		return err;
	if (closed && !err)
		return output_failed(s, closed);
	return err ? err : verdict(s);
}

static void release(struct session *s)
{
	if (s->source && s->source->close && s->state)
		s->source->close(s);
	loader_close(s->loader);
	loader_btf_close();
	replay_close(s->replay);
	outstanding_close(s->outstanding);
	program_close(s->program);
	cgroup_free(&s->cgroups);
	device_dir_free(&s->dir);
	sysfs_free(&s->sysfs);
	if (s->signal_fd >= 0)
		close(s->signal_fd);
	free(s->ctrls);
	free(s->parts);
	free(s->filters);
	free(s->chain);
	free(s->names);
	free(s->flushes);
	free(s->device);
	free(s->host);
	free(s->state);
	free(s);
}

int session_replace(struct session *s)
{
	int err = s->out ? out_begin(s->out) : 0;

	return err || !s->cmd->begin ? err : s->cmd->begin(s);
}

int session_run(struct invocation *inv)
{
	struct session *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return fail(-ENOMEM, NULL, NULL, "session");
	s->inv = inv;
	s->cmd = inv->cmd;
	s->signal_fd = -1;
	if (!session_is_replay(s))
		s->source = s->cmd->source ? s->cmd->source : &source_kernel;
	s->aggregates = !(inv->cmd->takes & PRINTS_EVENTS);
	err = prepare(s);
	if (!err)
		err = check_words(s);
	if (!err)
		err = s->source ? session_live(s) : session_replay(s);
	if (!err)
		err = s->failure;
	if (s->begun)
		err = finish(s, err);
	stop(s);
	out_close(s->out);
	release(s);
	return err;
}

void *session_cfg(struct session *s)
{
	return s->inv->cfg;
}

void *session_state(struct session *s)
{
	return s->state;
}

struct out *session_out(struct session *s)
{
	return s->out;
}

const struct common *session_common(const struct session *s)
{
	return &s->inv->common;
}

bool session_is_replay(const struct session *s)
{
	return s->inv->common.run.input.n > 0;
}

u64 session_start_ns(const struct session *s)
{
	return s->start_ns;
}

u64 session_handed_ns(const struct session *s)
{
	return s->handed_ns;
}

bool session_takes_ctrl(const struct session *s, s32 ctrl_id)
{
	return filter_ctrl(&s->filter, ctrl_id);
}

u64 session_wall_ns(const struct session *s, u64 mono_ns)
{
	return mono_ns + (u64)s->wall_offset_ns;
}

u32 session_ctrls(const struct session *s)
{
	return s->sysfs.n_ctrls;
}

u32 session_cpus(const struct session *s)
{
	return s->probe.cpus;
}

const struct counters *session_counters(const struct session *s)
{
	return &s->counters;
}

/* Sets the contents of sections and the sizes of maps. */
static int configure_object(struct session *s)
{
	const struct session_section *section = s->request.sections;
	const struct session_map *map = s->request.maps;
	int err = 0;

	for (u32 i = 0; !err && i < SESSION_SECTIONS && section[i].name; i++)
		err = loader_rodata(s->loader, section[i].name, section[i].data, section[i].size);
	for (u32 i = 0; !err && i < SESSION_MAPS && map[i].name; i++)
		err = loader_size_map(s->loader, map[i].name, map[i].value_size,
				      map[i].entries ? map[i].entries : loader_queues(&s->sysfs));
	return err;
}

int session_start(struct session *s)
{
	struct session_request *request = &s->request;
	int err;

	s->started = true;
	err = s->cmd->start ? s->cmd->start(s, request) : 0;
	if (err)
		return err;
	s->needs = request->required;
	s->aggregates |= request->aggregates;
	s->filter.admin |= request->admin;
	if (session_is_replay(s))
		return 0;
	s->needs |= request->optional | request->quiet;
	return configure_object(s);
}

u32 session_filter_needs(const struct filter *f)
{
	u32 needs = 0;

	if (f->n_pid)
		needs |= NEED_PID;
	if (f->has_comm)
		needs |= NEED_COMM;
	if (f->n_cgroups)
		needs |= NEED_CGROUP;
	if (f->n_status || f->status_classes)
		needs |= NEED_STATUS;
	return needs;
}

u32 session_lacks(const struct session *s)
{
	return s->replay ? ~replay_needs(s->replay) : s->loader ? loader_lacks(s->loader) : 0;
}

const struct filter *session_filter(const struct session *s)
{
	return &s->filter;
}

const struct probe *session_probe(const struct session *s)
{
	return &s->probe;
}

const struct kernel_features *session_features(const struct session *s)
{
	return &s->btf;
}

u64 session_interval_ns(const struct session *s)
{
	return s->interval_ns;
}

void session_account(struct session *s, u64 commands, u64 errors)
{
	s->matched |= commands;
	s->counters.emitted += commands;
	s->counters.errors += errors;
}

void session_matched(struct session *s)
{
	s->matched = true;
}

void session_left_out(struct session *s, u64 commands)
{
	s->matched |= commands;
	/* account_close() takes what was left out until then. */
	if (s->accounted)
		s->counters.filtered += commands;
	else
		s->left_out += commands;
}

void session_entry_unknown(struct session *s, u64 commands)
{
	s->counters.entry_unknown += commands;
}

void session_lost(struct session *s, enum stat_id stat, u64 n)
{
	if (stat == STAT_KEYS_FULL)
		s->own.keys_full += n;
	else if (stat == STAT_STACKS_FULL)
		s->own.stacks_full += n;
}

void session_check(struct session *s, const struct expr_row *row)
{
	s->condition |= expr_check_and_tell(&s->expr, row, s->inv->common.output.utc);
}

void session_period(const struct session *s, u32 file, u64 *start_ns, u64 *end_ns)
{
	u64 last_ns = replay_last_ns(s->replay, file);

	*start_ns = replay_head(s->replay, file)->start_ns;
	*end_ns = last_ns > *start_ns ? last_ns : *start_ns;
}

const struct record_head *session_recording(const struct session *s, u32 file, struct counters *c)
{
	replay_counters_of(s->replay, file, c);
	return replay_head(s->replay, file);
}

bool session_selects(const struct session *s)
{
	const struct record_head *head;
	bool selects = s->filters[0];

	for (u32 i = 0; s->replay && (head = replay_head(s->replay, i)); i++)
		selects |= head->filters && head->filters[0];
	return selects;
}

/* Returns the release of the kernel that the events come from; NULL: a recording does not tell. */
static const char *kernel_of(struct session *s)
{
	struct utsname system;

	if (s->replay)
		return replay_head(s->replay, 0)->kernel;
	if (uname(&system))
		return NULL;
	snprintf(s->kernel, sizeof(s->kernel), "%s", system.release);
	return s->kernel;
}

void session_describe(struct session *s, struct record_head *head)
{
	head->start_ns = s->start_ns;
	head->kernel = kernel_of(s);
	head->hosts = s->replay && replay_hosts(s->replay);
	head->ctrls = s->replay ? replay_head(s->replay, 0)->ctrls : s->ctrls;
	head->parts = s->replay ? replay_head(s->replay, 0)->parts : s->parts;
	if (head->hosts)
		head->parts = NULL; /* they do not say of which host they are */
	head->filters = s->chain ? s->chain : s->filters;
}

void session_unread(struct session *s, u64 commands, u64 others)
{
	s->counters.emitted -= commands;
	s->counters.lost.output += commands;
	s->counters.lost.output_extra += others;
}

int session_wake_fd(const struct session *s)
{
	return s->signal_fd;
}

bool session_ending(const struct session *s)
{
	return s->ending;
}

void session_end(struct session *s)
{
	s->ending = true;
}

void session_verdict(struct session *s, int status)
{
	if (!s->verdict)
		s->verdict = status;
}

void session_fail(struct session *s, int err)
{
	if (!s->failure)
		s->failure = err;
	s->ending = true;
}
