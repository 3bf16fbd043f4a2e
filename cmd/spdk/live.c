// SPDX-License-Identifier: GPL-2.0-or-later
/* Attaches to processes, and prints a row for each hit until the run ends. */
#include <poll.h>
#include <unistd.h>

#include "cmd/spdk/hold.h"
#include "cmd/spdk/report.h"
#include "cmd/spdk/spdk.h"
#include "lib/base/clock.h"
#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/host/confine.h"
#include "lib/host/probe.h"
#include "lib/loader/uprobes.h"
#include "lib/session/meta.h"
#include "lib/session/signals.h"

#define POLL_NS	  (50 * NSEC_PER_MSEC) /* how long a hit may lie in the ring */
#define SETTLE_NS (40 * NSEC_PER_MSEC) /* how much later than newer ones a hit may come */
#define WATCH_NS  (500 * NSEC_PER_MSEC) /* how often losses and processes are looked at */
#define TAKE_MAX  8192 /* hits taken between two looks at clock and signals */

struct live {
	const struct invocation *inv;
	struct spdk_targets *t;
	struct probe probe;
	struct uprobes *uprobes;
	struct spdk_report report;
	struct spdk_hold hold;
	int signal_fd;
	u64 stop_ns, look_ns; /* CLOCK_MONOTONIC; stop_ns 0: no end is set */
	u64 taken; /* hits that came out of the ring */
	u32 batch; /* hits that may still be taken */
	bool behind; /* there are more */
	bool other_pids; /* numbers of threads are those of another namespace */
	bool ending;
	int err;
};

static void put(void *arg, const struct spdk_hit *hit)
{
	struct live *l = arg;
	const struct spdk_place *place = &l->t->place[hit->site];

	spdk_report_hit(&l->report, &place->site, hit);
}

/* The strings of a hit, one behind the other in the order of its arguments. */
static void find_texts(const struct live *l, const struct usdt_hit *from, struct spdk_hit *hit)
{
	const struct usdt_spec *spec = &l->t->place[from->id].spec;
	const char *text = (const char *)(from + 1);

	for (u32 i = 0; i < spec->n_args; i++) {
		if (!spec->arg[i].is_text)
			continue;
		if (hit->arg[i] && !(hit->unread & 1U << i))
			hit->text[i] = text;
		text += USDT_TEXT;
	}
}

/* Takes a record out of the ring. libbpf has stepped over it when this ends the batch. */
static int take(void *arg, void *data, size_t size)
{
	const struct usdt_hit *from = data;
	struct live *l = arg;
	struct spdk_hit hit;

	if (size < sizeof(*from) || from->id >= l->t->n_places)
		return 0;
	hit = (struct spdk_hit){
		.ts_ns = from->ts_ns,
		.site = from->id,
		.tid = from->pid == l->t->place[from->id].site.pid ? from->tid : UINT32_MAX,
		.unread = from->unread,
		.cut = from->cut,
	};
	memcpy(hit.arg, from->arg, sizeof(hit.arg));
	find_texts(l, from, &hit);
	l->taken++;
	if (spdk_hold_add(&l->hold, &hit))
		l->err = fail(-ENOMEM, NULL, NULL, "hits");
	l->behind = !--l->batch;
	return l->behind || l->err ? -EAGAIN : 0;
}

/* Takes what the ring has, and prints what no earlier hit can precede any more. */
static void drain(struct live *l, bool all)
{
	u64 now_ns = clock_ns(CLOCK_MONOTONIC);

	do {
		l->batch = TAKE_MAX;
		l->behind = false;
		uprobes_consume(l->uprobes);
	} while (all && l->behind && !l->err);
	spdk_hold_release(&l->hold, all ? UINT64_MAX : now_ns - SETTLE_NS, put, l);
	spdk_report_push(&l->report);
}

/* Reads the losses; at the end, with all hits taken, also those that no counter explains. */
static void read_lost(struct live *l, bool end)
{
	struct spdk_lost *lost = &l->report.lost;
	struct usdt_counts counts;
	u64 known;

	uprobes_counts(l->uprobes, &counts);
	lost->ring_full = counts.ring_full;
	lost->unplaced = counts.unknown;
	known = counts.ring_full + counts.unknown + l->taken;
	if (end)
		lost->miscounted = counts.hits > known ? counts.hits - known : known - counts.hits;
}

