// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A session on recordings: the same callbacks and the same filter, without kernel and privileges.
 */
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bpf/shared/filter.h"
#include "lib/base/clock.h"
#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/cli/select.h"
#include "lib/session/about.h"
#include "lib/session/flush.h"
#include "lib/session/impl.h"
#include "lib/session/outstanding.h"

#define EMPTY_TICKS   1000 /* a longer run of intervals without events is reported as one */
#define SIGNALS_EVERY 256 /* events between two looks at the signals */
#define LARGE_BYTES   (16ULL << 20) /* recordings of so many take long enough to show progress */
#define PROGRESS_NS   (200 * NSEC_PER_MSEC) /* between two lines of it */

/* Applies the part of the filter that needs the completion. */
static bool completion_selected(struct session *s, const struct event *ev, u64 lat_ns)
{
	if (ev->flags & EVENT_NO_STATUS)
		session_miss_status(s);
	else
		s->some_status = true;
	return !s->ending &&
	       filter_complete(&s->subject.filter, lat_ns, event_status(ev), ev->retries);
}

/* Counts the command for --max-inflight. True: it found too many, or only begins. */
static bool crowded(struct session *s, const struct view *v)
{
	int takes = 1;

	if (v->ev->kind == EVENT_SUBMIT || v->ev->kind == EVENT_IO)
		takes = outstanding_takes(s->recorded.outstanding, v);

	if (takes < 0)
		session_fail(s, fail(takes, NULL, NULL, "session"));
	return takes <= 0;
}

static bool selected(struct session *s, const struct view *v)
{
	const struct event *ev = v->ev;
	const struct filter *f = session_filter_of(s, v->host);

	if (s->recorded.outstanding && crowded(s, v))
		return false;
	if (!f)
		return false;
	if (event_is_of_ctrl(ev))
		return filter_ctrl(f, v->queue->ctrl_id);
	if (ev->kind == EVENT_FLUSH)
		return session_takes_flush(s, f, v);
	if (!filter_queue(f, v->queue->ctrl_id, ev->flags & EVENT_ADMIN))
		return false;
	if (ev->kind == EVENT_SQ)
		return true;
	if (ev->kind == EVENT_COMPLETE)
		return filter_orphan(f, v->queue, ev->qid) && completion_selected(s, ev, 0);
	if (ev->flags & EVENT_NO_SUBMIT) /* a timeout of a command submitted before the run */
		return filter_orphan(f, v->queue, ev->qid);
	if (!select_command(f, &s->inv->common.selection.cgroup, v))
		return false;
	if (ev->kind == EVENT_INFLIGHT)
		return session_takes_inflight(f, ev);
	return ev->kind != EVENT_IO || completion_selected(s, ev, event_lat_ns(ev));
}

/*
 * How many intervals the next report is of, by @now_ns: one, or a long run of them in which nothing
 * happened. Gaps of years come from damage or malice.
 */
static u64 intervals_of(const struct session *s, u64 now_ns, bool empty)
{
	const struct run_opts *run = &s->inv->common.run;
	u64 ended = (now_ns - s->clock.next_tick_ns) / s->clock.interval_ns + 1;

	if (!empty || ended <= EMPTY_TICKS)
		return 1;
	if (run->count && run->count - s->clock.intervals < ended)
		ended = run->count - s->clock.intervals;
	note("nothing happened in %llu intervals: they are reported as one",
	     (unsigned long long)ended);
	return ended;
}

/* Reports the intervals that have ended by @now_ns; only the first of them has events. */
static int ticks_until(struct session *s, u64 now_ns)
{
	const struct run_opts *run = &s->inv->common.run;
	int err = 0;

	for (bool empty = false;
	     !err && !s->ending && s->clock.next_tick_ns && now_ns >= s->clock.next_tick_ns;
	     empty = true) {
		u64 n = intervals_of(s, now_ns, empty);

		if (n > 1)
			s->clock.next_tick_ns =
				clock_after(s->clock.next_tick_ns, s->clock.interval_ns, n - 1);
		s->clock.intervals += n;
		if (run->count && s->clock.intervals >= run->count) {
			s->clock.end_ns = s->clock.next_tick_ns;
			s->ending = true;
			break;
		}
		err = session_do_tick(s, s->clock.next_tick_ns, false, true);
		s->clock.next_tick_ns = clock_after(s->clock.next_tick_ns, s->clock.interval_ns, 1);
	}
	return err;
}

