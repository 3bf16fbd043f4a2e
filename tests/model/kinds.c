// SPDX-License-Identifier: GPL-2.0-or-later
/* What may be wrong: each function draws a scene of one kind. */
#include "lib/nvme/reqflags.h"
#include "tests/model/scene.h"

static void tell(struct scene *s, const char *right, double from, double to)
{
	s->truth.kinds = right;
	s->truth.from = from;
	s->truth.to = to > s->seconds ? s->seconds : to;
}

static void tell_whole(struct scene *s, const char *right)
{
	tell(s, right, 0, LONG_RUN);
	s->truth.whole = true;
}

/* A moment that has a second or more on both sides. */
static double moment(struct scene *s)
{
	return s->seconds * between(s, 0.25, 0.7);
}

/*
 * The drive slows by itself: its channels do, or what it has to do for each command beside; for all
 * commands, or for reads alone.
 */
static struct fault *slows(struct scene *s, double from, double to, double factor)
{
	bool late = chance(s, 0.25);
	struct fault *f = add_fault(s, late ? FAULT_LATE : FAULT_SLOW, from, to);

	f->factor = factor;
	f->add = factor * s->drive[0].read_ns;
	f->opcode = chance(s, 0.2) ? OPCODE_READ : -1;
	return f;
}

static void slow_step(struct scene *s)
{
	double at = moment(s);

	add_apps(s, 1, 3);
	add_innocents(s, at);
	slows(s, at, LONG_RUN, scaled(s, 2, 25));
	tell(s, "slow", at, LONG_RUN);
}

static void slow_stretch(struct scene *s)
{
	double at = moment(s), to = at + between(s, 1, 0.28 * s->seconds);

	add_apps(s, 1, 3);
	add_innocents(s, chance(s, 0.5) ? at : to);
	slows(s, at, to, scaled(s, 2, 25));
	tell(s, "slow", at, to);
}

static void slow_ramp(struct scene *s)
{
	double at = s->seconds * between(s, 0.1, 0.5), factor = scaled(s, 4, 25);

	add_apps(s, 1, 3);
	add_innocents(s, moment(s));
	add_fault(s, FAULT_RAMP, at, s->seconds)->factor = factor;
	tell(s, "slow", at + 0.5 / (factor - 1) * (s->seconds - at), LONG_RUN);
}

static void slow_periodic(struct scene *s)
{
	double period = between(s, 2, 5), on = between(s, 0.5, 1.1), at = between(s, 0.3, 2);
	struct fault *f;
	double last;

	s->seconds = at + period * between(s, 3.1, 6);
	add_apps(s, 1, 3);
	add_innocents(s, moment(s));
	f = slows(s, at, LONG_RUN, scaled(s, 2.5, 25));
	f->on = on;
	f->period = period;
	last = at + period * floor((s->seconds - at) / period);
	tell(s, "slow", at, last + on);
}

static void slow_often(struct scene *s)
{
	u32 n = whole(s, 3, 6);
	double at = between(s, 0.3, 1.5), factor = scaled(s, 2.5, 25), to = 0;

	scene_lasts(s, 10, 25);
	add_apps(s, 1, 3);
	add_innocents(s, moment(s));
	for (u32 i = 0; i < n; i++) {
		double begin = at + (s->seconds - at - 1.5) / n * (i + between(s, 0, 0.4));

		to = begin + between(s, 0.4, 1);
		add_fault(s, FAULT_SLOW, begin, to)->factor = factor * between(s, 0.8, 1.2);
	}
	tell(s, "slow", s->fault[0].from, to);
}

/* A neighbour. */

static struct sender *neighbour(struct scene *s, u32 space)
{
	struct sender *hog;

	add_apps(s, 1, 2);
	hog = add_hog(s, ROLE_CULPRIT, space);
	hog->writes = chance(s, 0.4) ? 1 : 0;
	return hog;
}