static void end_target(struct live *l, struct spdk_target *target, const char *how,
		       const char *text)
{
	target->ended = how;
	note("process %u (%s) %s", target->process.pid, target->process.comm, text);
	for (u32 i = 0; i < l->t->n; i++) {
		if (!l->t->target[i].ended)
			return;
	}
	l->ending = true;
}

/*
 * Whether the process runs another program: the map it had is empty, and it has memory. One that is
 * about to end has given up both.
 */
static bool runs_another(const struct spdk_target *target)
{
	char size[16] = "", byte;

	return target->map >= 0 && pread(target->map, &byte, 1, 0) == 0 && target->memory >= 0 &&
	       pread(target->memory, size, sizeof(size) - 1, 0) > 0 && strtoull(size, NULL, 10);
}

/* Looks whether processes have ended, or run another program. */
static void watch_targets(struct live *l)
{
	for (u32 i = 0; i < l->t->n; i++) {
		struct spdk_target *target = &l->t->target[i];
		struct pollfd fd = { .fd = target->pidfd, .events = POLLIN };

		if (target->ended)
			continue;
		if (ppoll(&fd, 1, &(struct timespec){ 0 }, NULL) == 1)
			end_target(l, target, "exit", "has ended");
		else if (runs_another(target))
			end_target(l, target, "exec",
				   "runs another program now: start again to trace that");
	}
}

static void look(struct live *l)
{
	u64 now_ns = clock_ns(CLOCK_MONOTONIC);

	if (now_ns < l->look_ns)
		return;
	l->look_ns = now_ns + WATCH_NS;
	watch_targets(l);
	read_lost(l, false);
	spdk_report_lost(&l->report, now_ns);
}

static void take_signals(struct live *l)
{
	if (!signals_end(l->signal_fd))
		return;
	l->ending = true;
	spdk_report_hurry(&l->report);
}

static void wait_for_work(struct live *l)
{
	struct out *o = l->report.o;
	struct pollfd fds[3 + USDT_TARGETS] = {
		{ .fd = l->signal_fd, .events = POLLIN },
		{ .fd = uprobes_fd(l->uprobes), .events = POLLIN },
		{ .fd = out_fd(o), .events = out_pending(o) ? POLLOUT : 0 },
	};
	u64 now_ns = clock_ns(CLOCK_MONOTONIC), wait_ns = l->behind ? 0 : POLL_NS;
	struct timespec wait;

	for (u32 i = 0; i < l->t->n; i++)
		fds[3 + i] = (struct pollfd){
			.fd = l->t->target[i].ended ? -1 : l->t->target[i].pidfd,
			.events = POLLIN,
		};
	if (l->stop_ns && l->stop_ns < now_ns + wait_ns)
		wait_ns = l->stop_ns > now_ns ? l->stop_ns - now_ns : 0;
	wait = (struct timespec){ .tv_nsec = (long)wait_ns };
	ppoll(fds, 3 + l->t->n, &wait, NULL);
	for (u32 i = 0; i < l->t->n; i++)
		if (fds[3 + i].revents)
			l->look_ns = 0;
	if (fds[2].revents & (POLLERR | POLLHUP))
		l->ending = true;
	spdk_report_push(&l->report);
}

static void run_until_end(struct live *l)
{
	while (!l->ending && !l->report.ended && !l->err) {
		wait_for_work(l);
		l->report.wall_offset_ns = clock_wall_offset();
		drain(l, false);
		take_signals(l);
		look(l);
		if (l->stop_ns && clock_ns(CLOCK_MONOTONIC) >= l->stop_ns)
			l->ending = true;
	}
}

static void fill_processes(const struct live *l, struct spdk_process_sum *sums)
{
	for (u32 i = 0; i < l->t->n; i++) {
		const struct spdk_target *target = &l->t->target[i];

		sums[i] = (struct spdk_process_sum){
			.pid = target->process.pid,
			.comm = target->process.comm,
			.version = target->version[0] ? target->version : NULL,
			.probes = target->probes,
			.places = target->places,
			.ended = target->ended,
		};
	}
}

