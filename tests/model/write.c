// SPDX-License-Identifier: GPL-2.0-or-later
/* Writes what was played as `record -Q --keys owner` would have seen it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/event/view.h"
#include "lib/nvme/reqflags.h"
#include "lib/record/record.h"
#include "tests/data/made.h"
#include "tests/model/model.h"

#define ALWAYS                                                                                     \
	(NEED_IO | NEED_COMPLETE | NEED_PID | NEED_COMM | NEED_CGROUP | NEED_STATUS |              \
	 NEED_RESULT | NEED_SQE | NEED_CMD_FLAGS | NEED_CPU | NEED_AER | NEED_TIMEOUT |            \
	 NEED_RESET | NEED_SCHED)

/* Controllers, in the form of lib/session/about.h. */
#define CTRL_A "0\037nvme0\037pcie\037MODEL A\037S1\0371.0"
#define CTRL_B "1\037nvme1\037pcie\037MODEL B\037S2\0371.0"

/* Queues have the numbers of the namespaces, then of the controllers. */
struct writing {
	const struct scene *s;
	struct record_writer *w;
	struct queue_info queue[SPACES + DRIVES];
	char ctrl[DRIVES][8], dev[SPACES][16];
	struct counters total;
	u32 cid;
};

static void name_queues(struct writing *g)
{
	const struct scene *s = g->s;

	for (u32 i = 0; i < s->spaces; i++) {
		struct queue_info *q = &g->queue[i];

		*q = (struct queue_info){ .index = i, .nsid = s->space[i].nsid, .lba_bytes = 512 };
		q->ctrl_id = (s32)s->space[i].drive;
		q->major = 259;
		q->minor = i;
		snprintf(g->dev[i], sizeof(g->dev[i]), "nvme%un%u", s->space[i].drive,
			 s->space[i].nsid);
		memcpy(q->disk, g->dev[i], sizeof(g->dev[i]));
	}
	for (u32 i = 0; i < s->drives; i++) {
		g->queue[SPACES + i] =
			(struct queue_info){ .index = SPACES + i, .ctrl_id = (s32)i, .admin = 1 };
		snprintf(g->ctrl[i], sizeof(g->ctrl[i]), "nvme%u", i);
	}
}

/* The number of a cgroup: of its path. */
static u64 cgroup_number(const char *path)
{
	u64 n = 0;

	for (; path && *path; path++)
		n = n * 31 + (u8)*path;
	return n % 65521 + 1;
}

static void fill_times(struct event *ev, const struct writing *g, const struct command *c)
{
	ev->ts_ns = START_NS + (u64)c->done_ns;
	ev->submit_ns = START_NS + (u64)c->submit_ns;
	ev->queued_ns =
		g->s->has_queued && c->opcode != OPCODE_FLUSH ? START_NS + (u64)c->queued_ns : 0;
}

static void fill_dwords(struct event *ev, const struct command *c)
{
	u64 sector = c->page * (PAGE_BYTES / 512);

	if (c->opcode == OPCODE_FLUSH)
		return;
	if (c->opcode == OPCODE_DSM) {
		ev->cdw[1] = 4; /* deallocate */
		event_set_range(ev, sector, c->bytes);
		ev->bytes = 16;
		return;
	}
	ev->bytes = c->bytes;
	ev->cdw[0] = (u32)sector;
	ev->cdw[1] = (u32)(sector >> 32);
	ev->cdw[2] = c->bytes / 512 - 1;
}

static void fill_identity(struct event *ev, const char *comm, u32 pid)
{
	memcpy(ev->comm, comm, strnlen(comm, sizeof(ev->comm) - 1));
	ev->pid = ev->tid = pid;
}

static int write_command(struct writing *g, const struct command *c)
{
	const struct sender *from = &g->s->sender[c->sender];
	const struct space *space = &g->s->space[from->space];
	bool sched = space->sched && c->submit_ns >= 1e9 * space->sched_from;
	struct event ev = { .kind = EVENT_IO, .kstack_id = -1, .ustack_id = -1 };
	struct view v = { .ev = &ev, .queue = &g->queue[from->space] };

	fill_identity(&ev, from->comm, from->pid + 3 * (c->number % (from->pids + 1)));
	fill_times(&ev, g, c);
	ev.opcode = c->opcode;
	fill_dwords(&ev, c);
	ev.nsid = space->nsid;
	ev.queue = from->space;
	ev.status = c->status;
	ev.submit_cpu = ev.complete_cpu = c->cpu;
	ev.qid = (u16)(c->cpu % g->s->queues + 1);
	ev.tag = g->cid % 1024;
	ev.cid = (u16)(ev.tag | (g->cid++ / 1024 % 16) << 12);
	ev.cmd_flags = v.flags = from->flags;
	ev.flags |= from->worker ? EVENT_WORKER : 0;
	ev.cgroup_id = cgroup_number(from->cgroup);
	v.cgroup = from->cgroup;
	if (g->s->has_owner) {
		v.owner = from->owner ? from->owner : from->cgroup;
		ev.owner_id = cgroup_number(v.owner);
	}
	ev.sched = sched;
	v.sched = sched ? space->sched : NULL;
	v.ctrl = g->ctrl[space->drive];
	v.dev = g->dev[from->space];
	v.wall_ns = ev.ts_ns + WALL_OFFSET_NS;
	return record_add(g->w, &v);
}

