// SPDX-License-Identifier: GPL-2.0-or-later
/* What scenes are made of: drives, and who sends what. */
#include <stdlib.h>

#include "lib/base/str.h"
#include "tests/model/scene.h"

/* Any of them may be victim, culprit or innocent: a name tells nothing. */
static const struct {
	const char *comm, *cgroup;
} names[] = {
	{ "postgres", "/system.slice/postgresql.service" },
	{ "mysqld", "/system.slice/mysql.service" },
	{ "tar", "/user.slice/user-1000.slice/session-3.scope" },
	{ "rsync", "/system.slice/backup.service" },
	{ "nginx", "/system.slice/nginx.service" },
	{ "redis-server", "/system.slice/redis.service" },
	{ "java", "/system.slice/kafka.service" },
	{ "mongod", "/system.slice/mongod.service" },
	{ "qemu-system-x86", "/machine.slice/machine-qemu.scope" },
	{ "fio", "/user.slice/user-0.slice/session-1.scope" },
	{ "dd", "/user.slice/user-1000.slice/session-4.scope" },
	{ "git", "/user.slice/user-1001.slice/session-7.scope" },
	{ "cc1", "/user.slice/user-1001.slice/session-7.scope" },
	{ "python3", "/system.slice/webapp.service" },
	{ "node", "/system.slice/frontend.service" },
	{ "clickhouse-serv", "/system.slice/clickhouse-server.service" },
	{ "etcd", "/system.slice/etcd.service" },
	{ "restic", "/system.slice/restic.service" },
	{ "updatedb", "/system.slice/plocate-updatedb.service" },
	{ "ceph-osd", "/system.slice/ceph-osd.slice/ceph-osd@3.service" },
	{ "journalctl", "/user.slice/user-1000.slice/session-3.scope" },
	{ "minio", "/system.slice/minio.service" },
	{ "prometheus", "/system.slice/prometheus.service" },
	{ "containerd", "/system.slice/containerd.service" },
};

double between(struct scene *s, double from, double to)
{
	return from + (to - from) * uniform(&s->dice);
}

double scaled(struct scene *s, double from, double to)
{
	return exp(between(s, log(from), log(to)));
}

u32 whole(struct scene *s, u32 from, u32 to)
{
	return from + (u32)(uniform(&s->dice) * (to - from + 1));
}

bool chance(struct scene *s, double share)
{
	return uniform(&s->dice) < share;
}

u32 size_between(struct scene *s, u32 from, u32 to)
{
	u32 steps = 0;

	while (from << steps < to)
		steps++;
	return from << whole(s, 0, steps);
}

static void add_drive(struct scene *s)
{
	struct drive *d = &s->drive[s->drives++];

	*d = (struct drive){
		.channels = whole(s, 4, 16),
		.bus = scaled(s, 0.4, 3),
		.read_ns = between(s, 60e3, 110e3),
		.sigma = between(s, 0.15, 0.45),
		.channel = scaled(s, 0.15, 0.4),
		.stripe = size_between(s, 16384, 131072),
		.striped = chance(s, 0.3),
		.write_ns = between(s, 12e3, 30e3),
		.program = scaled(s, 0.08, 0.25),
		.cache_ns = scaled(s, 0.5e6, 4e6),
		.flush_ns = scaled(s, 0.2e6, 2e6),
		.flush_sigma = between(s, 0.1, 0.4),
		.trim_ns = scaled(s, 0.05e6, 0.3e6),
	};
}

u32 add_space(struct scene *s, u32 drive)
{
	u32 nsid = 1;

	for (u32 i = 0; i < s->spaces; i++)
		nsid += s->space[i].drive == drive;
	s->space[s->spaces] =
		(struct space){ .drive = drive, .nsid = nsid, .pages = (u64)scaled(s, 2e6, 2e8) };
	return s->spaces++;
}

u32 add_other_drive(struct scene *s)
{
	add_drive(s);
	return add_space(s, s->drives - 1);
}

void scene_begin(struct scene *s, const struct kind *kind, u64 seed)
{
	*s = (struct scene){ .kind = kind, .seed = seed, .dice = seed ^ 0x5851f42d4c957f2dULL };
	uniform(&s->dice);
	s->seconds = scaled(s, 6, 22);
	s->cpus = 1U << whole(s, 2, 4);
	s->queues = chance(s, 0.7) ? s->cpus : s->cpus / 2;
	s->has_queued = chance(s, 0.7);
	s->has_owner = chance(s, 0.5);
	add_drive(s);
	add_space(s, 0);
	if (chance(s, 0.15))
		add_space(s, 0);
}

void scene_lasts(struct scene *s, double least, double most)
{
	s->seconds = scaled(s, least, most);
}

