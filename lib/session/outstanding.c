// SPDX-License-Identifier: GPL-2.0-or-later
/* Counts the commands that are outstanding in a replay, by controller. */
#include "lib/session/outstanding.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/base/array.h"
#include "lib/base/err.h"
#include "lib/event/view.h"

#define TAGS 4096 /* the bits of a command identifier without its generation */

/* A controller. Those of two hosts may have the same number. */
struct ctrl_count {
	const char *host;
	s32 ctrl_id;
	u32 n;
};

struct queue_tags {
	bool known;
	u32 ctrl; /* its place in outstanding.ctrls */
	u64 crowded[TAGS / 64]; /* a bit for each tag: the command found too many */
};

struct outstanding {
	struct ctrl_count *ctrls;
	struct queue_tags *queues; /* by event.queue */
	u32 max, n_ctrls, ctrl_room, n_queues, queue_room;
	u64 now_ns, late; /* late: submissions that came behind later events */
};

struct outstanding *outstanding_open(u32 max)
{
	struct outstanding *o = calloc(1, sizeof(*o));

	if (o)
		o->max = max;
	return o;
}

void outstanding_close(struct outstanding *o)
{
	if (!o)
		return;
	free(o->ctrls);
	free(o->queues);
	free(o);
}

/* The place of the controller in o->ctrls. False: there is no memory. */
static bool find_ctrl(struct outstanding *o, const struct view *v, u32 *place)
{
	struct ctrl_count *c = o->ctrls;
	s32 id = v->queue->ctrl_id;
	u32 i = 0;

	while (i < o->n_ctrls && (c[i].host != v->host || c[i].ctrl_id != id))
		i++;
	*place = i;
	if (i < o->n_ctrls)
		return true;
	if (!array_grow((void **)&o->ctrls, i, &o->ctrl_room, sizeof(*o->ctrls)))
		return false;
	o->ctrls[o->n_ctrls++] = (struct ctrl_count){ .host = v->host, .ctrl_id = id };
	return true;
}

/* The queue of a command; NULL: there is no memory. */
static struct queue_tags *find_queue(struct outstanding *o, const struct view *v)
{
	struct queue_tags *q;

	while (o->n_queues <= v->ev->queue) {
		if (!array_grow((void **)&o->queues, o->n_queues, &o->queue_room, sizeof(*q)))
			return NULL;
		o->queues[o->n_queues++] = (struct queue_tags){ 0 };
	}
	q = &o->queues[v->ev->queue];
	if (!q->known)
		q->known = find_ctrl(o, v, &q->ctrl);
	return q->known ? q : NULL;
}

int outstanding_takes(struct outstanding *o, const struct view *v)
{
	const struct event *ev = v->ev;
	bool ends = ev->kind == EVENT_IO;
	u32 tag = ev->tag % TAGS, *n;
	u64 bit = 1ULL << tag % 64, *word;
	struct queue_tags *q;

	if (ev->flags & EVENT_ADMIN)
		return ends;
	q = find_queue(o, v);
	if (!q)
		return -ENOMEM;
	word = &q->crowded[tag / 64];
	o->late += !ends && ev->ts_ns < o->now_ns;
	o->now_ns = ev->ts_ns;
	n = &o->ctrls[q->ctrl].n;
	if (ends) {
		*n -= *n > 0;
		return !(*word & bit);
	}
	*word = (*n)++ > o->max ? *word | bit : *word & ~bit;
	return 0;
}

void outstanding_tell(const struct outstanding *o, u64 inflight)
{
	if (inflight)
		note("commands in flight at the end of the recording: %llu; --max-inflight does not "
		     "count them",
		     (unsigned long long)inflight);
	if (o->late)
		note("commands that --max-inflight counted too late, because too many others "
		     "completed before them: %llu",
		     (unsigned long long)o->late);
}
