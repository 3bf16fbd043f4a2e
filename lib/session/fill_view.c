// SPDX-License-Identifier: GPL-2.0-or-later
/* Fills in views: an event of the run, and what it refers to. */
#include "lib/session/flush.h"
#include "lib/session/impl.h"
#include "lib/session/kernel_maps.h"
#include "lib/session/lookup.h"

static void view_stacks(struct session *s, struct view *v)
{
	if (s->needs & NEED_KSTACK) {
		v->kstack_len = session_stack(s, v->ev->kstack_id, s->names.stacks.kernel);
		v->kstack = s->names.stacks.kernel;
	}
	if (s->needs & NEED_USTACK) {
		v->ustack_len = session_stack(s, v->ev->ustack_id, s->names.stacks.user);
		v->ustack = s->names.stacks.user;
	}
}

/* Fills in the view of an asynchronous event, which has no queue but a known controller. */
static void view_aer(struct session *s, struct view *v)
{
	s->names.aer_queue = session_no_queue;
	s->names.aer_queue.ctrl_id = (s32)v->ev->nsid;
	s->names.aer_queue.admin = 1;
	names_of(&s->names.aer_names, &s->names.aer_queue);
	v->queue = &s->names.aer_queue;
	v->ctrl = s->names.aer_names.ctrl;
	v->dev = s->names.aer_names.dev;
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
	v->wall_ns = ev->ts_ns + s->clock.wall_offset_ns;
	if (s->replay) {
		view_recorded(s, v);
		return;
	}
	if (ev->kind == EVENT_HIT) {
		v->queue = &session_no_queue;
		return;
	}
	if (event_is_of_ctrl(ev)) {
		view_aer(s, v);
		return;
	}
	v->queue = session_queue(s, ev->queue);
	n = ev->kind == EVENT_FLUSH ? NULL : session_names_at(s, ev->queue);
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