static void stays(struct scene *s, struct sender *hog)
{
	hog->begin = moment(s);
	tell(s, "slow", hog->begin, LONG_RUN);
	add_innocents(s, hog->begin);
	if (chance(s, 0.2)) { /* it was there before, and harmless */
		struct sender *before = add_same(s, hog);

		before->end = hog->begin;
		before->begin = 0;
		before->bytes = 65536;
		open_loop(s, before, scaled(s, 3, 20));
	}
}

static void neighbour_stays(struct scene *s)
{
	struct sender *hog = neighbour(s, 0);

	stays(s, hog);
	if (chance(s, 0.15)) { /* two that begin together */
		double begin = hog->begin;

		hog = add_hog(s, ROLE_CULPRIT, 0);
		hog->begin = begin + between(s, 0, 0.1);
	}
}

static void brief(struct scene *s, struct sender *hog)
{
	hog->begin = moment(s);
	hog->end = hog->begin + between(s, 1, 3);
	tell(s, "slow", hog->begin, hog->end);
	add_innocents(s, hog->begin);
}

static void neighbour_brief(struct scene *s)
{
	scene_lasts(s, 8, 16);
	brief(s, neighbour(s, 0));
}

static void neighbour_repeated(struct scene *s)
{
	struct sender *hog = neighbour(s, 0);
	double last;

	hog->begin = between(s, 0.3, 2);
	hog->period = between(s, 2.5, 5);
	hog->on = between(s, 0.5, 1.2);
	s->seconds = hog->begin + hog->period * between(s, 3.1, 5);
	last = hog->begin + hog->period * floor((s->seconds - hog->begin) / hog->period);
	tell(s, "slow", hog->begin, last + hog->on);
	add_innocents(s, moment(s));
}

static void neighbour_grows(struct scene *s)
{
	struct sender *hog = neighbour(s, 0);
	double most = 1e9 * s->drive[0].bus / hog->bytes;

	hog->begin = s->seconds * between(s, 0.1, 0.4);
	open_loop(s, hog, most * 0.05);
	hog->rate_end = most * between(s, 1.2, 2);
	hog->depth = 32;
	tell(s, "slow", hog->begin + 0.5 * (s->seconds - hog->begin), LONG_RUN);
	add_innocents(s, moment(s));
}

static void neighbour_namespace(struct scene *s)
{
	struct sender *hog;

	if (s->spaces == 1)
		add_space(s, 0);
	hog = neighbour(s, 1);
	if (chance(s, 0.6))
		stays(s, hog);
	else
		brief(s, hog);
}

/* There is no quiet time to compare with, so who fills the drive must be plain: others have less in flight. */
static void fill(struct scene *s, const struct sender *hog)
{
	for (u32 i = 0; i < s->senders; i++) {
		struct sender *from = &s->sender[i];
		u32 most = from->rate ? hog->depth / 8 + 1 : 2;

		if (from->role != ROLE_CULPRIT && from->depth > most)
			from->depth = most;
	}
}

/* Some come for a while, some are there all the time. */
static void at_times(struct scene *s, struct sender *hog, const char *right, const char *all_along)
{
	double chosen = uniform(&s->dice);

	if (chosen < 0.25) {
		fill(s, hog);
		tell_whole(s, all_along);
		return;
	}
	if (chosen < 0.6)
		stays(s, hog);
	else
		brief(s, hog);
	s->truth.kinds = right;
}

static void discards(struct scene *s)
{
	struct sender *hog;

	add_apps(s, 1, 2);
	hog = add_sender(s, ROLE_CULPRIT);
	s->drive[0].trim_holds = true;
	settle_in(s, hog, s->spaces - 1);
	hog->trims = 1;
	hog->sequential = true;
	hog->bytes = size_between(s, 1048576, 8388608);
	hog->depth = size_between(s, 1, 8);
	at_times(s, hog, "slow discards", "overload discards");
}

