// SPDX-License-Identifier: GPL-2.0-or-later
/* A live session, whatever its source: a poll loop from attaching to the last event. */
#include <bpf/libbpf.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/base/units.h"
#include "lib/event/order.h"
#include "lib/host/uevent.h"
#include "lib/loader/loader.h"
#include "lib/nvme/reqflags.h"
#include "lib/session/flush.h"
#include "lib/session/impl.h"
#include "lib/session/lookup.h"
#include "lib/session/program.h"
#include "lib/session/signals.h"
#include "lib/session/unpack.h"

#define POLL_NS (50 * NSEC_PER_MSEC) /* how long an event may lie in the ring */
#define SETTLE_NS                                                                                  \
	(40 * NSEC_PER_MSEC) /* an event of a delayed CPU may come so much later than newer ones */
_Static_assert(POLL_NS + SETTLE_NS < 100 * NSEC_PER_MSEC, "a trigger of record judges it in time");
#define DRAIN_BYTES (1U << 20) /* bytes taken between two looks at clock and signals */
#define EVENTS_HELD (1U << 20)
#define OWN_FDS	    5 /* descriptors that every run polls */

/* The state of polling. */
struct live_run {
	struct session *s;
	struct ring_buffer *ring; /* NULL: the object has no events */
	struct order *order;
	size_t budget; /* bytes of the ring that this drain() may still take */
	bool behind; /* the budget was used up: there is more */
	u64 newest_ns; /* the latest time of an event that was taken */
	u64 taken_ns; /* all events until then were taken */
	int uevent_fd; /* -1: the kernel does not tell */
	bool asked; /* a signal came: its report counts everything until then */
};

/*
 * True if the event is selected. BPF has decided all but -q and -d of commands whose submission it
 * did not see, and nothing of flushes of devices above.
 */
static bool selected(struct session *s, const struct view *v)
{
	const struct filter *f = &s->subject.filter;
	const struct event *ev = v->ev;

	if (ev->kind == EVENT_FLUSH)
		return session_takes_flush(s, f, v);
	if (event_is_of_ctrl(ev)) /* not filtered in BPF: it has a controller and nothing else */
		return filter_ctrl(f, (s32)ev->nsid);
	return !(ev->flags & (EVENT_NO_SUBMIT | EVENT_UNSENT)) ||
	       filter_orphan(f, session_queue(s, ev->queue), ev->qid);
}

static int on_ordered(void *arg, const struct event *ev)
{
	struct session *s = arg;
	struct view v;

	if (session_has_enough(s)) {
		s->account.left_out += session_counts(ev);
		return 0;
	}
	session_view(s, &v, ev);
	if (!selected(s, &v))
		return 0;
	session_put_event(s, &v);
	return 0;
}

/* Sets the flags that follow from the other members. */
static void complete_flags(struct event *ev)
{
	if (reqflags_passthrough(ev->cmd_flags))
		ev->flags |= EVENT_PASSTHROUGH;
	if (ev->flags & EVENT_NO_SUBMIT && ev->status == STATUS_HOST_PATH_ERROR)
		ev->flags ^= EVENT_NO_SUBMIT | EVENT_UNSENT;
}

/* Unpacks a record by the command's own unpack(), if it has one. */
static bool unpack(struct session *s, struct event *ev, const void *record, size_t size)
{
	if (s->cmd->unpack)
		return s->cmd->unpack(s, ev, record, size);
	return event_unpack(ev, record, size);
}

static void take(struct live_run *run, const void *record, size_t size)
{
	struct event ev;

	if (!unpack(run->s, &ev, record, size))
		return;
	if (ev.kind == EVENT_FLUSH && !session_flush_resolve(run->s, &ev))
		return;
	complete_flags(&ev);
	ev.flags |= session_no_status(run->s) ? EVENT_NO_STATUS : 0;
	if (ev.ts_ns > run->newest_ns)
		run->newest_ns = ev.ts_ns;
	if (ev.kind == EVENT_STACK) /* its process may end while events are put in order */
		on_ordered(run->s, &ev);
	else
		order_add(run->order, &ev);
}

/* Ends at an error; libbpf has stepped over the record by then. */
static int on_ring(void *arg, void *data, size_t size)
{
	struct live_run *run = arg;

	take(run, data, size);
	if (run->budget <= size)
		return -EAGAIN;
	run->budget -= size;
	return 0;
}

