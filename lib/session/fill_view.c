// SPDX-License-Identifier: GPL-2.0-or-later
/* Names and paths behind the numbers of events, live and, if it has them, from a recording. */
#include <bpf/bpf.h>
#include <stdlib.h>
#include <time.h>

#include "lib/base/str.h"
#include "lib/loader/loader.h"
#include "lib/nvme/blkstatus.h"
#include "lib/session/about.h"
#include "lib/session/flush.h"
#include "lib/session/impl.h"

static const struct queue_info no_queue = { .ctrl_id = -1 };

const struct queue_info *session_queue(struct session *s, u32 index)
{
	const struct queue_info *info = NULL;

	if (s->replay && replay_queue(s->replay, index))
		info = &replay_queue(s->replay, index)->info;
	else if (s->loader && !(info = session_flush_queue(s, index)))
		info = loader_queue(s->loader, index);
	return info ? info : &no_queue;
}

/* Reads sysfs again when drives may have come or gone. */
static void refresh_sysfs(struct session *s)
{
	u64 generation = loader_control(s->loader)->generation;

	if (generation == s->sysfs_generation)
		return;
	sysfs_free(&s->sysfs);
	sysfs_read(&s->sysfs, NULL);
	s->sysfs_generation = generation;
}

/* Reads the limits of the disk behind a queue: the name may belong to another disk by now. */
static void read_limits(struct session *s, const char *disk, struct sysfs_limits *limits)
{
	const struct sysfs_ns *ns;

	refresh_sysfs(s);
	ns = sysfs_ns(&s->sysfs, disk);
	if (ns)
		*limits = ns->limits;
}

const char *session_ctrls_now(struct session *s)
{
	char *ctrls;

	if (s->replay)
		return replay_head(s->replay, 0)->ctrls;
	refresh_sysfs(s);
	if (s->ctrls_generation == s->sysfs_generation)
		return s->ctrls;
	ctrls = about_ctrls(&s->sysfs);
	if (!ctrls)
		return s->ctrls;
	free(s->ctrls);
	s->ctrls = ctrls;
	s->ctrls_generation = s->sysfs_generation;
	return s->ctrls;
}

/*
 * The names of a queue, live. They are computed once, because queue info never changes, but a new
 * disk may not be in sysfs yet.
 */
static const struct queue_names *names_at(struct session *s, u32 index)
{
	const struct queue_info *info = session_queue(s, index);
	struct queue_names *n;

	if (!s->names)
		s->names = calloc(WIRE_QUEUES, sizeof(*s->names));
	if (!s->names)
		return NULL;
	n = &s->names[index < WIRE_QUEUES ? index : 0];
	if (!n->known) {
		names_of(&n->names, info);
		n->known = info->index != 0;
	}
	if (n->known && info->disk[0] && !n->limits.physical_bytes)
		read_limits(s, info->disk, &n->limits);
	return n;
}

u32 session_queues(const struct session *s)
{
	u32 n = 0;

	while (s->replay && replay_queue(s->replay, n))
		n++;
	return n;
}

const char *session_dev_name(struct session *s, u32 index)
{
	const struct queue_names *n;

	if (s->replay)
		return replay_queue(s->replay, index) ? replay_queue(s->replay, index)->dev : "";
	n = names_at(s, index);
	return n ? n->names.dev : "";
}

const char *session_host_name(struct session *s, u32 index)
{
	const struct replay_queue *q = s->replay ? replay_queue(s->replay, index) : NULL;

	if (s->replay)
		return q ? q->host : NULL;
	if (!s->system.nodename[0] && uname(&s->system))
		return NULL;
	return s->system.nodename;
}

static bool same_host(struct session *s, u32 a, u32 b)
{
	const char *x = session_host_name(s, a), *y = session_host_name(s, b);

	return x == y || (x && y && streq(x, y));
}

u32 session_device(struct session *s, u32 index)
{
	u16 *first = s->device;
	u32 i;

	if (!first)
		first = s->device = calloc(WIRE_QUEUES, sizeof(*first));
	if (!first || index >= WIRE_QUEUES)
		return index;
	if (!first[index]) {
		for (i = 0; i < WIRE_QUEUES; i++) {
			if (first[i] == i + 1 && (s->request.one_host || same_host(s, i, index)) &&
			    streq(session_dev_name(s, i), session_dev_name(s, index)))
				break;
		}
		first[index] = (u16)(1 + (i < WIRE_QUEUES ? i : index));
	}
	return first[index] - 1U;
}

u32 session_host(struct session *s, u32 index)
{
	u32 i = 1; /* queue 0 stands for one that is not known */

	if (!s->replay || s->request.one_host || (!s->request.by_host && !replay_hosts(s->replay)))
		return 0;
	if (!s->host)
		s->host = calloc(WIRE_QUEUES, sizeof(*s->host));
	if (s->host && index < WIRE_QUEUES && s->host[index])
		return s->host[index];
	while (i < index && !same_host(s, i, index))
		i++;
	if (s->host && index < WIRE_QUEUES)
		s->host[index] = (u16)i;
	return i;
}

const char *session_ctrl_name(struct session *s, s32 ctrl_id, u32 index,
			      char buf[SESSION_CTRL_NAME])
{
	const char *host = session_host_name(s, index);

	if (s->replay && replay_hosts(s->replay) && !s->request.by_host && !s->request.one_host)
		snprintf(buf, SESSION_CTRL_NAME, "%s/nvme%d", host ? host : "?", ctrl_id);
	else
		snprintf(buf, SESSION_CTRL_NAME, "nvme%d", ctrl_id);
	return buf;
}