static void flushes(struct scene *s)
{
	struct sender *hog;

	add_app(s, ROLE_LOAD);
	if (chance(s, 0.5))
		add_app(s, ROLE_LOAD);
	hog = add_sender(s, ROLE_CULPRIT);
	s->drive[0].flush_holds = true;
	settle_in(s, hog, s->spaces - 1);
	hog->writes = between(s, 0.3, 0.6);
	hog->flushes = 1 - hog->writes;
	hog->depth = whole(s, 2, 6);
	hog->sequential = true;
	at_times(s, hog, "slow flush-load", "overload flush-load");
}

static void md_resync(struct scene *s)
{
	struct sender *hog = neighbour(s, 0);

	hog->comm = "md0_resync";
	hog->pids = 0;
	hog->cgroup = "/";
	hog->writes = chance(s, 0.5) ? 0.5 : 0;
	hog->sequential = true;
	stays(s, hog);
}

static void writeback(struct scene *s)
{
	struct sender *hog;
	double chosen = uniform(&s->dice);

	add_apps(s, 1, 2);
	hog = add_hog(s, ROLE_CULPRIT, 0);
	hog->owner = hog->cgroup;
	hog->cgroup = "/";
	hog->comm = chance(s, 0.5) ? "kworker/u32:2" : "kworker/u17:0";
	hog->writes = 1;
	hog->worker = true;
	hog->flags = 1U << REQ_FLAG_BACKGROUND;
	s->has_owner = true;
	if (chosen < 0.5)
		brief(s, hog);
	else
		stays(s, hog);
	s->truth.kinds = "slow writeback";
}

static void swap(struct scene *s)
{
	struct sender *hog, *app;

	add_apps(s, 1, 2);
	hog = add_hog(s, ROLE_CULPRIT, 0);
	hog->comm = "kswapd0";
	hog->pids = 0;
	hog->cgroup = "/";
	hog->writes = 1;
	hog->bytes = size_between(s, 16384, 262144);
	hog->flags = 1U << REQ_FLAG_SWAP;
	hog->worker = false;
	app = add_app(s, ROLE_LOAD);
	app->writes = 0;
	app->flags = 1U << REQ_FLAG_SWAP;
	app->first = hog->first;
	app->pages = hog->pages;
	if (chance(s, 0.5))
		brief(s, hog);
	else
		stays(s, hog);
}

static void overload(struct scene *s)
{
	struct sender *hog;

	if (chance(s, 0.25) && s->spaces == 1)
		add_space(s, 0);
	hog = neighbour(s, s->spaces - 1);
	hog->rate = 0;
	hog->depth = size_between(s, 16, 64);
	fill(s, hog);
	scene_lasts(s, 5, 12);
	add_innocents(s, moment(s));
	tell_whole(s, "overload");
}

/* Single commands. */

static void tail(struct scene *s)
{
	struct fault *f;

	add_apps(s, 1, 3);
	add_innocents(s, moment(s));
	f = add_fault(s, FAULT_LONG, 0, LONG_RUN);
	f->opcode = OPCODE_READ;
	f->share = between(s, 0.01, 0.03);
	f->factor = scaled(s, 50, 300);
	f->sender = chance(s, 0.3) ? 0 : -1;
	tell_whole(s, "tail");
}

static void hangs(struct scene *s, double at, double ns)
{
	struct fault *f = add_fault(s, FAULT_HANG, at, LONG_RUN);

	f->sender = 0;
	f->add = ns;
	f->count = s->sender[0].rate ? whole(s, 1, 3) : 1;
}

/* One process and nothing else, a quiet drive, or others that go on. */
static void draw_hanging(struct scene *s)
{
	u32 where = whole(s, 0, 2);
	struct sender *from = add_app(s, ROLE_LOAD);

	if (where == 0) {
		from->rate = 0;
		from->depth = 1;
		from->think = scaled(s, 0.5e-3, 10e-3);
	} else if (where == 1) {
		open_loop(s, from, scaled(s, 4, 20));
	} else {
		add_apps(s, 1, 3);
	}
}

static void hung(struct scene *s)
{
	double seconds = between(s, 2, 9), at = between(s, 1, 6);

	draw_hanging(s);
	s->seconds = at + 1.15 * seconds + between(s, 1, 8);
	hangs(s, at, 1e9 * seconds);
	tell(s, "hung", at, at + seconds);
}

