// SPDX-License-Identifier: GPL-2.0-or-later
/* Attaches to processes, and prints a row for each hit until the run ends. */
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "cmd/spdk/hold.h"
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
#define DRAIN_MS  200 /* time that a stopped reader gets at the end */

struct live {
	const struct invocation *inv;
	struct spdk_targets *t;
	struct probe probe;
	struct uprobes *uprobes;
	struct out *o;
	struct spdk_hold hold;
	struct spdk_row row;
	struct expr expr;
	int signal_fd;
	u64 start_ns, end_ns, stop_ns, look_ns; /* CLOCK_MONOTONIC; stop_ns 0: no end is set */
	s64 wall_offset_ns;
	u64 taken; /* hits that came out of the ring */
	u64 emitted, errors, over; /* over: those behind --max-events */
	struct spdk_lost lost, told;
	u32 batch; /* hits that may still be taken */
	bool behind; /* there are more */
	bool other_pids; /* numbers of threads are those of another namespace */
	bool ending, failed;
	int err;
};

static bool has_enough(const struct live *l)
{
	u64 max = l->inv->common.run.max_events;

	return max && l->emitted >= max;
}

static void print(void *arg, const struct spdk_hit *hit)
{
	struct live *l = arg;
	const struct spdk_site *site = &l->t->place[hit->site].site;
	u64 dropped = out_dropped(l->o);

	if (has_enough(l)) {
		l->over++;
		return;
	}
	spdk_row_fill(&l->row, site, hit, l->start_ns, l->wall_offset_ns);
	out_row(l->o, &spdk_schema, &l->row);
	if (out_dropped(l->o) != dropped) {
		l->lost.output++;
		return;
	}
	out_mark(l->o);
	l->emitted++;
	l->errors += spdk_failed(site, hit);
	l->ending |= has_enough(l);
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
	spdk_hold_release(&l->hold, all ? UINT64_MAX : now_ns - SETTLE_NS, print, l);
	out_flush(l->o);
}

/* Reads the losses; at the end, with all hits taken, also those that no counter explains. */
static void read_lost(struct live *l, bool end)
{
	struct usdt_counts counts;
	u64 known;

	uprobes_counts(l->uprobes, &counts);
	l->lost.ring_full = counts.ring_full;
	l->lost.unplaced = counts.unknown;
	known = counts.ring_full + counts.unknown + l->taken;
	if (end)
		l->lost.miscounted =
			counts.hits > known ? counts.hits - known : known - counts.hits;
}