/* The time at which an interval can be reported, because none of its events can come any more. */
static u64 tick_due_ns(const struct live_run *run)
{
	u64 tick_ns = run->s->clock.next_tick_ns;

	return tick_ns && run->ring ? tick_ns + SETTLE_NS : tick_ns;
}

/*
 * Takes events out of the ring. Programs may fill it faster than we read: so only some, or with
 * @all those until now. The ring is in order but for delays within SETTLE_NS.
 */
static void empty_ring(struct live_run *run, bool all)
{
	u64 now_ns = clock_ns(CLOCK_MONOTONIC);

	do {
		run->budget = DRAIN_BYTES;
		run->behind = ring_buffer__consume(run->ring) < 0;
	} while (all && run->behind && run->newest_ns < now_ns);
	run->taken_ns = run->behind ? run->newest_ns : now_ns;
}

/*
 * Takes events out of the ring, and hands out those of the current interval that no earlier one can
 * precede any more.
 */
static void drain(struct live_run *run, bool all)
{
	u64 until_ns, tick_ns = run->s->clock.next_tick_ns;

	if (!run->ring)
		return;
	empty_ring(run, all);
	until_ns = run->taken_ns - SETTLE_NS;
	if (tick_ns && tick_ns <= until_ns)
		until_ns = tick_ns - 1;
	order_release(run->order, all ? UINT64_MAX : until_ns);
	run->s->clock.handed_ns = all ? run->newest_ns : until_ns;
	if (run->s->out)
		out_flush(run->s->out);
}

static u64 earliest(u64 a, u64 b)
{
	return b && b < a ? b : a;
}

static void wait_for_work(struct live_run *run, u64 now_ns)
{
	struct session *s = run->s;
	struct pollfd fds[OWN_FDS + SESSION_POLL] = {
		{ .fd = s->signal_fd, .events = POLLIN },
		{ .fd = run->ring ? ring_buffer__epoll_fd(run->ring) : -1, .events = POLLIN },
		{ .fd = s->out ? out_fd(s->out) : -1 },
		{ .fd = run->uevent_fd, .events = POLLIN },
		{ .fd = s->request.screen_fd ? s->request.screen_fd : -1, .events = POLLIN },
	};
	nfds_t n = OWN_FDS + (s->cmd->poll ? s->cmd->poll(s, fds + OWN_FDS) : 0);
	bool often = run->ring || s->needs & (NEED_FILE | NEED_SYNCER);
	u64 until = now_ns + (often ? POLL_NS : WATCH_NS);
	struct timespec wait;

	until = earliest(earliest(until, tick_due_ns(run)), s->clock.stop_ns);
	until = until > now_ns && !run->behind ? until - now_ns : 0;
	wait = (struct timespec){ until / NSEC_PER_SEC, until % NSEC_PER_SEC };
	if (s->out && out_pending(s->out))
		fds[2].events = POLLOUT;
	ppoll(fds, n, &wait, NULL);
	run->asked = fds[0].revents && !(s->cmd->takes & PRINTS_EVENTS);
	if (fds[3].revents && uevent_read(run->uevent_fd))
		__atomic_fetch_add(&loader_control(s->loader)->generation, 1,
				   __ATOMIC_RELAXED); /* queue info is checked again */
	if (s->out && (fds[2].revents & (POLLERR | POLLHUP) || out_flush(s->out)))
		s->ending = true; /* nobody reads the output, or it cannot be written */
}

/*
 * Reports an interval. Sums of the programs, and what is in flight, are taken as they are now, even
 * if that is late; events are those up to the end of the interval.
 */
static int do_tick(struct session *s)
{
	bool sums = s->cmd->takes & (COUNTS_IN_KERNEL | SHOWS_INFLIGHT);

	return session_do_tick(s, sums ? clock_ns(CLOCK_MONOTONIC) : s->clock.next_tick_ns, false,
			       true);
}

/* Plans the next tick. Ticks keep to their grid: a late one does not move the next. */
static void plan_tick(struct session *s, u64 now_ns)
{
	u64 late_ns = s->clock.tick_ns - s->clock.next_tick_ns;

	s->clock.next_tick_ns += s->clock.interval_ns * (1 + late_ns / s->clock.interval_ns);
	if (now_ns >= s->clock.next_tick_ns + s->clock.interval_ns)
		s->clock.next_tick_ns = now_ns + s->clock.interval_ns;
}