static void hung_end(struct scene *s)
{
	double at;

	draw_hanging(s);
	at = s->seconds - between(s, 2, 5);
	hangs(s, at, 90e9);
	s->truth.any_device = true;
	tell(s, "hung", at, LONG_RUN);
}

static void errors(struct scene *s)
{
	add_apps(s, 1, 3);
	add_fault(s, FAULT_ERROR, 0, LONG_RUN)->share = between(s, 0.003, 0.02);
	tell_whole(s, "errors lost");
}

static void admin_stop(struct scene *s)
{
	static const u8 opcodes[] = { 0x02, 0x06, 0x09, 0x10, 0x14 };
	u8 opcode = opcodes[whole(s, 0, 4)];
	double at = moment(s), from = LONG_RUN, to = 0;
	u32 n = chance(s, 0.25) ? 1 : whole(s, 2, 7);

	add_apps(s, 1, 3);
	add_innocents(s, at);
	at = n > 1 ? between(s, 0.5, 2) : at;
	for (u32 i = 0; i < n; i++) {
		double begin = at + (s->seconds - at - 1.2) / n * (i + between(s, 0, 0.3));
		double seconds = between(s, 0.1, 0.8);

		add_admin(s, begin, seconds, opcode, true);
		from = begin < from ? begin : from;
		to = begin + seconds;
	}
	tell(s, "slow tail", from, to);
	s->truth.event_needed = true;
}

/* Before the drive. */

static void wait_scheduler(struct scene *s)
{
	static const char *const scheds[] = { "bfq", "mq-deadline", "kyber" };
	double wait = scaled(s, 1e-3, 20e-3), sigma = between(s, 0.2, 0.6);

	add_apps(s, 1, 3);
	for (u32 i = 0; i < s->senders; i++) {
		s->sender[i].wait = wait;
		s->sender[i].wait_sigma = sigma;
	}
	s->has_queued = true;
	for (u32 i = 0; i < s->spaces; i++)
		s->space[i].sched = scheds[whole(s, 0, 2)];
	tell_whole(s, "queue-wait");
	s->truth.events = "scheduler";
	if (chance(s, 0.4)) {
		double at = moment(s);

		for (u32 i = 0; i < s->spaces; i++)
			s->space[i].sched_from = at;
		tell(s, "queue-wait slow", at, LONG_RUN);
		s->truth.whole = false;
	}
}

static void wait_one(struct scene *s)
{
	add_apps(s, 2, 3);
	s->has_queued = true;
	s->sender[0].wait = scaled(s, 4e-3, 40e-3);
	s->sender[0].wait_sigma = between(s, 0.05, 0.5);
	tell_whole(s, "queue-wait");
}

static void wait_tags(struct scene *s)
{
	struct sender *filler;

	scene_lasts(s, 5, 10);
	add_apps(s, 1, 2);
	filler = add_sender(s, ROLE_CULPRIT);
	settle_in(s, filler, 0);
	filler->bytes = size_between(s, 65536, 262144);
	filler->depth = 128;
	filler->writes = chance(s, 0.3);
	s->drive[0].channels = 32;
	s->drive[0].bus = scaled(s, 0.3, 0.6);
	s->space[0].tags = whole(s, 4, 16);
	s->has_queued = true;
	tell_whole(s, "queue-wait overload");
	s->truth.may_be_silent = true;
}

/* Places. */

static void hot_region(struct scene *s)
{
	struct sender *app = add_app(s, ROLE_LOAD);
	u64 pages = (u64)((double)app->pages * between(s, 0.02, 0.12));
	u64 first = app->first + (u64)((double)(app->pages - pages) * uniform(&s->dice));
	struct fault *f = add_fault(s, FAULT_PLACE, 0, LONG_RUN);

	open_loop(s, app, scaled(s, 400, 1500));
	app->writes = chance(s, 0.5) ? between(s, 0.02, 0.3) : 0;
	if (chance(s, 0.4)) /* across a power of two */
		for (u64 power = 1; power < app->first + app->pages; power *= 2)
			if (power > app->first + pages)
				first = power - (u64)((double)pages * between(s, 0.2, 0.8));
	f->first = first;
	f->pages = pages;
	f->opcode = OPCODE_READ;
	f->factor = scaled(s, 3, 10);
	if (chance(s, 0.5))
		add_app(s, ROLE_LOAD);
	tell_whole(s, "uneven");
}

