// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/event/view.h"

#include "lib/base/sat.h"

static const struct queue_info no_info = { .ctrl_id = -1 };
const struct view_queue view_no_queue = { .info = &no_info };

static void fill_names(struct view *v, const struct view_source *source)
{
	const struct event *ev = v->ev;
	const struct file_id file = event_file(ev);

	if (ev->cgroup_id && source->cgroup && source->needs & (NEED_CGROUP | NEED_FLUSHES))
		v->cgroup = source->cgroup(source->arg, ev->cgroup_id);
	if (ev->owner_id && source->cgroup && source->needs & NEED_OWNER)
		v->owner = source->cgroup(source->arg, ev->owner_id);
	if (source->sched && source->needs & NEED_SCHED)
		v->sched = source->sched(source->arg, ev->sched);
	if (ev->ino_dev && source->file_path && source->needs & NEED_FILE)
		v->file_path = source->file_path(source->arg, &file);
	if (source->stacks && source->needs & (NEED_KSTACK | NEED_USTACK))
		source->stacks(source->arg, v);
}

void view_make(struct view *v, const struct event *ev, const struct view_queue *queue,
	       const struct view_source *source)
{
	bool above = ev->kind == EVENT_FLUSH;

	*v = (struct view){
		.ev = ev,
		.file = source->file,
		.queue = queue->info,
		.ctrl = queue->ctrl ? queue->ctrl : "",
		.dev = queue->dev ? queue->dev : "",
		.path = above ? NULL : queue->path,
		.members = above ? queue->path : NULL,
		.host = queue->host,
		.limits = queue->limits,
		.flags = source->flags ? source->flags(source->arg, ev->cmd_flags) : ev->cmd_flags,
		.lacks = source->lacks,
		.wall_ns = (u64)sat_sum((s64)ev->ts_ns, source->wall_offset_ns),
	};
	fill_names(v, source);
}

void view_keep(struct view_kept *kept, const struct view *v)
{
	kept->ev = *v->ev;
	kept->view = *v;
}

const struct view *view_kept(struct view_kept *kept)
{
	kept->view.ev = &kept->ev;
	return &kept->view;
}
