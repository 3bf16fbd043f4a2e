// SPDX-License-Identifier: GPL-2.0-or-later
/* What was in flight at a moment of a recording. */
#include <stdlib.h>

#include "bpf/shared/filter.h"
#include "cmd/inflight/snapshot.h"
#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/event/view.h"
#include "lib/record/record.h"

#define CTRLS_MAX 4096

/* Finds the controller of @v, or adds it. NULL: there is no room, which was told. */
static const struct snapshot_ctrl *find_ctrl(struct snapshot *s, const struct view *v, u64 at_ns)
{
	struct sysfs_ctrl *ctrl;

	for (u32 i = 0; i < s->n_ctrls; i++) {
		if (s->sysfs.ctrls[i].ctrl_id == v->queue->ctrl_id)
			return &s->ctrls[i];
	}
	if (s->n_ctrls == CTRLS_MAX) {
		fail(-E2BIG, NULL, NULL, "controllers of the recording");
		return NULL;
	}
	ctrl = &s->sysfs.ctrls[s->n_ctrls];
	*ctrl = (struct sysfs_ctrl){ .ctrl_id = v->queue->ctrl_id };
	snprintf(ctrl->name, sizeof(ctrl->name), "%s", v->ctrl);
	s->ctrls[s->n_ctrls] =
		(struct snapshot_ctrl){ .ctrl = ctrl, .now_ns = at_ns, .host = UINT64_MAX };
	return &s->ctrls[s->n_ctrls++];
}

/* A command is recorded when it completes, and says then when it was submitted, if that was seen. */
static bool was_in_flight(const struct event *ev, u64 at_ns)
{
	if (ev->ts_ns <= at_ns)
		return false;
	return ev->kind == EVENT_IO ? ev->submit_ns <= at_ns
				    : ev->kind == EVENT_COMPLETE && ev->flags & EVENT_NO_SUBMIT;
}

static int take(struct snapshot *s, const struct view *v, u64 at_ns)
{
	const struct snapshot_ctrl *ctrl = find_ctrl(s, v, at_ns);
	struct snapshot_cmd *c;
	struct event *ev;

	if (!ctrl)
		return EXIT_AS(EXIT_RUNTIME);
	if (!was_in_flight(v->ev, at_ns))
		return 0;
	ev = malloc(sizeof(*ev));
	c = ev ? snapshot_add(s) : NULL;
	if (!c) {
		free(ev);
		return fail(-ENOMEM, NULL, NULL, "commands");
	}
	*ev = *v->ev;
	ev->ts_ns = at_ns;
	*c = (struct snapshot_cmd){
		.ctrl = ctrl,
		.recorded = ev,
		.lacks = v->lacks,
		.now_ns = at_ns,
		.qid = ev->qid,
		.rq.tag = ev->tag,
		.age_ns = ev->kind == EVENT_IO ? at_ns - ev->submit_ns : UINT64_MAX,
		.age_source = AGE_TRACE,
		.expiries = UINT32_MAX,
	};
	snprintf(c->rq.disk, sizeof(c->rq.disk), "%s", v->queue->disk);
	return 0;
}

int snapshot_recorded(struct snapshot *s, struct replay *r, const struct filter *f, u64 at_ns)
{
	struct view v;
	int err;

	s->ctrls = calloc(CTRLS_MAX, sizeof(*s->ctrls));
	s->sysfs.ctrls = calloc(CTRLS_MAX, sizeof(*s->sysfs.ctrls));
	if (!s->ctrls || !s->sysfs.ctrls)
		return fail(-ENOMEM, NULL, NULL, "controllers");
	while ((err = replay_next(r, &v)) > 0) {
		if (v.queue->ctrl_id < 0 || !filter_ctrl(f, v.queue->ctrl_id))
			continue;
		err = take(s, &v, at_ns);
		if (err)
			break;
	}
	return err;
}