static void slow_place(struct scene *s, bool queue)
{
	struct fault *f;

	s->cpus = queue && chance(s, 0.5) ? 8 : 4;
	s->queues = queue ? 4 : s->cpus;
	add_apps(s, 1, 3);
	f = add_fault(s, FAULT_CPU, 0, LONG_RUN);
	f->queue = queue;
	f->cpu = whole(s, 0, s->cpus - 1);
	f->add = scaled(s, 150e3, 1500e3);
	for (u32 i = 0; i < s->senders; i++) {
		s->sender[i].cpu = 0;
		s->sender[i].cpus = s->cpus;
	}
	tell_whole(s, "uneven");
}

static void slow_queue(struct scene *s)
{
	slow_place(s, true);
}

static void slow_cpu(struct scene *s)
{
	slow_place(s, false);
}

/* Healthy loads: nothing is wrong, and nobody waits for anybody. */

static void add_phases(struct scene *s, struct sender *from, u32 n)
{
	u32 i = (u32)(from - s->sender);
	double at = 0;

	for (u32 k = 1; k < n; k++) {
		struct sender *next = add_same(s, &s->sender[i]);

		at = s->seconds / n * (k + between(s, -0.3, 0.3));
		s->sender[i].end = at;
		next->begin = at;
		i = (u32)(next - s->sender);
	}
}

static void roomy(struct scene *s)
{
	s->drive[0].channels = whole(s, 12, 32);
	s->drive[0].bus = scaled(s, 1.5, 4);
	s->drive[0].striped = false;
}

/* Large ones: as many as before, or fewer; so few that the bus has room. */
static void send_large(struct scene *s, struct sender *from, double share)
{
	double most = share * 1e9 * s->drive[0].bus, rate = from->rate;

	from->bytes = size_between(s, 131072, 1048576);
	from->more = 0;
	from->sequential = true;
	if (!rate)
		return;
	rate *= chance(s, 0.5) ? 1 : between(s, 0.05, 0.5);
	open_loop(s, from, rate < most / from->bytes ? rate : most / from->bytes);
}

static void sizes_change(struct scene *s)
{
	struct sender *from = add_app(s, ROLE_LOAD);
	u32 n = chance(s, 0.5) ? 2 : whole(s, 2, 4), later = s->senders;

	roomy(s);
	from->more = 0;
	if (chance(s, 0.5))
		from->writes = 0;
	add_phases(s, from, n);
	if (chance(s, 0.3)) /* first the large ones */
		send_large(s, from, 0.3);
	for (u32 i = 1; i < n; i += 2)
		if (s->sender[0].bytes < 131072)
			send_large(s, &s->sender[later + i - 1], 0.3);
	if (chance(s, 0.5))
		add_app(s, ROLE_LOAD);
}

static void depth_changes(struct scene *s)
{
	struct sender *from = add_app(s, ROLE_LOAD);
	u32 n = whole(s, 2, 5), first;

	roomy(s);
	from->rate = 0;
	from->depth = 1;
	from->think = scaled(s, 1e-3, 4e-3);
	first = s->senders;
	add_phases(s, from, n);
	for (u32 i = 1; i < n; i += 2)
		s->sender[first + i - 1].depth = whole(s, 3, 8);
}