struct sender *add_same(struct scene *s, const struct sender *like)
{
	if (s->senders == SENDERS)
		abort();
	s->sender[s->senders] = *like;
	return &s->sender[s->senders++];
}

struct sender *add_sender(struct scene *s, enum role role)
{
	struct sender from = { .role = role, .end = LONG_RUN, .depth = 1, .bytes = PAGE_BYTES };
	u32 i = whole(s, 0, ARRAY_SIZE(names) - 1);

	while (s->names & 1ULL << i)
		i = (i + 1) % ARRAY_SIZE(names);
	s->names |= 1ULL << i;
	from.comm = names[i].comm;
	from.cgroup = names[i].cgroup;
	from.pid = whole(s, 400, 60000);
	from.pids = chance(s, 0.3) ? whole(s, 1, 6) : 0;
	from.pages = s->space[0].pages;
	from.cpus = s->cpus;
	return add_same(s, &from);
}

void settle_in(struct scene *s, struct sender *from, u32 space)
{
	u64 pages = s->space[space].pages;

	from->space = space;
	from->pages = (u64)((double)pages * between(s, 0.05, 0.9));
	from->first = (u64)((double)(pages - from->pages) * uniform(&s->dice));
}

void open_loop(struct scene *s, struct sender *from, double rate)
{
	from->rate = from->rate_end = rate;
	from->even = chance(s, 0.2);
	from->depth = 64;
}

/* Small reads and writes: a database, a server. */
struct sender *add_app(struct scene *s, enum role role)
{
	struct sender *from = add_sender(s, role);

	settle_in(s, from, 0);
	from->bytes = size_between(s, 4096, 16384);
	if (chance(s, 0.4)) {
		from->more_bytes = size_between(s, 8192, 65536);
		from->more = between(s, 0.05, 0.4);
	}
	from->writes = chance(s, 0.6) ? between(s, 0.02, 0.4) : 0;
	if (chance(s, 0.6)) {
		open_loop(s, from, scaled(s, 120, 1200));
	} else {
		from->depth = whole(s, 1, 4);
		from->think = from->depth / scaled(s, 150, 1500);
	}
	from->flags = 0;
	return from;
}

/* The journal of a file system: now and then some blocks and a flush. */
static void add_journal(struct scene *s)
{
	struct sender *from = add_sender(s, ROLE_LOAD);

	from->comm = "jbd2/nvme0n1-8";
	from->cgroup = "/";
	from->pids = 0;
	settle_in(s, from, 0);
	from->pages /= 50;
	from->sequential = true;
	from->bytes = size_between(s, 4096, 32768);
	from->writes = 0.8;
	from->flushes = 0.2;
	open_loop(s, from, scaled(s, 3, 15));
}

/* The log pages that smartd and the like read, which disturb nobody. */
static void add_polls(struct scene *s)
{
	double every = scaled(s, 0.5, 5), at = every * uniform(&s->dice);

	while (at < s->seconds - 0.1) {
		add_admin(s, at, scaled(s, 0.3e-3, 5e-3), 0x02, false);
		at += every * between(s, 0.95, 1.05);
	}
}

void add_apps(struct scene *s, u32 least, u32 most)
{
	u32 n = whole(s, least, most);

	for (u32 i = 0; i < n; i++)
		add_app(s, ROLE_LOAD);
	if (chance(s, 0.3))
		add_journal(s);
	if (chance(s, 0.15))
		add_polls(s);
}

void shorten_loads(struct scene *s)
{
	for (u32 i = 0; i < s->senders; i++) {
		struct sender *from = &s->sender[i];

		if (from->role != ROLE_LOAD || from->begin > 0 || from->end < s->seconds)
			continue;
		if (chance(s, 0.4))
			from->begin = s->seconds * between(s, 0.02, 0.35);
		if (chance(s, 0.4))
			from->end = s->seconds * between(s, 0.65, 0.98);
	}
}

struct sender *add_hog(struct scene *s, enum role role, u32 space)
{
	struct sender *from = add_sender(s, role);
	struct drive *d = &s->drive[s->space[space].drive];

	d->bus = scaled(s, 0.25, 0.8);
	d->channels = whole(s, 4, 8);
	settle_in(s, from, space);
	from->bytes = size_between(s, 131072, 1048576);
	from->sequential = chance(s, 0.7);
	from->depth = size_between(s, 8, 32);
	from->cpus = chance(s, 0.5) ? 1 : s->cpus;
	from->cpu = whole(s, 0, s->cpus - 1);
	if (chance(s, 0.3)) {
		open_loop(s, from, between(s, 0.8, 1.3) * 1e9 * d->bus / from->bytes);
		from->depth = 32;
	}
	return from;
}

