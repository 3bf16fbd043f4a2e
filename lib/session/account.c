// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The account of a session: `meta` at its begin, losses within a second, `summary` at its end. With
 * text the same is said on stderr.
 */
#include "lib/base/clock.h"
#include "lib/base/err.h"
#include "lib/base/fmt.h"
#include "lib/base/str.h"
#include "lib/base/units.h"
#include "lib/host/confine.h"
#include "lib/loader/loader.h"
#include "lib/session/about.h"
#include "lib/session/impl.h"
#include "lib/session/lost.h"
#include "lib/session/meta.h"
#include "lib/session/program.h"
#include "lib/session/recording.h"

#define DRAIN_MS 200 /* time that a stopped reader gets at the end */

/*
 * Prints one line for each cause of loss that has risen since the last call. During the run it
 * prints only what stderr takes without waiting: a reader who has stopped is told later. True if a
 * cause has risen since the last `lost` record.
 */
static bool tell_lost(struct session *s, const char *when, bool wait)
{
	const struct lost_cause *cause;
	bool risen = false;

	for (u32 i = 0; (cause = lost_cause(session_has_hits(s), i)); i++) {
		u64 now = lost_count(&s->account.counters.lost, cause);
		u64 noted = lost_count(&s->account.noted, cause);

		risen |= now != lost_count(&s->account.told, cause);
		if (now == noted || (!wait && note_waits()))
			continue;
		lost_take(&s->account.noted, &s->account.counters.lost, cause);
		note("%s: %llu %s%s%s", when, (unsigned long long)now, cause->unit, plural(now),
		     cause->text);
	}
	s->account.told = s->account.counters.lost;
	return risen;
}

static void add_own(const struct session *s, struct lost *lost)
{
	lost->keys_full += s->account.own.keys_full;
	lost->stacks_full += s->account.own.stacks_full;
	lost->flushes_unmatched += s->account.own.flushes_unmatched;
}

/*
 * Reads the losses of BPF, apart from those that the command found itself and those of the output.
 */
static void read_lost(struct session *s)
{
	if (s->source && s->source->lost)
		s->source->lost(s, &s->account.counters);
	add_own(s, &s->account.counters.lost);
}

const struct counters *session_losses(struct session *s)
{
	if (s->source)
		read_lost(s);
	return &s->account.counters;
}

const struct counters *session_counters(const struct session *s)
{
	return &s->account.counters;
}

void session_account(struct session *s, u64 commands, u64 errors)
{
	s->matched |= commands;
	s->account.counters.emitted += commands;
	s->account.counters.errors += errors;
}

void session_matched(struct session *s)
{
	s->matched = true;
}

void session_left_out(struct session *s, u64 commands)
{
	s->matched |= commands;
	/* account_close() takes what was left out until then. */
	if (s->account.closed)
		s->account.counters.filtered += commands;
	else
		s->account.left_out += commands;
}

void session_entry_unknown(struct session *s, u64 commands)
{
	s->account.counters.entry_unknown += commands;
}

void session_lost(struct session *s, enum stat_id stat, u64 n)
{
	if (stat == STAT_KEYS_FULL)
		s->account.own.keys_full += n;
	else if (stat == STAT_STACKS_FULL)
		s->account.own.stacks_full += n;
}

void session_unread(struct session *s, u64 commands, u64 others)
{
	s->account.counters.emitted -= commands;
	s->account.counters.lost.output += commands;
	s->account.counters.lost.output_extra += others;
}

void account_watch(struct session *s, u64 now_ns)
{
	struct json *j;

	if (now_ns < s->account.told_ns + WATCH_NS)
		return;
	s->account.told_ns = now_ns;
	read_lost(s);
	if (!tell_lost(s, "lost so far", false))
		return;
	j = s->out ? out_json_begin(s->out, "lost") : NULL;
	if (!j)
		return;
	json_u64(j, "mono_ns", now_ns);
	lost_put(j, &s->account.counters, session_has_hits(s));
	out_json_end(s->out);
	out_flush(s->out);
}

