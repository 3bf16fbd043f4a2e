// SPDX-License-Identifier: GPL-2.0-or-later
/* The life of a run, live or replayed, from the words of the command line to the exit status. */
#include "lib/session/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/cli/select.h"
#include "lib/loader/btf.h"
#include "lib/loader/loader.h"
#include "lib/session/about.h"
#include "lib/session/impl.h"
#include "lib/session/outstanding.h"
#include "lib/session/program.h"
#include "lib/session/signals.h"

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
	s->subject.filters = about_filters(&s->inv->common.selection, NULL);
	if (!s->subject.filters)
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

	if (!err)
		err = select_times(&s->clock.times, &s->inv->common.selection);
	if (!err && s->cmd->check)
		err = s->cmd->check(s, &s->request);
	if (!err)
		err = session_check_times(s);
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
	if (s->inv->common.run.strict && !counters_complete(&s->account.counters))
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

/* Has --fail-if fail where no command matched, or none that it names: such a run proves nothing. */
static void check_any(struct session *s)
{
	const struct common *c = &s->inv->common;
	u64 wall_ns = s->clock.tick_wall_ns;

	if (c->run.allow_none || c->internal.probe_only)
		return;
	if (!s->matched &&
	    expr_none(&s->expr, session_has_hits(s) ? "no hits" : "no commands", wall_ns))
		s->condition = true;
	else
		s->condition |= expr_none_of(&s->expr, wall_ns, c->output.utc);
}

static int output_failed(const struct session *s, int err)
{
	char written[40] = "";

	/* Aggregates print no events. */
	if (!s->aggregates)
		snprintf(written, sizeof(written), " (%llu events written)",
			 (unsigned long long)s->account.counters.emitted);
	return fail(err, NULL, "free space or choose another file", "cannot write output%s",
		    written);
}

/* Makes the last report and the account. @err: how the run ended. */
static int finish(struct session *s, int err)
{
	int closed;

	account_close(s);
	if (!err && !s->empty)
		err = session_do_tick(s, s->clock.end_ns, true, true);
	stop(s);
	if (!err && !s->empty)
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
	outstanding_close(s->recorded.outstanding);
	program_close(s->program);
	cgroup_free(&s->names.cgroups);
	open_files_free(&s->names.files);
	device_dir_free(&s->subject.dir);
	sysfs_free(&s->kernel.sysfs);
	if (s->signal_fd >= 0)
		close(s->signal_fd);
	free(s->subject.ctrls);
	free(s->subject.parts);
	free(s->subject.hosts);
	free(s->subject.filters);
	free(s->recorded.chain);
	free(s->names.queues);
	free(s->flushes);
	free(s->names.device);
	free(s->names.host);
	free(s->state);
	free(s);
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