static int write_admin(struct writing *g, const struct admin *a)
{
	struct event ev = { .kind = EVENT_IO, .kstack_id = -1, .ustack_id = -1 };
	struct view v = { .ev = &ev, .queue = &g->queue[SPACES + a->drive] };

	fill_identity(&ev, a->comm, a->pid);
	ev.ts_ns = START_NS + (u64)(1e9 * (a->at + a->seconds));
	ev.submit_ns = START_NS + (u64)(1e9 * a->at);
	ev.opcode = a->opcode;
	ev.nsid = ~0U;
	ev.queue = SPACES + a->drive;
	ev.flags = EVENT_ADMIN | EVENT_PASSTHROUGH;
	ev.cgroup_id = cgroup_number("/");
	v.cgroup = "/";
	v.ctrl = v.dev = g->ctrl[a->drive];
	v.wall_ns = ev.ts_ns + WALL_OFFSET_NS;
	return record_add(g->w, &v);
}

/* By the time of its completion: a command, or an admin command. */
struct ended {
	double ns;
	const struct command *command;
	const struct admin *admin;
};

static int by_end(const void *a, const void *b)
{
	double x = ((const struct ended *)a)->ns, y = ((const struct ended *)b)->ns;

	return (x > y) - (x < y);
}

/* What is in flight at the end is only counted. */
static void count_in_flight(struct counters *total, double age_ns)
{
	total->inflight_at_exit++;
	if (age_ns > (double)total->oldest_ns)
		total->oldest_ns = (u64)age_ns;
}

/* What completed, in that order. The caller frees. */
static struct ended *completed(struct writing *g, const struct played *p)
{
	const struct scene *s = g->s;
	struct ended *list = malloc((p->n + s->admins + 1) * sizeof(struct ended));
	double end_ns = s->seconds * 1e9;
	u32 n = 0;

	if (!list)
		abort();
	for (u32 i = 0; i < s->admins; i++)
		list[n++] = (struct ended){ .ns = 1e9 * (s->admin[i].at + s->admin[i].seconds),
					    .admin = &s->admin[i] };
	for (u32 i = 0; i < p->n; i++) {
		const struct command *c = &p->command[i];

		if (c->done_ns && c->done_ns < end_ns)
			list[n++] = (struct ended){ .ns = c->done_ns, .command = c };
		else if (c->done_ns && c->submit_ns < end_ns)
			count_in_flight(&g->total, end_ns - c->submit_ns);
	}
	qsort(list, n, sizeof(struct ended), by_end);
	g->total.completed = n;
	g->total.submitted = n + g->total.inflight_at_exit;
	return list;
}

static int write_events(struct writing *g, const struct played *p)
{
	struct ended *list = completed(g, p);
	int err = 0;

	for (u32 i = 0; !err && i < g->total.completed; i++)
		err = list[i].admin ? write_admin(g, list[i].admin)
				    : write_command(g, list[i].command);
	free(list);
	return err;
}

int write_recording(const struct scene *s, const struct played *p, const char *file)
{
	struct writing g = { .s = s };
	const struct record_head head = {
		.version = "0.1.0",
		.host = "model",
		.kernel = "6.12.0",
		.arch = "x86_64",
		.start_ns = START_NS,
		.wall_offset_ns = WALL_OFFSET_NS,
		.needs = ALWAYS | (s->has_queued ? NEED_QUEUED : 0) |
			 (s->has_owner ? NEED_OWNER : 0),
		.filters = "",
		.ctrls = s->drives > 1 ? CTRL_A "\036" CTRL_B : CTRL_A,
	};
	int err = record_create(&g.w, file);

	if (err)
		return err;
	name_queues(&g);
	err = record_begin(g.w, &head);
	if (!err)
		err = write_events(&g, p);
	g.total.paired = g.total.emitted = g.total.completed;
	g.total.events = g.total.recursion_known = true;
	if (!err)
		err = record_finish(g.w, &g.total);
	if (record_close(g.w) && !err)
		err = -EIO;
	return err;
}