static void put_known(struct json *j, bool known, const char *key, u64 value)
{
	if (known)
		json_u64(j, key, value);
	else
		json_null(j, key);
}

/* Writes the capabilities that were kept after attaching. */
static void put_kept(const struct session *s, struct json *j)
{
	const char *name;
	u64 bit;

	json_array(j, "kept");
	for (u32 i = 0; (name = confine_cap_name(i, &bit)); i++)
		if (s->account.kept_caps & bit)
			json_str(j, NULL, name);
	json_end(j);
}

static void put_attach(struct session *s, struct json *j)
{
	static const char *const unknown[] = { "status", "result", "retries" };
	u32 missing = session_missing(s);
	const char *name;

	json_object(j, "attach");
	json_str(j, "method", s->source ? s->source->method(s) : "replay");
	json_array(j, "missing");
	for (u32 i = 0; s->loader && loader_missing(s->loader, i); i++)
		json_str(j, NULL, loader_missing(s->loader, i));
	for (u32 i = 0; s->no_status && i < ARRAY_SIZE(unknown); i++)
		json_str(j, NULL, unknown[i]);
	while ((name = session_need_name(&missing)))
		json_str(j, NULL, name);
	json_end(j);
	put_kept(s, j);
	json_end(j);
}

/* Writes the controllers at the start, and the selection of commands. */
static void put_about(struct session *s, struct json *j)
{
	const struct record_head *head;

	json_array(j, "ctrls");
	about_put_ctrls(j, s->subject.ctrls);
	for (u32 i = 0; s->replay && (head = replay_head(s->replay, i)); i++)
		about_put_ctrls(j, head->ctrls);
	json_end(j);
	json_object(j, "filters");
	about_put_filter(j, s->subject.filters);
	json_end(j);
	if (!s->replay)
		return;
	json_array(j, "recorded_filters");
	for (u32 i = 0; (head = replay_head(s->replay, i)); i++)
		about_put_filters(j, head->filters);
	json_end(j);
}

void account_meta(struct session *s)
{
	struct json *j;

	if (s->inv->common.internal.probe_only)
		note("attached by %s", s->source->method(s));
	if (!s->out || !s->inv->common.output.meta)
		return;
	j = out_json_begin(s->out, "meta");
	if (!j)
		return;
	meta_fill(j, s->inv, s->replay ? replay_head(s->replay, 0) : NULL, s->clock.start_ns);
	put_attach(s, j);
	put_about(s, j);
	out_json_end(s->out);
	out_flush(s->out);
}

static void put_program(const struct program *p, struct json *j)
{
	if (!p)
		return;
	json_object(j, "program");
	json_s64(j, "pid", program_pid(p));
	if (program_status(p) < 0)
		json_null(j, "status");
	else
		json_s64(j, "status", program_status(p));
	if (program_signal(p))
		json_s64(j, "signal", program_signal(p));
	else
		json_null(j, "signal");
	json_end(j);
}

static u64 each(u64 ns, u64 runs)
{
	return runs ? ns / runs : 0;
}

static void put_self(const struct session *s, struct json *j)
{
	struct loader_cost cost = { 0 };

	if (!s->source || !s->inv->common.internal.self_stats)
		return;
	if (s->loader)
		loader_cost(s->loader, &cost);
	json_object(j, "self");
	put_known(j, cost.timed, "setup_runs", cost.setup_runs);
	put_known(j, cost.timed, "setup_ns", each(cost.setup_ns, cost.setup_runs));
	put_known(j, cost.timed, "complete_runs", cost.complete_runs);
	put_known(j, cost.timed, "complete_ns", each(cost.complete_ns, cost.complete_runs));
	json_u64(j, "cpu_ns", clock_ns(CLOCK_PROCESS_CPUTIME_ID));
	put_known(j, s->loader, "map_bytes", cost.map_bytes);
	json_end(j);
}