/* Ends intervals and the run when they are due. */
static int keep_time(struct live_run *live, u64 now_ns)
{
	struct session *s = live->s;
	const struct run_opts *run = &s->inv->common.run;
	u64 taken_ns = live->ring ? live->taken_ns : now_ns;
	int err = 0;

	while (!err && s->clock.next_tick_ns && taken_ns >= tick_due_ns(live) && !s->ending) {
		if (run->count && ++s->clock.intervals >= run->count) {
			s->ending = true; /* the last report is the final one */
			break;
		}
		err = do_tick(s);
		plan_tick(s, taken_ns);
		drain(live, false);
	}
	if (s->clock.stop_ns && now_ns >= s->clock.stop_ns)
		s->ending = true;
	return err;
}

static int poll_until_end(struct live_run *run)
{
	struct session *s = run->s;
	int err = 0;

	while (!err && !s->ending) {
		u64 now_ns = clock_ns(CLOCK_MONOTONIC);

		wait_for_work(run, now_ns);
		s->clock.wall_offset_ns = clock_wall_offset();
		session_files_watch(s, now_ns);
		session_syncers_watch(s, now_ns);
		drain(run, run->asked);
		now_ns = clock_ns(CLOCK_MONOTONIC);
		err = session_signals(s);
		if (!err)
			err = keep_time(run, now_ns);
		if (!err && s->cmd->idle)
			err = s->cmd->idle(s, now_ns);
		if (s->source->watch)
			s->source->watch(s, now_ns);
		account_watch(s, now_ns);
	}
	return err;
}

static int open_ring(struct live_run *run)
{
	const struct source *source = run->s->source;
	int fd = source->ring ? source->ring(run->s) : -1;

	if (fd < 0)
		return 0;
	run->ring = ring_buffer__new(fd, on_ring, run, NULL);
	if (!run->ring)
		return fail(-errno, NULL, NULL, "event buffer");
	run->order = order_new(EVENTS_HELD, on_ordered, run->s);
	return run->order ? 0 : fail(-ENOMEM, NULL, NULL, "event buffer");
}

static void close_run(struct live_run *run)
{
	ring_buffer__free(run->ring);
	order_free(run->order);
	if (run->uevent_fd >= 0)
		close(run->uevent_fd);
}

/*
 * Ends the run. Its end is taken before detaching, which takes too long to count as a part of the
 * run. It then moves to the latest event, so that each event lies within the run.
 */
static void detach(struct live_run *run)
{
	struct session *s = run->s;

	s->clock.end_ns = clock_ns(CLOCK_MONOTONIC);
	session_files_watch(s, s->clock.end_ns);
	if (s->source->detach)
		s->source->detach(s);
	if (s->out)
		out_patient_until(s->out, 0);
	do
		drain(run, true);
	while (run->behind);
	if (run->newest_ns > s->clock.end_ns)
		s->clock.end_ns = run->newest_ns;
	session_hand_inflight(s);
}

static int trace_until_end(struct session *s)
{
	struct live_run run = { .s = s, .uevent_fd = s->loader ? uevent_open() : -1 };
	int err = open_ring(&run);

	if (!err)
		err = session_replace(s);
	if (!err)
		err = session_confine(s);
	if (err) {
		close_run(&run);
		return err;
	}
	s->clock.tick_ns = s->clock.start_ns;
	s->clock.wall_offset_ns = clock_wall_offset();
	session_plan(s);
	if (s->out) /* a reader that has stopped must not hold up the end */
		out_patient_until(s->out, s->clock.stop_ns);
	s->begun = true;
	s->clock.handed_ns = s->clock.start_ns;
	account_meta(s);
	if (s->source->tell)
		s->source->tell(s);
	signals_tell_ready();
	if (s->program)
		err = program_go(s->program);
	if (!err && !s->inv->common.internal.probe_only)
		err = poll_until_end(&run);
	detach(&run);
	if (s->program)
		program_stop(s->program, PROGRAM_MS);
	close_run(&run);
	return err;
}

int session_live(struct session *s)
{
	const struct run_opts *run = &s->inv->common.run;
	int err = s->cmd->takes & TRACES_USERS ? 0 : session_await(s);

	if (err || s->empty)
		return err;
	err = s->source->look(s);
	if (!err && run->program && !s->inv->common.internal.probe_only)
		err = program_fork(&s->program, run->program);
	if (!err && s->source->open)
		err = s->source->open(s);
	if (!err)
		err = session_start(s);
	s->clock.start_ns = clock_ns(CLOCK_MONOTONIC);
	if (!err)
		err = s->source->attach(s);
	return err ? err : trace_until_end(s);
}
