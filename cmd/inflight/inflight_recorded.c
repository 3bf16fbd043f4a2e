// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds the commands that were in flight at a moment of a recording. */
#include <stdlib.h>

#include "bpf/shared/filter.h"
#include "cmd/inflight/snapshot.h"
#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/session/lookup.h"
#include "lib/session/session.h"

/*
 * A command is recorded when it completes, or when the run ends, and says then when it was submitted,
 * if that was seen.
 */
static bool was_in_flight(const struct event *ev, u64 at_ns)
{
	if (ev->kind == EVENT_INFLIGHT)
		return ev->submit_ns <= at_ns;
	if (ev->ts_ns <= at_ns)
		return false;
	return ev->kind == EVENT_IO ? ev->submit_ns <= at_ns
				    : ev->kind == EVENT_COMPLETE && ev->flags & EVENT_NO_SUBMIT;
}

int snapshot_add_recorded(struct snapshot *s, const struct view *v, u64 at_ns)
{
	struct snapshot_cmd *c;
	struct view_kept *kept;

	/* A snapshot is by controllers; it has no place for a command whose controller is not known. */
	if (v->queue->ctrl_id < 0 || !was_in_flight(v->ev, at_ns))
		return 0;
	kept = malloc(sizeof(*kept));
	c = kept ? snapshot_add(s) : NULL;
	if (!c) {
		free(kept);
		return fail(-ENOMEM, NULL, NULL, "commands");
	}
	view_keep(kept, v);
	*c = (struct snapshot_cmd){
		.recorded = kept,
		.now_ns = at_ns,
		.qid = v->ev->qid,
		.rq.tag = v->ev->tag,
		.age_ns = v->ev->kind == EVENT_COMPLETE ? UINT64_MAX : at_ns - v->ev->submit_ns,
		.age_source = AGE_TRACE,
		.expiries = UINT32_MAX,
	};
	snprintf(c->rq.disk, sizeof(c->rq.disk), "%s", v->queue->disk);
	return 0;
}

static const struct snapshot_ctrl *find_ctrl(const struct snapshot *s, s32 ctrl_id)
{
	for (u32 i = 0; i < s->n_ctrls; i++) {
		if (s->sysfs.ctrls[i].ctrl_id == ctrl_id)
			return &s->ctrls[i];
	}
	return NULL;
}

static void add_ctrl(struct snapshot *s, s32 ctrl_id, u64 at_ns)
{
	struct sysfs_ctrl *ctrl = &s->sysfs.ctrls[s->n_ctrls];

	*ctrl = (struct sysfs_ctrl){ .ctrl_id = ctrl_id };
	snprintf(ctrl->name, sizeof(ctrl->name), "nvme%d", ctrl_id);
	s->ctrls[s->n_ctrls++] =
		(struct snapshot_ctrl){ .ctrl = ctrl, .now_ns = at_ns, .host = UINT64_MAX };
}

int snapshot_end_recorded(struct snapshot *s, struct session *session, u64 at_ns)
{
	u32 n = session_queues(session);

	s->ctrls = calloc(n + 1, sizeof(*s->ctrls));
	s->sysfs.ctrls = calloc(n + 1, sizeof(*s->sysfs.ctrls));
	if (!s->ctrls || !s->sysfs.ctrls)
		return fail(-ENOMEM, NULL, NULL, "controllers");
	for (u32 i = 0; i < n; i++) {
		s32 ctrl_id = session_queue(session, i)->ctrl_id;

		if (ctrl_id >= 0 && filter_ctrl(session_filter(session), ctrl_id) &&
		    !find_ctrl(s, ctrl_id))
			add_ctrl(s, ctrl_id, at_ns);
	}
	for (u32 i = 0; i < s->n_cmds; i++)
		s->cmds[i].ctrl = find_ctrl(s, s->cmds[i].recorded->view.queue->ctrl_id);
	return 0;
}