static void tell_self(const struct session *s)
{
	struct loader_cost cost = { 0 };
	char ms[FMT_NUMBER], runs[96] = "", maps[32] = "";

	if (!s->source || !s->inv->common.internal.self_stats)
		return;
	if (s->loader) {
		loader_cost(s->loader, &cost);
		snprintf(maps, sizeof(maps), "; %llu KiB of maps",
			 (unsigned long long)cost.map_bytes / 1024);
	}
	if (cost.timed)
		snprintf(
			runs, sizeof(runs),
			"own cost: %llu ns per submission and %llu ns per completion in the kernel; ",
			(unsigned long long)each(cost.setup_ns, cost.setup_runs),
			(unsigned long long)each(cost.complete_ns, cost.complete_runs));
	note("%s%s ms of CPU time in user space%s", runs,
	     fmt_number(ms, (double)clock_ns(CLOCK_PROCESS_CPUTIME_ID) / 1e6, 1), maps);
}

/*
 * True if only submissions are counted: then commands without a completion at the end count as
 * well.
 */
static bool counts_submissions(const struct session *s)
{
	return s->needs & NEED_SUBMIT && !(s->needs & NEED_IO);
}

/*
 * True if the number of failed commands is known: completions are looked at, and the kernel lets us
 * read their status.
 */
static bool knows_errors(const struct session *s)
{
	return !session_no_status(s) && !s->request.n_probes && !counts_submissions(s);
}

/* True if times from block layer entry are counted up; a line of an event has null instead. */
static bool tells_entries(const struct session *s)
{
	return (s->needs | s->request.optional) & NEED_QUEUED && !(s->cmd->takes & PRINTS_EVENTS);
}

static void put_commands(struct session *s, struct json *j)
{
	const struct counters *c = &s->account.counters;

	json_u64(j, "submitted", c->submitted);
	json_u64(j, "completed", c->completed);
	json_u64(j, "paired", c->paired);
	json_u64(j, "emitted", c->emitted);
	json_u64(j, "filtered", c->filtered);
	put_known(j, knows_errors(s), "errors", c->errors);
	json_u64(j, "before_attach", c->before_attach);
	json_u64(j, "unsent", c->unsent);
	json_u64(j, "requeued", c->requeued);
	json_u64(j, "failed_setup", c->failed_setup);
	put_known(j, !c->inflight_unknown, "inflight_at_exit", c->inflight_at_exit);
	put_known(j, c->inflight_at_exit, "oldest_ns", c->oldest_ns);
	if (tells_entries(s))
		json_u64(j, "entry_unknown", c->entry_unknown);
}

static void put_summary(struct session *s)
{
	const struct counters *c = &s->account.counters;
	struct json *j;

	if (s->cmd->takes & SHOWS_INFLIGHT) /* it has one for each controller */
		return;
	j = out_json_begin(s->out, "summary");
	if (!j)
		return;
	json_u64(j, "duration_ns", s->clock.end_ns - s->clock.start_ns);
	if (session_has_hits(s))
		s->source->summary(s, j);
	else
		put_commands(s, j);
	json_object(j, "lost");
	lost_put(j, c, session_has_hits(s));
	json_end(j);
	json_bool(j, "complete", counters_complete(c));
	meta_put_conditions(j, &s->expr);
	put_program(s->program, j);
	put_self(s, j);
	out_json_end(s->out);
}

/* Says that a recording is not whole. */
static void tell_cut(const struct session *s)
{
	if (s->account.counters.cut && s->interrupted)
		note("a signal ended the reading: the account covers what was read before it");
	else if (s->account.counters.cut && !replay_damaged(s->replay))
		note("the recording was made from one that was cut, damaged, or not read to its end");
}