/* Moves time on to @now_ns. An interval that ends with the run is left to the last report. */
static int keep_time(struct session *s, u64 now_ns)
{
	bool stops = s->clock.stop_ns && now_ns >= s->clock.stop_ns;
	int err = ticks_until(s, stops ? s->clock.stop_ns - 1 : now_ns);

	err = err ? err : session_times_until(s, now_ns);
	if (stops && !s->ending) {
		s->clock.end_ns = s->clock.stop_ns;
		s->ending = true;
	}
	return err;
}

/*
 * Moves time on to an event. What was in flight at the end of a recording does not move it: most
 * commands do not see that, and all have the same periods.
 */
static int move_on(struct session *s, const struct event *ev)
{
	int err;

	if (ev->kind == EVENT_INFLIGHT)
		return 0;
	err = keep_time(s, ev->ts_ns);
	if (!err && !s->ending && ev->ts_ns > s->clock.end_ns)
		s->clock.end_ns = ev->ts_ns;
	return err;
}

/*
 * True when the replay should say how far it is. Where the rows of events go to a terminal they
 * show it themselves.
 */
static bool wants_progress(const struct session *s)
{
	bool rows = s->out && s->cmd->takes & PRINTS_EVENTS && isatty(out_fd(s->out));
	u64 done, total;

	replay_progress(s->replay, &done, &total);
	return progress_wanted() && !rows && total >= LARGE_BYTES;
}

static void show_progress(const struct session *s, u64 *next_ns)
{
	u64 now_ns = clock_ns(CLOCK_MONOTONIC), done, total;
	char size[UNITS_TEXT];

	if (now_ns < *next_ns)
		return;
	*next_ns = now_ns + PROGRESS_NS;
	replay_progress(s->replay, &done, &total);
	progress("read: %llu %% of %s", (unsigned long long)(done * 100 / total),
		 units_size_brief(total, size));
}

static int replay_until_end(struct session *s)
{
	bool shows = wants_progress(s);
	struct view v;
	u64 n = 0, next_ns = 0;
	int err;

	while (!s->ending && (err = replay_next(s->replay, &v)) > 0) {
		if (shows && n % SIGNALS_EVERY == 0)
			show_progress(s, &next_ns);
		err = n++ % SIGNALS_EVERY == 0 ? session_signals(s) : 0;
		if (!err)
			err = move_on(s, v.ev);
		if (err)
			return err;
		if (s->ending || !selected(s, &v) || !session_in_time(s, &v)) {
			s->account.left_out += v.ev->kind == EVENT_IO;
			continue;
		}
		session_put_event(s, &v);
		if (s->out && out_error(s->out))
			return 0; /* reported when the output is closed */
	}
	/*
	 * If the run ends early, the events that it leaves still belong to its account: all that
	 * follow, or after a signal those that were read before it.
	 */
	while (s->ending && (err = replay_next(s->replay, &v)) > 0)
		s->account.left_out += v.ev->kind == EVENT_IO;
	return err;
}

/* Opens the recordings. 0 or EXIT_AS(...) after a message. */
static int open_input(struct session *s)
{
	u32 wanted = s->needs | s->request.optional | s->request.quiet | NEED_IO;
	int err = replay_open(&s->replay, &s->inv->common.run.input, wanted, &s->recorded.wait);

	if (!err)
		err = session_check_needs(s);
	if (!err && (s->request.by_host || s->request.one_host))
		replay_plain_names(s->replay);
	if (!err && s->request.one_host)
		replay_keep_copies(s->replay);
	if (!err)
		s->clock.start_ns = replay_start_ns(s->replay);
	return err;
}

/* Whether all recordings can be read a second time. */
static bool reads_twice(const struct opt_list *files)
{
	struct stat st;

	for (u32 i = 0; i < files->n; i++) {
		if (stat(files->word[i], &st) || !S_ISREG(st.st_mode))
			return false;
	}
	return true;
}

