// SPDX-License-Identifier: GPL-2.0-or-later
/* Fills in views of live events: what the running kernel knows behind their numbers. */
#include "lib/session/flush.h"
#include "lib/session/impl.h"
#include "lib/session/kernel_maps.h"
#include "lib/session/lookup.h"

static u32 flags_of(void *session, u32 cmd_flags)
{
	return session_req_flags(session, cmd_flags);
}

static const char *cgroup_name(void *session, u64 id)
{
	return session_cgroup_path(session, id);
}

static const char *sched_name(void *session, u8 number)
{
	return session_sched_name(session, number);
}

static const char *file_path(void *session, const struct file_id *id)
{
	return session_file_path(session, id);
}

static void set_stacks(void *session, struct view *v)
{
	struct session *s = session;

	if (s->needs & NEED_KSTACK) {
		v->kstack_len = session_stack(s, v->ev->kstack_id, s->names.stacks.kernel);
		v->kstack = s->names.stacks.kernel;
	}
	if (s->needs & NEED_USTACK) {
		v->ustack_len = session_stack(s, v->ev->ustack_id, s->names.stacks.user);
		v->ustack = s->names.stacks.user;
	}
}

struct view_source session_view_source(struct session *s, u32 needs)
{
	return (struct view_source){
		.needs = needs,
		.wall_offset_ns = s->clock.wall_offset_ns,
		.arg = s,
		.flags = flags_of,
		.cgroup = cgroup_name,
		.sched = sched_name,
		.file_path = file_path,
		.stacks = set_stacks,
	};
}

/* The queue of an asynchronous event, which has none but a known controller. */
static struct view_queue aer_queue(struct session *s, const struct event *ev)
{
	struct queue_info *info = &s->names.aer_queue;
	struct names *names = &s->names.aer_names;

	*info = *view_no_queue.info;
	info->ctrl_id = (s32)ev->nsid;
	info->admin = 1;
	names_of(names, info);
	return (struct view_queue){ .info = info, .ctrl = names->ctrl, .dev = names->dev };
}

static struct view_queue queue_of(struct session *s, const struct event *ev)
{
	struct view_queue queue = view_no_queue;
	const struct queue_names *n;

	if (ev->kind == EVENT_HIT)
		return queue;
	if (event_is_of_ctrl(ev))
		return aer_queue(s, ev);
	queue.info = session_queue(s, ev->queue);
	if (ev->kind == EVENT_FLUSH) {
		session_flush_names(s, ev->queue, &queue);
		return queue;
	}
	n = session_names_at(s, ev->queue);
	if (n) {
		queue.ctrl = n->names.ctrl;
		queue.dev = n->names.dev;
		queue.path = n->names.path[0] ? n->names.path : NULL;
		queue.limits = &n->limits;
	}
	return queue;
}

void session_view(struct session *s, struct view *v, const struct event *ev)
{
	bool bare = ev->kind == EVENT_HIT || event_is_of_ctrl(ev); /* no command behind it */
	const struct view_queue queue = queue_of(s, ev);
	const struct view_source source = session_view_source(s, bare ? 0 : s->needs);

	view_make(v, ev, &queue, &source);
}