/* Prints to stderr what a person wants to know at the end: nothing if all went well. */
static void tell_summary(const struct session *s)
{
	const struct counters *c = &s->account.counters;
	char age[FMT_NUMBER];

	if (c->inflight_at_exit)
		note("in flight at the end: %llu command%s, the oldest for %s s",
		     (unsigned long long)c->inflight_at_exit, plural(c->inflight_at_exit),
		     fmt_number(age, (double)c->oldest_ns / 1e9, 3));
	tell_cut(s);
	if (c->before_attach)
		note("completed: %llu command%s submitted before attaching",
		     (unsigned long long)c->before_attach, plural(c->before_attach));
	if (c->failed_setup)
		note("not sent: %llu command%s set up and then given up by the driver",
		     (unsigned long long)c->failed_setup, plural(c->failed_setup));
	if (c->entry_unknown)
		note("no time in the queue: %llu command%s queued before attaching, or by "
		     "dm-multipath",
		     (unsigned long long)c->entry_unknown, plural(c->entry_unknown));
	if (c->contradicted && counters_add_up(c))
		note("the counters of the recording contradict its events: see 'nvmetool info'");
	if (!counters_add_up(c))
		note("the account does not add up: submitted %llu, completed %llu, paired %llu, "
		     "printed %llu, filtered %llu, requeued %llu; please report it",
		     (unsigned long long)c->submitted, (unsigned long long)c->completed,
		     (unsigned long long)c->paired, (unsigned long long)c->emitted,
		     (unsigned long long)c->filtered, (unsigned long long)c->requeued);
}

/* Reads the final counters from the kernel, or from the recording. */
void account_close(struct session *s)
{
	struct counters sum = s->account.counters;

	if (s->account.closed)
		return;
	s->account.closed = true;
	if (s->replay) {
		replay_counters(s->replay, &sum);
		sum.emitted = s->account.counters.emitted;
		sum.errors = s->account.counters.errors;
		sum.entry_unknown = s->account.counters.entry_unknown;
		sum.lost.output += s->account.counters.lost.output;
		sum.lost.output_extra += s->account.counters.lost.output_extra;
		add_own(s, &sum.lost);
		s->account.counters = sum;
	} else {
		read_lost(s);
		sum = s->account.counters;
		if (s->source->account)
			s->source->account(s, &sum);
		sum.lost.output = s->account.counters.lost.output;
		sum.lost.output_extra = s->account.counters.lost.output_extra;
		add_own(s, &sum.lost);
		s->account.counters = sum;
	}
	s->account.counters.filtered += s->account.left_out;
	/* A command has several samples in --phases, and "(other)" does not say of which phase. */
	s->account.counters.events = !(s->needs & NEED_PHASES) || s->cmd->takes & PRINTS_EVENTS;
	if (counts_submissions(s))
		s->account.counters.events = false;
}

/*
 * Counts as lost what was counted as printed (commands, or rows of aggregates) but never read,
 * because the reader has stopped.
 */
static void count_unread(struct session *s)
{
	struct counters *c = &s->account.counters;
	u64 unread;

	out_drain(s->out, s->ending ? DRAIN_MS : -1);
	if (!(s->cmd->takes & PRINTS_EVENTS)) {
		c->lost.output = out_error(s->out) ? 0 : out_dropped(s->out);
		c->events = c->events && !c->lost.output; /* rows are not commands */
		return;
	}
	unread = out_marks_pending(s->out);
	session_unread(s, unread, 0);
	/*
	 * Once nothing can be written, this is not counted any more: rows that were not printed are
	 * lost.
	 */
	if (out_error(s->out))
		c->lost.output = c->paired - c->filtered - c->lost.ring_full - c->emitted;
}

/* True if nothing was counted. Calls of the functions of --probe are in no count. */
static bool shows_nothing(const struct session *s)
{
	if (s->cmd->takes & PRINTS_EVENTS || s->request.n_probes)
		return !s->matched;
	return !s->account.counters.emitted;
}

void account_end(struct session *s)
{
	int err = 0;

	if (s->out)
		count_unread(s);
	s->account.counters.contradicted |= !counters_add_up(&s->account.counters);
	if (s->out) {
		put_summary(s);
		err = out_flush(s->out);
	}
	if (err == -EPIPE)
		return; /* the reader has all that it wanted */
	if (err)
		s->account.noted.output =
			s->account.counters.lost.output; /* the error message will say it */
	else if (s->request.none && !s->empty && shows_nothing(s))
		note("no matching %s", s->request.none);
	tell_lost(s, "lost", true);
	if (s->cmd->takes & SHOWS_INFLIGHT)
		tell_cut(s);
	else
		tell_summary(s);
	tell_self(s);
}
