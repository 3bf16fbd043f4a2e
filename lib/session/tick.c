// SPDX-License-Identifier: GPL-2.0-or-later
/* The clock of a run: its intervals and its end, the reports of both, and signals that ask for reports. */
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/err.h"
#include "lib/session/impl.h"
#include "lib/session/program.h"
#include "lib/session/signals.h"

bool session_once(const struct session *s)
{
	const struct run_opts *run = &s->inv->common.run;

	return s->source && s->request.at_once && !run->interval_ns && !run->duration_ns &&
	       !run->program;
}

void session_plan(struct session *s)
{
	const struct run_opts *run = &s->inv->common.run;
	u64 duration_ns = run->duration_ns ? run->duration_ns : s->request.duration_ns;
	u64 end_ns;

	s->clock.interval_ns = run->interval_ns ? run->interval_ns : s->request.interval_ns;
	if (s->clock.times.n)
		s->clock.interval_ns = 0;
	if (session_once(s))
		s->clock.stop_ns = s->clock.start_ns;
	end_ns = clock_after(s->clock.start_ns, s->clock.interval_ns, run->count);
	if (duration_ns)
		s->clock.stop_ns = s->clock.start_ns + duration_ns;
	if (!s->clock.interval_ns)
		return;
	if (s->aggregates)
		s->clock.next_tick_ns =
			s->clock.start_ns + (s->request.at_once ? 0 : s->clock.interval_ns);
	else if (!s->clock.stop_ns || end_ns < s->clock.stop_ns)
		s->clock.stop_ns = end_ns;
}

/*
 * Checks --fail-if of commands that print events, on a row of all that they printed since the last
 * report, or without INTERVAL in the whole run. Losses are those of the run so far, as in other
 * rows.
 */
static void check_events(struct session *s, bool reset)
{
	struct expr_row row = {
		.wall_ns = s->clock.tick_wall_ns,
		.count = s->account.counters.emitted - s->account.checked.emitted,
		.errors = s->account.counters.errors - s->account.checked.errors,
		.lost = counters_lost(&s->account.counters),
	};

	session_check(s, &row);
	if (reset)
		s->account.checked = s->account.counters;
}

int session_do_tick(struct session *s, u64 now_ns, bool last, bool reset)
{
	struct tick tick = {
		.start_ns = s->clock.tick_ns,
		.end_ns = now_ns,
		.wall_ns = session_wall_ns(s, now_ns),
		.seq = s->clock.seq,
		.last = last,
		.reset = reset,
	};
	int err;

	s->clock.tick_wall_ns = tick.wall_ns;
	open_files_renew(&s->names.files);
	progress_clear(); /* the report may go to the same terminal */
	if (s->out && s->aggregates)
		out_report(s->out);
	err = s->cmd->tick ? s->cmd->tick(s, &tick) : 0;

	if (s->cmd->takes & PRINTS_EVENTS && (s->aggregates || last))
		check_events(s, reset);
	s->clock.seq++;
	if (reset)
		s->clock.tick_ns = now_ns;
	if (s->out && !err)
		out_flush(s->out);
	return err;
}

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
			now_ns = s->replay ? s->clock.end_ns : clock_ns(CLOCK_MONOTONIC);
			if (s->begun && !s->empty)
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