/* Ever more of the commands are large ones of another process, or of the same. */
static void mix_shifts(struct scene *s)
{
	struct sender *small, *large;
	double most;

	roomy(s);
	small = add_app(s, ROLE_LOAD);
	small->writes = 0;
	open_loop(s, small, scaled(s, 300, 1200));
	small->rate_end = small->rate * between(s, 0.05, 0.5);
	large = chance(s, 0.3) ? add_same(s, small) : add_app(s, ROLE_LOAD);
	large->writes = 0;
	send_large(s, large, 0.1);
	most = 0.3e9 * s->drive[0].bus / large->bytes;
	open_loop(s, large, small->rate * between(s, 0.02, 0.1));
	large->rate_end = small->rate * between(s, 0.3, 1.5);
	large->rate_end = large->rate_end < most ? large->rate_end : most;
}

static void read_then_write(struct scene *s)
{
	struct sender *from = add_app(s, ROLE_LOAD);
	u32 n = whole(s, 2, 5), first = s->senders;

	roomy(s);
	from->writes = 0;
	add_phases(s, from, n);
	for (u32 i = 1; i < n; i += 2)
		s->sender[first + i - 1].writes = between(s, 0.8, 1);
	if (chance(s, 0.4))
		add_app(s, ROLE_LOAD);
}

static void bursts(struct scene *s)
{
	struct sender *from;

	roomy(s);
	add_apps(s, 1, 2);
	from = add_app(s, ROLE_INNOCENT);
	from->begin = between(s, 0, 2);
	from->period = between(s, 1, 5);
	from->on = from->period * between(s, 0.1, 0.5);
	open_loop(s, from, scaled(s, 500, 3000));
}

static void cache_warms(struct scene *s)
{
	struct sender *from;
	struct fault *f;

	roomy(s);
	from = add_app(s, ROLE_LOAD);
	from->writes = 0;
	open_loop(s, from, scaled(s, 400, 1500));
	from->rate_end = from->rate * between(s, 0.2, 0.9);
	f = add_fault(s, FAULT_WARM, 0, LONG_RUN);
	f->share = between(s, 0.2, 0.5);
	f->factor = between(s, 1.2, 1.8);
	f->add = s->seconds * between(s, 0.05, 0.25);
	if (chance(s, 0.4))
		add_app(s, ROLE_LOAD);
}

static void backup_harmless(struct scene *s)
{
	struct sender *from;

	roomy(s);
	add_apps(s, 1, 3);
	from = add_sender(s, ROLE_INNOCENT);
	settle_in(s, from, chance(s, 0.3) ? s->spaces - 1 : 0);
	from->begin = s->seconds * between(s, 0.1, 0.7);
	from->bytes = size_between(s, 65536, 524288);
	from->sequential = true;
	from->writes = chance(s, 0.3) ? 1 : 0;
	if (chance(s, 0.5)) {
		open_loop(s, from, scaled(s, 0.02, 0.15) * 1e9 * s->drive[0].bus / from->bytes);
	} else {
		from->depth = whole(s, 1, 3);
		from->think = scaled(s, 0.2e-3, 3e-3);
	}
	if (chance(s, 0.3))
		from->end = from->begin + between(s, 1, 5);
}

static void unlike_namespaces(struct scene *s)
{
	struct sender *from;
	u32 n;

	roomy(s);
	if (s->spaces == 1)
		add_space(s, 0);
	if (chance(s, 0.4))
		add_space(s, 0);
	n = s->spaces;
	for (u32 i = 0; i < n; i++) {
		from = add_app(s, ROLE_LOAD);
		settle_in(s, from, i);
		if (i % 2) {
			from->bytes = size_between(s, 65536, 524288);
			from->more = 0;
			open_loop(s, from, scaled(s, 40, 300));
		}
	}
}

/* A queue each, and some send many at once. */
static void deep_batches(struct scene *s)
{
	u32 n = whole(s, 3, 4);
	struct sender *first = NULL;

	if (chance(s, 0.5))
		roomy(s);
	for (u32 i = 0; i < n; i++) {
		struct sender *from;

		if (first && chance(s, 0.5)) {
			from = add_same(s, first);
		} else {
			from = add_app(s, ROLE_LOAD);
			first = &s->sender[s->senders - 1];
		}
		from->cpu = i;
		from->cpus = 1;
		open_loop(s, from, scaled(s, 150, 700));
		from->batch = i % 2 ? 1 : size_between(s, 4, 32);
	}
}