/* Hands the commands to cmd->ahead(), in a reading of its own. */
static int read_ahead(struct session *s)
{
	struct view v;
	int err = open_input(s), more = 0;

	if (!err)
		session_plan(s);
	while (!err && !s->ending && (more = replay_next(s->replay, &v)) > 0) {
		if (v.ev->kind == EVENT_IO && selected(s, &v))
			err = s->cmd->ahead(s, &v);
	}
	replay_close(s->replay);
	s->replay = NULL;
	return err ? err : more < 0 ? more : 0;
}

/* Serves those who ask for what was replayed, until a signal comes. */
static int serve_until_end(struct session *s)
{
	const struct timespec wait = { .tv_nsec = WATCH_NS };
	struct pollfd fds[1 + SESSION_POLL] = { { .fd = s->signal_fd, .events = POLLIN } };
	u32 n;
	int err = 0;

	if (!s->ending)
		account_close(s);
	while (!err && !s->ending && (n = s->cmd->poll(s, fds + 1))) {
		ppoll(fds, 1 + n, &wait, NULL);
		err = session_signals(s);
		if (!err)
			err = s->cmd->idle(s, clock_ns(CLOCK_MONOTONIC));
	}
	return err;
}

/* Handles signals for those who read a recording. True if one of them ended the run. */
static bool stop_waiting(void *arg)
{
	struct session *s = arg;

	if (session_signals(s))
		s->ending = s->interrupted = true;
	return s->interrupted;
}

/* For --max-inflight: asks for submissions and tags, and has them counted. 0 or -ENOMEM after a message. */
static int count_outstanding(struct session *s)
{
	if (!s->request.max_inflight)
		return 0;
	s->needs |= NEED_SUBMIT | NEED_SQE;
	s->recorded.outstanding = outstanding_open(s->request.max_inflight);
	return s->recorded.outstanding ? 0 : fail(-ENOMEM, NULL, NULL, "session");
}

/* Says what the figures leave out. */
static void tell_uncounted(const struct session *s)
{
	u64 copies = replay_copies(s->replay);
	struct counters c;

	if (copies)
		note("events in several of the recordings, counted once: %llu",
		     (unsigned long long)copies);
	if (!s->recorded.outstanding)
		return;
	replay_counters(s->replay, &c);
	outstanding_tell(s->recorded.outstanding, c.inflight_at_exit);
}

int session_replay(struct session *s)
{
	const struct run_opts *run = &s->inv->common.run;
	const struct selection *sel = &s->inv->common.selection;
	int err = 0;

	s->recorded.wait = (struct replay_wait){ s->signal_fd, stop_waiting, s };
	if (sel->ctrl.n || sel->nsid.n || sel->device.n)
		err = replay_devices(&run->input, &s->subject.dir, &s->recorded.wait);
	if (!err && s->interrupted)
		err = EXIT_AS(EXIT_OK);
	if (!err)
		err = session_select(s);
	if (!err)
		err = session_start(s);
	if (!err)
		err = count_outstanding(s);
	if (sel->cgroup.n)
		s->needs |= NEED_CGROUP;
	if (s->subject.filter.n_lba || sel->device.n)
		s->needs |= NEED_SQE;
	s->needs |= session_filter_needs(&s->subject.filter);
	if ((s->subject.filter.status_classes | s->subject.filter.status_classes_out) &
	    STATUS_CLASS_RETRY)
		s->needs |= NEED_RESULT; /* the results bring the earlier attempts with them */
	if (!err && s->cmd->ahead && reads_twice(&run->input))
		err = read_ahead(s);
	if (!err)
		err = open_input(s);
	if (!err)
		err = session_replace(s);
	if (err)
		return err;
	if (run->input.n == 1)
		s->recorded.chain = about_filters(sel, replay_head(s->replay, 0)->filters);
	s->clock.tick_ns = s->clock.end_ns = s->clock.start_ns;
	s->clock.wall_offset_ns = replay_head(s->replay, 0)->wall_offset_ns;
	session_plan(s);
	session_begin_times(s);
	s->begun = true;
	session_tell_missing(s);
	account_meta(s);
	err = replay_until_end(s);
	if (!err)
		session_tell_beyond(s);
	tell_uncounted(s);
	return err || !s->cmd->poll ? err : serve_until_end(s);
}