const char *session_cgroup_path(struct session *s, u64 cgroup_id)
{
	return s->replay ? replay_cgroup(s->replay, cgroup_id)
			 : cgroup_path(&s->cgroups, cgroup_id);
}

/* The programs' table, NULL: it cannot be had. */
static const struct scheduler *schedulers(struct session *s)
{
	size_t size = 0;
	const struct scheduler *table =
		s->loader ? loader_memory(s->loader, ".bss.scheds", &size) : NULL;

	return size < WIRE_SCHEDS * sizeof(*table) ? NULL : table;
}

const char *session_sched_name(struct session *s, u8 number)
{
	const struct scheduler *table;
	char *name;

	if (s->replay)
		return replay_sched(s->replay, number);
	if (number == SCHED_NONE || number > WIRE_SCHEDS)
		return NULL;
	name = s->sched[number - 1];
	table = schedulers(s);
	if (table && !name[0])
		snprintf(name, sizeof(s->sched[0]), "%.16s", table[number - 1].name);
	return name[0] ? name : NULL;
}

u8 session_sched(struct session *s, u8 number)
{
	const char *name = session_sched_name(s, number);

	for (u8 i = SCHED_NONE + 1; name && i < number; i++) {
		const char *other = session_sched_name(s, i);

		if (other && streq(other, name))
			return i;
	}
	return number;
}

u32 session_req_flags(struct session *s, u32 cmd_flags)
{
	return s->replay ? cmd_flags : reqflags_map(&s->btf.flags, cmd_flags);
}

const struct blkstatus *session_blkstatus(const struct session *s, const struct event *ev)
{
	enum blkstatus_form form = BLKSTATUS_ERRNO;

	if (!s->btf.block_errno)
		form = s->btf.block_6_10 ? BLKSTATUS_6_10 : BLKSTATUS_OLD;
	return ev->outcome == OUTCOME_BLOCK ? blkstatus_find(form, ev->block_error) : NULL;
}

u32 session_stack(struct session *s, s32 id, u64 frames[VIEW_FRAMES])
{
	bool spare = id >= WIRE_STACKS;
	u32 key = (u32)(spare ? id - WIRE_STACKS : id), n = 0;
	int map;

	if (id < 0)
		return 0;
	map = loader_map_fd(s->loader, spare ? "spare_stacks" : "stacks");
	memset(frames, 0, VIEW_FRAMES * sizeof(*frames));
	if (bpf_map_lookup_elem(map, &key, frames))
		return 0;
	while (n < VIEW_FRAMES && frames[n])
		n++;
	return n;
}

static void view_stacks(struct session *s, struct view *v)
{
	struct session_stacks *stacks = &s->stacks;

	if (s->needs & NEED_KSTACK) {
		v->kstack_len = session_stack(s, v->ev->kstack_id, stacks->kernel);
		v->kstack = stacks->kernel;
	}
	if (s->needs & NEED_USTACK) {
		v->ustack_len = session_stack(s, v->ev->ustack_id, stacks->user);
		v->ustack = stacks->user;
	}
}

/* Fills in the view of an asynchronous event, which has no queue but a known controller. */
static void view_aer(struct session *s, struct view *v)
{
	s->aer_queue = no_queue;
	s->aer_queue.ctrl_id = (s32)v->ev->nsid;
	s->aer_queue.admin = 1;
	names_of(&s->aer_names, &s->aer_queue);
	v->queue = &s->aer_queue;
	v->ctrl = s->aer_names.ctrl;
	v->dev = s->aer_names.dev;
}

/* Fills in the names of a queue, as recorded. */
static void view_recorded(struct session *s, struct view *v)
{
	const struct replay_queue *q = replay_queue(s->replay, v->ev->queue);

	v->queue = &q->info;
	v->ctrl = q->ctrl;
	v->dev = q->dev;
	v->path = q->path;
	v->host = q->host;
	v->limits = &q->limits;
	v->flags = v->ev->cmd_flags;
	if (v->ev->cgroup_id)
		v->cgroup = replay_cgroup(s->replay, v->ev->cgroup_id);
}

void session_view(struct session *s, struct view *v, const struct event *ev)
{
	const struct queue_names *n;

	*v = (struct view){ .ev = ev, .ctrl = "", .dev = "" };
	v->wall_ns = ev->ts_ns + s->wall_offset_ns;
	if (s->replay) {
		view_recorded(s, v);
		return;
	}
	if (ev->kind == EVENT_HIT) {
		v->queue = &no_queue;
		return;
	}
	if (event_is_of_ctrl(ev)) {
		view_aer(s, v);
		return;
	}
	v->queue = session_queue(s, ev->queue);
	n = ev->kind == EVENT_FLUSH ? NULL : names_at(s, ev->queue);
	if (ev->kind == EVENT_FLUSH)
		session_flush_view(s, v);
	if (n) {
		v->ctrl = n->names.ctrl;
		v->dev = n->names.dev;
		v->path = n->names.path[0] ? n->names.path : NULL;
		v->limits = &n->limits;
	}
	v->flags = session_req_flags(s, ev->cmd_flags);
	if (s->needs & (NEED_CGROUP | NEED_FLUSHES) && ev->cgroup_id)
		v->cgroup = session_cgroup_path(s, ev->cgroup_id);
	if (s->needs & NEED_OWNER && ev->owner_id)
		v->owner = session_cgroup_path(s, ev->owner_id);
	if (s->needs & NEED_SCHED)
		v->sched = session_sched_name(s, ev->sched);
	if (s->needs & (NEED_KSTACK | NEED_USTACK))
		view_stacks(s, v);
}
