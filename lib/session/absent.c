// SPDX-License-Identifier: GPL-2.0-or-later
/* A host without the NVMe driver: --absent has the run refused, end as an empty one, or wait. */
#include <poll.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/err.h"
#include "lib/cli/select.h"
#include "lib/host/uevent.h"
#include "lib/session/about.h"
#include "lib/session/impl.h"
#include "lib/session/program.h"

static const char *no_method(struct session *s)
{
	(void)s;
	return "none";
}

/* The source of an empty run. */
static const struct source source_none = { .method = no_method };

/* Begins a run that has ended: meta, nothing, summary. */
static int begin_empty(struct session *s)
{
	const struct source *source = s->source;
	int err = s->out ? out_begin(s->out) : 0;

	if (err)
		return err;
	s->source = &source_none;
	s->subject.ctrls = about_ctrls(&s->kernel.sysfs);
	s->clock.start_ns = s->clock.tick_ns = s->clock.end_ns = clock_ns(CLOCK_MONOTONIC);
	s->clock.wall_offset_ns = clock_wall_offset();
	s->empty = s->begun = true;
	account_meta(s);
	return source->empty ? source->empty(s) : 0;
}

/* Refuses at once what the driver's coming would not mend. 0 or EXIT_AS(...) after a message. */
static int check_rest(void)
{
	const struct kernel_features features = { 0 };
	struct probe p;
	const struct probe_host host = { .p = &p, .features = &features };
	struct probe_fault f;

	probe_read(&p);
	if (probe_fault(&host, PROBE_SYSFS, &f) || probe_fault(&host, PROBE_CAPS, &f))
		return fail(EXIT_AS(f.status), f.why, f.remedy, "%s", f.what);
	return 0;
}

/* True when -c, -n and -d name what is there. */
static bool names_are_there(const struct session *s)
{
	struct device_dir dir = { 0 };
	struct sysfs sysfs = { 0 };
	bool there = !sysfs_read(&sysfs, NULL) && !device_add_sysfs(&dir, &sysfs) &&
		     !select_misses(&s->inv->common.selection, &dir);

	device_dir_free(&dir);
	sysfs_free(&sysfs);
	return there;
}

/*
 * True when there is all that the run attaches to. A transport comes after nvme_core, and has the
 * functions that time out: one that came after attaching would not be seen to time out.
 */
static bool all_came(const struct session *s)
{
	return probe_driver() && probe_transport() && names_are_there(s);
}

/* Sleeps until one of @fds is ready, for at most @most_ns and not beyond @until_ns; 0: no limit. */
static void sleep_until(struct pollfd *fds, nfds_t n, u64 most_ns, u64 until_ns)
{
	u64 now_ns = clock_ns(CLOCK_MONOTONIC), ns = until_ns > now_ns ? until_ns - now_ns : 1;
	struct timespec wait;

	if (most_ns && (!until_ns || most_ns < ns))
		ns = most_ns;
	wait = (struct timespec){ (time_t)(ns / NSEC_PER_SEC), (long)(ns % NSEC_PER_SEC) };
	ppoll(fds, n, most_ns || until_ns ? &wait : NULL, NULL);
}

/*
 * Waits until something may have come, a signal, or @until_ns. The kernel tells of each module and
 * device; where it does not, and where the command serves meanwhile, it also looks at times.
 */
static int wait_once(struct session *s, int uevents, u64 until_ns)
{
	struct pollfd fds[2 + SESSION_POLL] = {
		{ .fd = s->signal_fd, .events = POLLIN },
		{ .fd = uevents, .events = POLLIN },
	};
	u32 n = s->cmd->waits && s->cmd->poll ? s->cmd->poll(s, fds + 2) : 0;
	int err;

	sleep_until(fds, 2 + n, uevents < 0 || s->cmd->waits ? WATCH_NS : 0, until_ns);
	if (fds[1].revents)
		uevent_read(uevents);
	err = session_signals(s);
	if (!err && s->cmd->waits && s->cmd->idle)
		err = s->cmd->idle(s, clock_ns(CLOCK_MONOTONIC));
	return err;
}

static bool is_past(u64 until_ns)
{
	return until_ns && clock_ns(CLOCK_MONOTONIC) >= until_ns;
}

static int wait_for_driver(struct session *s)
{
	u64 most_ns = s->inv->common.run.duration_ns;
	u64 until_ns = most_ns ? clock_ns(CLOCK_MONOTONIC) + most_ns : 0;
	int err = check_rest(), uevents;

	if (!err && s->cmd->waits) {
		s->started = true;
		err = s->cmd->waits(s);
	}
	if (err)
		return err;
	uevents = uevent_open();
	note("no NVMe driver is loaded: waiting for it");
	while (!err && !s->ending && !is_past(until_ns) && !all_came(s))
		err = wait_once(s, uevents, until_ns);
	if (uevents >= 0)
		close(uevents);
	if (!err && !s->ending && is_past(until_ns) && !probe_driver())
		err = fail(EXIT_AS(EXIT_KERNEL), "it did not come within --duration",
			   "load it: modprobe nvme", "no NVMe driver");
	return err; /* a driver without what -c, -n and -d name is told of as without waiting */
}

/* Runs PROGRAM to its end or ours, without tracing it. 0 or EXIT_AS(...) after a message. */
static int run_unmeasured(struct session *s)
{
	const struct run_opts *run = &s->inv->common.run;
	struct pollfd fds = { .fd = s->signal_fd, .events = POLLIN };
	u64 until_ns;
	int err = begin_empty(s);

	if (!err)
		err = program_fork(&s->program, run->program);
	if (!err)
		err = program_go(s->program);
	if (err)
		return err;
	session_plan(s);
	until_ns = s->clock.stop_ns;
	if (run->count && !until_ns)
		until_ns = clock_after(s->clock.start_ns, s->clock.interval_ns, run->count);
	while (!err && !s->ending && !is_past(until_ns)) {
		sleep_until(&fds, 1, 0, until_ns);
		err = session_signals(s);
	}
	program_stop(s->program, PROGRAM_MS);
	s->clock.end_ns = clock_ns(CLOCK_MONOTONIC);
	return err;
}

int session_await(struct session *s)
{
	u32 how = s->inv->common.run.absent;
	int err;

	if (how == ABSENT_ERROR || probe_driver())
		return 0;
	if (how == ABSENT_WAIT) {
		err = wait_for_driver(s);
		return err || !s->ending ? err : begin_empty(s);
	}
	if (s->inv->common.run.program && !s->inv->common.internal.probe_only) {
		note("no NVMe driver is loaded: %s runs, and nothing is measured",
		     s->inv->common.run.program[0]);
		return run_unmeasured(s);
	}
	note("no NVMe driver is loaded: there is nothing to trace");
	return begin_empty(s);
}