/* Ends the run: what the ring still has counts, then the account is made. */
static int finish(struct live *l)
{
	struct spdk_process_sum sums[USDT_TARGETS];
	struct usdt_counts counts;
	int err;

	spdk_report_stop(&l->report);
	uprobes_detach(l->uprobes);
	drain(l, true);
	spdk_report_drain(&l->report);
	watch_targets(l);
	read_lost(l, true);
	uprobes_counts(l->uprobes, &counts);
	fill_processes(l, sums);
	err = spdk_report_end(&l->report, counts.hits - l->report.over, sums, l->t->n);
	return l->err ? l->err : err;
}

/* Attaches to each place. Two probes at one instruction cannot be told apart. */
static int attach(struct live *l)
{
	const char *before = "";
	int err = 0;

	for (u32 i = 0; !err && i < l->t->n_places; i++) {
		struct spdk_place *place = &l->t->place[i];
		struct spdk_target *target = &l->t->target[place->target];
		const struct uprobe_place at = {
			.target = place->target,
			.pid = place->site.pid,
			.fd = target->process.mapped[place->at->file].file.fd,
			.offset = place->at->probe->offset,
			.semaphore = place->at->probe->semaphore,
			.address = place->at->address,
		};

		place->spec.id = i;
		err = uprobes_add(l->uprobes, &at, &place->spec);
		if (err == -EEXIST) {
			note("%s is at the same instruction as another probe: it is left out",
			     place->at->probe->name);
			err = 0;
			continue;
		}
		target->probes += !target->places || !streq(before, place->at->probe->name);
		target->places++;
		before = place->at->probe->name;
	}
	return err;
}

/* Says what is traced, and which arguments cannot be. */
static void tell_running(const struct live *l)
{
	for (u32 i = 0; i < l->t->n; i++) {
		const struct spdk_target *target = &l->t->target[i];

		note("tracing process %u (%s%s%s): %u probe%s at %u place%s%s", target->process.pid,
		     target->process.comm, target->version[0] ? ", SPDK " : "", target->version,
		     target->probes, plural(target->probes), target->places, plural(target->places),
		     isatty(STDERR_FILENO) ? "; Ctrl-C to end" : "");
	}
	for (u32 i = 0; i < l->t->n_places; i++) {
		const struct spdk_place *place = &l->t->place[i];

		if (place->why)
			note("an argument of %s cannot be read: %s: '%s'", place->at->probe->name,
			     place->why, place->at->probe->args);
	}
}

static int run(struct out *o, const void *ctx)
{
	struct live *l = (struct live *)ctx;
	struct spdk_report *r = &l->report;
	u64 duration_ns = l->inv->common.run.duration_ns, kept;
	int err;

	r->start_ns = clock_ns(CLOCK_MONOTONIC);
	r->wall_offset_ns = clock_wall_offset();
	err = spdk_report_begin(r, o, l->t->n > 1);
	if (!err)
		err = attach(l);
	if (!err)
		err = confine(CONFINE_ALWAYS, uprobes_map_fd(l->uprobes), &kept);
	if (err)
		return err;
	l->stop_ns = duration_ns ? clock_after(r->start_ns, duration_ns, 1) : 0;
	spdk_report_push(r);
	tell_running(l);
	signals_tell_ready();
	run_until_end(l);
	return finish(l);
}

int spdk_live(const struct invocation *inv, struct spdk_targets *t)
{
	struct live l = { .inv = inv, .t = t, .signal_fd = -1 };
	const struct uprobes_setup setup = {
		.probe = &l.probe,
		.targets = t->n,
		.places = t->n_places,
		.buffer_bytes = inv->common.internal.buffer_bytes,
		.verbose = inv->common.internal.verbose,
	};
	int err = spdk_report_open(&l.report, inv);

	probe_read(&l.probe);
	if (!err)
		err = uprobes_open(&l.uprobes, &setup, take, &l);
	if (!err) {
		l.signal_fd = signals_open();
		err = l.signal_fd < 0 ? l.signal_fd : 0;
	}
	if (!err)
		err = cmd_print(inv, spdk_schemas, run, &l);
	if (l.signal_fd >= 0)
		close(l.signal_fd);
	uprobes_close(l.uprobes);
	spdk_hold_free(&l.hold);
	return err;
}
