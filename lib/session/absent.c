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

/*
 * Waits until something may have come, or a signal. The kernel tells of each module and device; where
 * it does not, and where the command serves meanwhile, it also looks at times.
 */
static int wait_once(struct session *s, int uevents)
{
	const struct timespec soon = { .tv_nsec = WATCH_NS };
	struct pollfd fds[2 + SESSION_POLL] = {
		{ .fd = s->signal_fd, .events = POLLIN },
		{ .fd = uevents, .events = POLLIN },
	};
	u32 n = s->cmd->waits && s->cmd->poll ? s->cmd->poll(s, fds + 2) : 0;
	int err;

	ppoll(fds, 2 + n, uevents < 0 || s->cmd->waits ? &soon : NULL, NULL);
	if (fds[1].revents)
		uevent_read(uevents);
	err = session_signals(s);
	if (!err && s->cmd->waits && s->cmd->idle)
		err = s->cmd->idle(s, clock_ns(CLOCK_MONOTONIC));
	return err;
}

static int wait_for_driver(struct session *s)
{
	int err = check_rest(), uevents;

	if (!err && s->cmd->waits) {
		s->started = true;
		err = s->cmd->waits(s);
	}
	if (err)
		return err;
	uevents = uevent_open();
	note("no NVMe driver is loaded: waiting for it");
	while (!err && !s->ending && !all_came(s))
		err = wait_once(s, uevents);
	if (uevents >= 0)
		close(uevents);
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
	note("no NVMe driver is loaded: there is nothing to trace");
	return begin_empty(s);
}
