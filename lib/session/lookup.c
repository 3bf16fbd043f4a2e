// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/session/lookup.h"

#include <stdlib.h>

#include "lib/base/str.h"
#include "lib/loader/loader.h"
#include "lib/nvme/blkstatus.h"
#include "lib/session/about.h"
#include "lib/session/flush.h"
#include "lib/session/impl.h"

const struct queue_info *session_queue(struct session *s, u32 index)
{
	const struct queue_info *info = NULL;

	if (s->replay && replay_queue(s->replay, index))
		info = &replay_queue(s->replay, index)->info;
	else if (s->loader && !(info = session_flush_queue(s, index)))
		info = loader_queue(s->loader, index);
	return info ? info : view_no_queue.info;
}

/* Reads sysfs again when drives may have come or gone. */
static void refresh_sysfs(struct session *s)
{
	u64 generation = loader_control(s->loader)->generation;

	if (generation == s->names.sysfs_generation)
		return;
	sysfs_free(&s->kernel.sysfs);
	sysfs_read(&s->kernel.sysfs, NULL);
	s->names.sysfs_generation = generation;
}

/* Reads the limits of the disk behind a queue: the name may belong to another disk by now. */
static void read_limits(struct session *s, const char *disk, struct sysfs_limits *limits)
{
	const struct sysfs_ns *ns;

	refresh_sysfs(s);
	ns = sysfs_ns(&s->kernel.sysfs, disk);
	if (ns)
		*limits = ns->limits;
}

const char *session_ctrls_now(struct session *s)
{
	char *ctrls;

	if (s->replay)
		return replay_head(s->replay, 0)->ctrls;
	refresh_sysfs(s);
	if (s->names.ctrls_generation == s->names.sysfs_generation)
		return s->subject.ctrls;
	ctrls = about_ctrls(&s->kernel.sysfs);
	if (!ctrls)
		return s->subject.ctrls;
	free(s->subject.ctrls);
	s->subject.ctrls = ctrls;
	s->names.ctrls_generation = s->names.sysfs_generation;
	return s->subject.ctrls;
}

/* They are computed once, because queue info never changes, but a new disk may not be in sysfs yet. */
const struct queue_names *session_names_at(struct session *s, u32 index)
{
	const struct queue_info *info = session_queue(s, index);
	struct queue_names *n;

	if (!s->names.queues)
		s->names.queues = calloc(WIRE_QUEUES, sizeof(*s->names.queues));
	if (!s->names.queues)
		return NULL;
	n = &s->names.queues[index < WIRE_QUEUES ? index : 0];
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
	n = session_names_at(s, index);
	return n ? n->names.dev : "";
}

const char *session_host_name(struct session *s, u32 index)
{
	const struct replay_queue *q = s->replay ? replay_queue(s->replay, index) : NULL;

	if (s->replay)
		return q ? q->host : NULL;
	if (!s->names.system.nodename[0] && uname(&s->names.system))
		return NULL;
	return s->names.system.nodename;
}

static bool same_host(struct session *s, u32 a, u32 b)
{
	const char *x = session_host_name(s, a), *y = session_host_name(s, b);

	return x == y || (x && y && streq(x, y));
}

u32 session_device(struct session *s, u32 index)
{
	u16 *first = s->names.device;
	u32 i;

	if (!first)
		first = s->names.device = calloc(WIRE_QUEUES, sizeof(*first));
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
	if (!s->names.host)
		s->names.host = calloc(WIRE_QUEUES, sizeof(*s->names.host));
	if (s->names.host && index < WIRE_QUEUES && s->names.host[index])
		return s->names.host[index];
	while (i < index && !same_host(s, i, index))
		i++;
	if (s->names.host && index < WIRE_QUEUES)
		s->names.host[index] = (u16)i;
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
			 : cgroup_path(&s->names.cgroups, cgroup_id);
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
	name = s->names.sched[number - 1];
	table = schedulers(s);
	if (table && !name[0])
		snprintf(name, sizeof(s->names.sched[0]), "%.16s", table[number - 1].name);
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
	return s->replay ? cmd_flags : reqflags_map(&s->kernel.btf.flags, cmd_flags);
}

const struct blkstatus *session_blkstatus(const struct session *s, const struct event *ev)
{
	enum blkstatus_form form = BLKSTATUS_ERRNO;

	if (!s->kernel.btf.block_errno)
		form = s->kernel.btf.block_6_10 ? BLKSTATUS_6_10 : BLKSTATUS_OLD;
	return ev->outcome == OUTCOME_BLOCK ? blkstatus_find(form, ev->block_error) : NULL;
}