static void put_lost(struct live *l, u64 now_ns)
{
	const struct spdk_sum sum = { .mono_ns = now_ns, .lost = l->lost };

	if (!memcmp(&l->lost, &l->told, sizeof(l->lost)))
		return;
	spdk_tell_lost(&l->lost, &l->told, "lost so far");
	if (out_opts(l->o)->format == OUT_JSON)
		out_row(l->o, &spdk_lost_schema, &sum);
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

/* Looks whether processes have ended, or run another program, which leaves an empty map. */
static void watch_targets(struct live *l)
{
	for (u32 i = 0; i < l->t->n; i++) {
		struct spdk_target *target = &l->t->target[i];
		struct pollfd fd = { .fd = target->pidfd, .events = POLLIN };
		char byte;

		if (target->ended)
			continue;
		if (ppoll(&fd, 1, &(struct timespec){ 0 }, NULL) == 1)
			end_target(l, target, "exit", "has ended");
		else if (target->map >= 0 && pread(target->map, &byte, 1, 0) == 0)
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
	put_lost(l, now_ns);
}

static void take_signals(struct live *l)
{
	struct signalfd_siginfo info;

	while (read(l->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo != SIGINT && info.ssi_signo != SIGTERM &&
		    info.ssi_signo != SIGHUP)
			continue;
		l->ending = true;
		out_hurry(l->o);
		signals_second_sigint();
	}
}

static void wait_for_work(struct live *l)
{
	struct pollfd fds[3 + USDT_TARGETS] = {
		{ .fd = l->signal_fd, .events = POLLIN },
		{ .fd = uprobes_fd(l->uprobes), .events = POLLIN },
		{ .fd = out_fd(l->o), .events = out_pending(l->o) ? POLLOUT : 0 },
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
	if (fds[2].revents & (POLLERR | POLLHUP) || out_flush(l->o))
		l->ending = true;
}

static void run_until_end(struct live *l)
{
	while (!l->ending && !l->err) {
		wait_for_work(l);
		l->wall_offset_ns = (s64)(clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC));
		drain(l, false);
		take_signals(l);
		look(l);
		if (l->stop_ns && clock_ns(CLOCK_MONOTONIC) >= l->stop_ns)
			l->ending = true;
	}
}

static void check_condition(struct live *l)
{
	const struct expr_row row = {
		.wall_ns = l->end_ns + (u64)l->wall_offset_ns,
		.count = l->emitted,
		.errors = l->errors,
		.lost = spdk_lost_total(&l->lost),
	};

	l->failed = expr_check_and_tell(&l->expr, &row, out_opts(l->o)->utc);
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

static void put_sum(struct live *l)
{
	struct spdk_process_sum sums[USDT_TARGETS];
	struct usdt_counts counts;
	struct spdk_sum sum = {
		.duration_ns = l->end_ns - l->start_ns,
		.emitted = l->emitted,
		.errors = l->errors,
		.lost = l->lost,
		.complete = !spdk_lost_total(&l->lost),
		.expr = &l->expr,
		.process = sums,
		.n_processes = l->t->n,
	};

	if (out_opts(l->o)->format != OUT_JSON)
		return;
	uprobes_counts(l->uprobes, &counts);
	sum.hits = counts.hits - l->over;
	fill_processes(l, sums);
	out_row(l->o, &spdk_sum_schema, &sum);
}

/* Ends the run: what the ring still has counts, then the account is made. */
static int finish(struct live *l)
{
	l->end_ns = clock_ns(CLOCK_MONOTONIC);
	uprobes_detach(l->uprobes);
	out_patient_until(l->o, 0);
	drain(l, true);
	if (out_drain(l->o, DRAIN_MS) == -ETIMEDOUT) {
		l->lost.output += out_marks_pending(l->o);
		l->emitted -= out_marks_pending(l->o);
	}
	watch_targets(l);
	read_lost(l, true);
	spdk_tell_lost(&l->lost, &l->told, "lost");
	check_condition(l);
	put_sum(l);
	out_ends(l->o);
	if (l->err)
		return l->err;
	if (l->failed)
		return EXIT_AS(EXIT_CONDITION);
	return l->inv->common.run.strict && spdk_lost_total(&l->lost) ? EXIT_AS(EXIT_INCOMPLETE)
								      : 0;
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

static int print_hits(struct out *o, const void *ctx)
{
	struct live *l = (struct live *)ctx;
	u64 duration_ns = l->inv->common.run.duration_ns, kept;
	int err;

	l->o = o;
	if (out_opts(o)->format != OUT_JSON)
		out_only(o, &spdk_schema);
	if (l->t->n > 1 && !l->inv->common.output.columns)
		out_show(o, "pid", true);
	err = out_begin(o);
	if (err)
		return err;
	meta_put(o, l->inv, NULL);
	l->start_ns = clock_ns(CLOCK_MONOTONIC);
	err = attach(l);
	if (!err)
		err = confine(CONFINE_ALWAYS, uprobes_map_fd(l->uprobes), &kept);
	if (err)
		return err;
	l->stop_ns = duration_ns ? clock_after(l->start_ns, duration_ns, 1) : 0;
	out_flush(o);
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
	const char *fail_if = inv->common.run.fail_if;
	int err = fail_if ? expr_parse(&l.expr, fail_if, EXPR_EVENTS) : 0;

	probe_read(&l.probe);
	if (!err)
		err = uprobes_open(&l.uprobes, &setup, take, &l);
	if (!err) {
		l.signal_fd = signals_open();
		err = l.signal_fd < 0 ? l.signal_fd : cmd_print(inv, spdk_schemas, print_hits, &l);
	}
	if (l.signal_fd >= 0)
		close(l.signal_fd);
	uprobes_close(l.uprobes);
	spdk_hold_free(&l.hold);
	return err;
}
