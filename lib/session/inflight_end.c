// SPDX-License-Identifier: GPL-2.0-or-later
/* Hands out the commands that are in flight when a live run ends, from their slots. */
#include <errno.h>
#include <stdlib.h>

#include "bpf/shared/slot.h"
#include "lib/base/array.h"
#include "lib/base/err.h"
#include "lib/nvme/reqflags.h"
#include "lib/session/impl.h"
#include "lib/session/kernel_maps.h"
#include "lib/session/lookup.h"
#include "lib/session/unpack.h"

struct left {
	struct session *s;
	struct event *ev;
	u32 n, room;
	bool no_memory;
};

bool session_takes_inflight(const struct filter *f, const struct event *ev)
{
	return !filter_asks_status(f) && ev->ts_ns - ev->submit_ns >= f->min_lat_ns;
}

static void take(void *ctx, const struct command_slot *slot, u32 queue, u32 tag)
{
	struct left *left = ctx;
	struct event *ev = array_add((void **)&left->ev, &left->n, &left->room, sizeof(*ev));

	left->no_memory |= !ev;
	if (!ev)
		return;
	trace_unpack_slot(ev, slot, session_queue(left->s, queue), tag, left->s->needs);
	if (reqflags_passthrough(ev->cmd_flags))
		ev->flags |= EVENT_PASSTHROUGH;
	/* While programs were detached, one may have seen it sent. */
	if (ev->submit_ns > left->s->clock.end_ns)
		left->s->clock.end_ns = ev->submit_ns;
}

static int by_submission(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	return (x->submit_ns > y->submit_ns) - (x->submit_ns < y->submit_ns);
}

void session_hand_inflight(struct session *s)
{
	struct left left = { .s = s };
	struct view v;

	if (!s->request.inflight_end || s->inv->common.internal.probe_only)
		return;
	session_inflight(s, take, &left);
	if (left.no_memory)
		session_fail(s, fail(-ENOMEM, NULL, NULL, "commands in flight"));
	if (left.n)
		qsort(left.ev, left.n, sizeof(*left.ev), by_submission);
	for (u32 i = 0; i < left.n && i < SESSION_INFLIGHT; i++) {
		left.ev[i].ts_ns = s->clock.end_ns;
		session_view(s, &v, &left.ev[i]);
		if (session_takes_inflight(&s->subject.filter, v.ev))
			session_put_event(s, &v);
	}
	free(left.ev);
}
