// SPDX-License-Identifier: GPL-2.0-or-later
/* Counts what the findings need beside the log of commands and the sums of the page. */
#include "cmd/report/report.h"

#include <errno.h>

#include "lib/session/lookup.h"

#define DEVICES 256

void find_groups_init(struct find_groups *g, struct session *s)
{
	group_init(&g->device, s, 1ULL << KEY_DEV, NULL);
	group_init(&g->path, s, 1ULL << KEY_DEV | 1ULL << KEY_CTRL, NULL);
}

int find_open(struct find_sums *f)
{
	f->devices =
		group_table_open(sizeof(struct group_key), sizeof(struct find_device), DEVICES);
	f->paths = group_table_open(sizeof(struct group_key), sizeof(struct find_path), DEVICES);
	return f->devices && f->paths ? 0 : -ENOMEM;
}

void find_close(struct find_sums *f)
{
	group_table_close(f->devices);
	group_table_close(f->paths);
}

/* The row of @t that a command is in, by the keys of @g alone. */
static void *row_of(struct group_table *t, const struct group *g, const struct view *v)
{
	struct group_key key;

	group_key_fill(&key, g, v);
	return group_table_row(t, &key);
}

static void add_sched(struct find_device *d, const struct event *ev)
{
	if (ev->opcode != OPCODE_READ && ev->opcode != OPCODE_WRITE)
		return;
	if (d->sched_known && ev->sched != d->sched) {
		d->sched_was = d->sched;
		d->sched_ns = ev->submit_ns;
		d->sched_changes++;
	}
	d->sched = ev->sched;
	d->sched_known = true;
}

void find_add(struct report *r, struct report_side *side, const struct view *v)
{
	struct find_device *d;
	struct find_path *p;

	log_add(&side->log, r->s, v, r->lacks | v->lacks);
	if (v->ev->flags & EVENT_ADMIN)
		return;
	d = row_of(side->find.devices, &r->find_groups.device, v);
	d->count++;
	d->retried += v->ev->retries && !event_failed(v->ev);
	if (!(v->lacks & NEED_SCHED))
		add_sched(d, v->ev);
	p = row_of(side->find.paths, &r->find_groups.path, v);
	if (!p->count++)
		p->first_ns = v->ev->ts_ns;
	p->last_ns = v->ev->ts_ns;
}

const struct find_device *find_device_of(struct report *r, u32 side, u32 device)
{
	struct group_table *t = r->side[side].find.devices;
	u32 n = group_table_sort(t, NULL, NULL);

	for (u32 i = 0; i < n; i++) {
		const struct find_device *d = group_table_at(t, i);

		if (!d->key.other && d->key.device == device)
			return d;
	}
	return NULL;
}