static void admin_harmless(struct scene *s)
{
	static const u8 opcodes[] = { 0x02, 0x06, 0x0a };
	double at = 0, gap = scaled(s, 4e-3, 0.15), longest = scaled(s, 40e-6, 3e-3);
	u8 opcode = opcodes[whole(s, 0, 2)];

	add_apps(s, 1, 2);
	s->drive[0].sigma = between(s, 0.6, 1.1);
	while ((at -= gap * log(uniform(&s->dice))) < s->seconds - 0.1) {
		double seconds = between(s, 0.3, 1) * longest;

		add_admin(s, at, seconds, opcode, false);
		at += seconds;
	}
}

static void idle_stretches(struct scene *s)
{
	u32 n = whole(s, 1, 2);

	roomy(s);
	for (u32 i = 0; i < n; i++) {
		struct sender *from = add_app(s, ROLE_LOAD);

		from->begin = between(s, 0, 1);
		from->period = between(s, 2, 8);
		from->on = from->period * between(s, 0.15, 0.6);
	}
}

static void wide_spread(struct scene *s)
{
	struct sender *from = add_app(s, ROLE_LOAD);

	s->drive[0].sigma = between(s, 0.2, 0.9);
	open_loop(s, from, scaled(s, 150, 2500));
}

static void rate_changes(struct scene *s)
{
	struct sender *from;
	u32 n = whole(s, 2, 6), first;

	roomy(s);
	from = add_app(s, ROLE_LOAD);
	open_loop(s, from, scaled(s, 200, 800));
	first = s->senders;
	add_phases(s, from, n);
	for (u32 i = 1; i < n; i++) {
		struct sender *phase = &s->sender[first + i - 1];

		phase->rate = phase->rate_end = scaled(s, 60, 2500);
	}
	if (chance(s, 0.4))
		add_app(s, ROLE_LOAD);
}

static void think_changes(struct scene *s)
{
	struct sender *from;
	u32 n = whole(s, 2, 6), first;

	roomy(s);
	from = add_app(s, ROLE_LOAD);
	from->rate = 0;
	from->depth = whole(s, 1, 4);
	first = s->senders;
	add_phases(s, from, n);
	for (u32 i = 0; i < n; i++)
		s->sender[i ? first + i - 1 : 0].think = scaled(s, 0.2e-3, 8e-3) * from->depth;
}

/* A drive that is busy, and in balance. */
static void busy_by_chance(struct scene *s)
{
	struct drive *d = &s->drive[0];
	struct sender *from = add_app(s, ROLE_LOAD);

	d->channels = whole(s, 3, 8);
	d->striped = false;
	d->read_ns = scaled(s, 0.4e6, 2e6);
	from->writes = 0;
	from->more = 0;
	from->bytes = size_between(s, 4096, 16384);
	open_loop(s, from,
		  between(s, 0.3, 0.6) * d->channels * 1e9 /
			  (d->read_ns * exp(d->sigma * d->sigma / 2) + from->bytes / d->channel));
	from->even = false;
}

/* One process that wants all that the drive has, all the time: its own wish. */
static void saturated(struct scene *s)
{
	struct sender *from = add_hog(s, ROLE_LOAD, 0);

	scene_lasts(s, 5, 12);
	from->rate = 0;
	from->writes = chance(s, 0.3) ? 1 : 0;
	from->depth = size_between(s, 16, 64);
}