/* Somebody who does not matter: small commands, or some large ones. */
static void add_innocent(struct scene *s, double near)
{
	struct sender *from = add_app(s, ROLE_INNOCENT);
	double away = between(s, 0.3, 5) * (chance(s, 0.5) ? 1 : -1), at = near + away;

	if (chance(s, 0.4)) {
		from->bytes = size_between(s, 32768, 262144);
		from->more = 0;
		open_loop(s, from, scaled(s, 15, 120));
	}
	if (chance(s, 0.15))
		settle_in(s, from, s->spaces - 1);
	at = at < 0.2 ? 0.2 : at;
	if (chance(s, 0.75))
		from->begin = at;
	else
		from->end = at;
	if (from->begin > 0 && chance(s, 0.35))
		from->end = from->begin + between(s, 1, 6);
}

void add_innocents(struct scene *s, double near)
{
	u32 n = chance(s, 0.25) ? 0 : whole(s, 1, 3);

	for (u32 i = 0; i < n; i++)
		add_innocent(s, near);
}

struct fault *add_fault(struct scene *s, enum fault_kind kind, double from, double to)
{
	struct fault *f = &s->fault[s->faults++];

	*f = (struct fault){
		.kind = kind, .from = from, .to = to, .factor = 1, .opcode = -1, .sender = -1
	};
	return f;
}

void add_admin(struct scene *s, double at, double seconds, u8 opcode, bool stops)
{
	static const char *const comms[] = { "nvme", "smartctl", "smartd" };

	if (s->admins == ADMINS)
		return;
	s->admin[s->admins++] = (struct admin){ .at = at,
						.seconds = seconds,
						.comm = comms[opcode % ARRAY_SIZE(comms)],
						.pid = 700 + opcode,
						.opcode = opcode,
						.stops = stops };
}

/* Makes all of a scene last @times as long. Commands take no longer, and are as many a second. */
static void stretch(struct scene *s, double times)
{
	double lasts = s->truth.to - s->truth.from;

	if (!streq(s->kind->name, "hung")) /* a command hangs for as long as before */
		lasts *= times;
	s->seconds *= times;
	s->truth.from *= times;
	s->truth.to = s->truth.from + lasts;
	for (u32 i = 0; i < s->senders; i++) {
		s->sender[i].begin *= times;
		s->sender[i].end *= times;
		s->sender[i].on *= times;
		s->sender[i].period *= times;
	}
	for (u32 i = 0; i < s->faults; i++) {
		s->fault[i].from *= times;
		s->fault[i].to *= times;
		s->fault[i].on *= times;
		s->fault[i].period *= times;
	}
	for (u32 i = 0; i < s->admins; i++)
		s->admin[i].at *= times;
	for (u32 i = 0; i < s->spaces; i++)
		s->space[i].sched_from *= times;
}

/* Many processes of one name, each for a moment: a compiler's, a shell's. */
static void add_crowd(struct scene *s)
{
	struct sender *from = add_app(s, ROLE_INNOCENT);

	from->pids = whole(s, 20, 200);
	open_loop(s, from, scaled(s, 30, 300));
	from->begin = chance(s, 0.5) ? s->seconds * between(s, 0.05, 0.6) : 0;
	if (chance(s, 0.5))
		from->end = from->begin + s->seconds * between(s, 0.1, 0.4);
}

/* Somebody who comes again and again. */
static void add_cron(struct scene *s)
{
	struct sender *from = add_app(s, ROLE_INNOCENT);

	open_loop(s, from, scaled(s, 50, 400));
	from->bytes = size_between(s, 4096, 65536);
	from->period = s->seconds * between(s, 0.08, 0.3);
	from->on = from->period * between(s, 0.1, 0.6);
	from->begin = from->period * uniform(&s->dice);
}

/* Whether one process of a healthy load fills the drive. Nobody is added then, since he would wait behind it. */
static bool is_taken(const struct scene *s)
{
	bool taken = s->kind->steady >= 1.3;

	for (u32 i = 0; i < s->senders; i++)
		taken |= s->sender[i].depth >= 16 && s->sender[i].rate <= 0;
	return !s->kind->sick && taken;
}

/* Whether somebody more comes, if there is room. */
static bool comes(struct scene *s)
{
	return s->senders < SENDERS - 6 && chance(s, 0.4);
}

void vary(struct scene *s)
{
	double chosen = uniform(&s->dice);

	if (chosen < 0.35)
		stretch(s, scaled(s, 1.5, 6));
	else if (chosen < 0.7)
		stretch(s, scaled(s, 0.35, 0.8));
	if (is_taken(s))
		return;
	if (comes(s))
		add_crowd(s);
	if (comes(s))
		add_cron(s);
	if (comes(s))
		add_innocents(s, s->seconds * uniform(&s->dice));
}