/* Bursts of writeback, each some seconds; what it waits for in the block layer nobody waits for. */
static void writeback_harmless(struct scene *s)
{
	struct sender *from;

	roomy(s);
	s->drive[0].program = 0.5;
	add_apps(s, 1, 2);
	from = add_sender(s, ROLE_INNOCENT);
	settle_in(s, from, 0);
	from->comm = "kworker/u32:1";
	from->owner = from->cgroup;
	from->cgroup = "/";
	from->pids = 0;
	from->worker = true;
	from->flags = 1U << REQ_FLAG_BACKGROUND;
	from->writes = 1;
	from->bytes = size_between(s, 32768, 262144);
	from->begin = between(s, 0, 3);
	from->period = chance(s, 0.7) ? between(s, 2, 5) : 0;
	from->on = between(s, 0.2, 1);
	open_loop(s, from, scaled(s, 50, 300));
	s->has_owner = chance(s, 0.7);
	s->has_queued = true;
	if (chance(s, 0.4)) {
		from->wait = scaled(s, 1e-3, 20e-3);
		from->wait_sigma = 0.4;
	}
}

static void other_drive(struct scene *s)
{
	u32 space = add_other_drive(s);
	struct sender *hog;

	add_apps(s, 1, 2);
	hog = add_hog(s, ROLE_INNOCENT, space);
	hog->begin = moment(s);
	hog->end = chance(s, 0.5) ? LONG_RUN : hog->begin + between(s, 1, 4);
	hog->writes = chance(s, 0.4) ? 1 : 0;
}

const struct kind kinds[] = {
	{ "slow-step", slow_step, 4, true, 0 },
	{ "slow-stretch", slow_stretch, 3, true, 0 },
	{ "slow-ramp", slow_ramp, 2, true, 0 },
	{ "slow-periodic", slow_periodic, 2, true, 0 },
	{ "slow-often", slow_often, 1, true, 0 },
	{ "neighbour-stays", neighbour_stays, 2, true, 0 },
	{ "neighbour-brief", neighbour_brief, 2, true, 0 },
	{ "neighbour-repeated", neighbour_repeated, 1, true, 0 },
	{ "neighbour-grows", neighbour_grows, 1, true, 0 },
	{ "neighbour-namespace", neighbour_namespace, 2, true, 0 },
	{ "discards", discards, 1, true, 0 },
	{ "flushes", flushes, 1, true, 0 },
	{ "md-resync", md_resync, 1, true, 0 },
	{ "writeback", writeback, 1, true, 0 },
	{ "swap", swap, 1, true, 0 },
	{ "overload", overload, 2, true, 0 },
	{ "tail", tail, 2, true, 0 },
	{ "hung", hung, 2, true, 0 },
	{ "hung-end", hung_end, 1, true, 0 },
	{ "errors", errors, 1, true, 0 },
	{ "admin-stop", admin_stop, 1, true, 0 },
	{ "wait-scheduler", wait_scheduler, 1, true, 0 },
	{ "wait-one", wait_one, 1, true, 0 },
	{ "wait-tags", wait_tags, 1, true, 0 },
	{ "hot-region", hot_region, 2, true, 0 },
	{ "slow-queue", slow_queue, 1, true, 0 },
	{ "slow-cpu", slow_cpu, 1, true, 0 },
	{ "h-sizes", sizes_change, 3, false, 1.25 },
	{ "h-depth", depth_changes, 3, false, 1.25 },
	{ "h-mix", mix_shifts, 3, false, 1.25 },
	{ "h-phases", read_then_write, 3, false, 1.25 },
	{ "h-bursts", bursts, 2, false, 1.3 },
	{ "h-warm", cache_warms, 2, false, 1.6 },
	{ "h-backup", backup_harmless, 5, false, 1.25 },
	{ "h-namespaces", unlike_namespaces, 3, false, 1.25 },
	{ "h-batches", deep_batches, 2, false, 1.3 },
	{ "h-admin", admin_harmless, 3, false, 1.25 },
	{ "h-idle", idle_stretches, 2, false, 1.25 },
	{ "h-spread", wide_spread, 4, false, 1.25 },
	{ "h-rate", rate_changes, 3, false, 1.25 },
	{ "h-think", think_changes, 2, false, 1.25 },
	{ "h-busy", busy_by_chance, 2, false, 1.3 },
	{ "h-other-drive", other_drive, 2, false, 1.25 },
	{ "h-saturated", saturated, 2, false, 1.25 },
	{ "h-writeback", writeback_harmless, 2, false, 1.25 },
	{ 0 },
};
