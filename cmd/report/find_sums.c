// SPDX-License-Identifier: GPL-2.0-or-later
/* Counts what the findings need beside the sums of the page. */
#include "cmd/report/report.h"

#include <errno.h>

#include "lib/base/units.h"
#include "lib/nvme/reqflags.h"
#include "lib/nvme/spec.h"
#include "lib/session/lookup.h"

#define DEVICES 256
#define TASKS	512 /* of all devices */
#define PARTS	1024
#define PLACES	32 /* rows are large */
#define CTRLS	64

void find_groups_init(struct find_groups *g, struct session *s)
{
	const u64 like = 1ULL << KEY_DEV | 1ULL << KEY_OPCODE | 1ULL << KEY_SIZE;

	group_init(&g->device, s, 1ULL << KEY_DEV, NULL);
	group_init(&g->who, s, 1ULL << KEY_DEV | 1ULL << KEY_PID | 1ULL << KEY_COMM, NULL);
	group_init(&g->path, s, 1ULL << KEY_DEV | 1ULL << KEY_CTRL, NULL);
	group_init(&g->ctrl, s, 1ULL << KEY_CTRL, NULL);
	group_init(&g->place, s, like, NULL);
	group_init(&g->part, s, like | 1ULL << KEY_CTRL | 1ULL << KEY_QID | 1ULL << KEY_CPU, NULL);
}

int find_open(struct find_sums *f, const struct latency_cfg *cfg)
{
	size_t row = latency_sum_bytes(cfg), key = sizeof(struct group_key);

	f->devices = group_table_open(key, sizeof(struct find_device), DEVICES);
	f->who = group_table_open(key, sizeof(struct find_who), TASKS);
	f->paths = group_table_open(key, sizeof(struct find_path), DEVICES);
	f->ctrls = group_table_open(key, sizeof(struct find_ctrl), CTRLS);
	f->alone = group_table_open(LATENCY_KEY_BYTES, row, DEVICES);
	f->beside = group_table_open(LATENCY_KEY_BYTES, row, DEVICES);
	f->places = group_table_open(key, find_places_bytes(cfg), PLACES);
	f->parts = group_table_open(LATENCY_KEY_BYTES, row, PARTS);
	return f->devices && f->who && f->paths && f->ctrls && f->alone && f->beside && f->places &&
			       f->parts
		       ? 0
		       : -ENOMEM;
}

void find_close(struct find_sums *f)
{
	group_table_close(f->devices);
	group_table_close(f->who);
	group_table_close(f->paths);
	group_table_close(f->ctrls);
	group_table_close(f->alone);
	group_table_close(f->beside);
	group_table_close(f->places);
	group_table_close(f->parts);
}

static bool is_read_write(const struct event *ev)
{
	return ev->opcode == nvme_cmd_read || ev->opcode == nvme_cmd_write;
}

/* A pause: nothing ended since the last one did, though this one was in flight. */
static void add_pause(struct find_device *d, const struct event *ev)
{
	u64 from_ns = ev->submit_ns > d->last_ns ? ev->submit_ns : d->last_ns;
	u64 ns = ev->ts_ns > from_ns ? ev->ts_ns - from_ns : 0;

	d->last_ns = ev->ts_ns > d->last_ns ? ev->ts_ns : d->last_ns;
	if ((double)ns < finding_limit[LIMIT_STALL_MS] * NSEC_PER_MSEC)
		return;
	if (d->stalls < FIND_STALLS) {
		d->stall_ns[d->stalls] = ns;
		d->stall_from_ns[d->stalls] = from_ns;
	}
	d->stalls++;
}

static void add_sched(struct find_device *d, const struct event *ev)
{
	if (d->read_writes && ev->sched != d->sched) {
		d->sched_was = d->sched;
		d->sched_ns = ev->submit_ns;
		d->sched_changes++;
	}
	d->sched = ev->sched;
}

static void add_read_write(struct find_device *d, const struct view *v, u64 lat_ns)
{
	const struct event *ev = v->ev;

	if (!(v->lacks & NEED_SCHED))
		add_sched(d, ev);
	d->read_writes++;
	d->read_write_ns += lat_ns;
	add_pause(d, ev);
	series_add(&d->series, ev->submit_ns, ev->ts_ns, ev->bytes);
	if (ev->opcode != nvme_cmd_write)
		return;
	d->written += ev->bytes;
	if (ev->flags & EVENT_WORKER) {
		d->worker_writes++;
		d->worker_written += ev->bytes;
	}
}

/* The row of @t that a command is in, by the keys of @g alone. */
static void *row_of(struct group_table *t, const struct group *g, const struct view *v)
{
	struct group_key key;

	group_key_fill(&key, g, v);
	return group_table_row(t, &key);
}

static void add_device(struct report *r, struct report_side *side, const struct view *v, u64 lat_ns)
{
	const struct event *ev = v->ev;
	struct find_device *d = row_of(side->find.devices, &r->find_groups.device, v);

	if (!d->count++)
		d->series.start_ns = side->start_ns;
	d->lat_ns += lat_ns;
	d->retried += ev->retries && !event_failed(ev);
	d->flushes += ev->opcode == nvme_cmd_flush;
	d->fua += (v->flags >> REQ_FLAG_FUA & 1) != 0;
	if (ev->opcode == nvme_cmd_dsm) {
		d->discards++;
		d->discard_ns += lat_ns;
	}
	if (is_read_write(ev))
		add_read_write(d, v, lat_ns);
	if (!(v->lacks & NEED_QUEUED))
		waits_add(&d->waits, ev);
}

static void add_who(struct report *r, struct report_side *side, const struct view *v)
{
	const struct event *ev = v->ev;
	struct find_who *w;

	if (r->lacks & (NEED_PID | NEED_COMM))
		return;
	w = row_of(side->find.who, &r->find_groups.who, v);
	if (!w->count++)
		w->series.start_ns = side->start_ns;
	w->flushes += ev->opcode == nvme_cmd_flush || (v->flags >> REQ_FLAG_FUA & 1);
	series_add(&w->series, ev->submit_ns, ev->ts_ns, ev->bytes);
}

static void add_path(struct report *r, struct report_side *side, const struct view *v)
{
	struct find_path *p = row_of(side->find.paths, &r->find_groups.path, v);

	if (!p->count++)
		p->first_ns = v->ev->ts_ns;
	p->last_ns = v->ev->ts_ns;
}

static void count_recent(struct report *r, const struct find_recent *c, bool beside)
{
	struct latency_sum *row = beside ? c->beside : c->alone;

	row->count++;
	latency_sample(&row->sum, &r->cfg.hist, c->lat_ns, 0, false);
}

/* Waits with a read or write until no admin command that is over later can have been in flight. */
static void add_recent(struct report *r, struct report_side *side, struct find_ctrl *c,
		       const struct view *v, u64 lat_ns)
{
	struct find_recent now = { .ts_ns = v->ev->ts_ns, .lat_ns = lat_ns };
	struct {
		struct group_key key;
		u64 phase;
	} key = { .phase = LATENCY_PHASE_NONE };

	group_key_fill(&key.key, &r->view[REPORT_OPS].group, v);
	now.alone = group_table_row(side->find.alone, &key);
	now.beside = group_table_row(side->find.beside, &key);
	if (v->ev->submit_ns < c->admin_to_ns)
		return count_recent(r, &now, true);
	if (c->n == FIND_RECENT) {
		count_recent(r, &c->recent[c->first], false);
		c->first = (c->first + 1) % FIND_RECENT;
		c->n--;
	}
	c->recent[(c->first + c->n++) % FIND_RECENT] = now;
}

/* All of @c->recent that ended after @from_ns had an admin command beside them. */
static void settle_recent(struct report *r, struct find_ctrl *c, u64 from_ns)
{
	for (u32 i = 0; i < c->n; i++) {
		const struct find_recent *at = &c->recent[(c->first + i) % FIND_RECENT];

		count_recent(r, at, at->ts_ns > from_ns);
	}
	c->n = 0;
}

static void add_ctrl(struct report *r, struct report_side *side, const struct view *v, u64 lat_ns)
{
	const struct event *ev = v->ev;
	struct find_ctrl *c = row_of(side->find.ctrls, &r->find_groups.ctrl, v);

	if (!(ev->flags & EVENT_ADMIN)) {
		if (is_read_write(ev))
			add_recent(r, side, c, v, lat_ns);
		return;
	}
	settle_recent(r, c, ev->submit_ns);
	if (!c->admin++)
		c->series.start_ns = side->start_ns;
	series_add(&c->series, ev->submit_ns, ev->ts_ns, ev->bytes);
	c->opcode = ev->opcode;
	c->admin_to_ns = ev->ts_ns > c->admin_to_ns ? ev->ts_ns : c->admin_to_ns;
}

static void add_parts(struct report *r, struct report_side *side, const struct view *v, u64 lat_ns)
{
	latency_sum_add(side->find.parts, &r->find_groups.part, &r->cfg.hist, v, LATENCY_PHASE_NONE,
			lat_ns);
	if (!(r->lacks & NEED_SQE))
		find_places_add(r, side, v, lat_ns);
}

void find_add(struct report *r, struct report_side *side, const struct view *v)
{
	u64 lat_ns = latency_of(v->ev, false);

	add_ctrl(r, side, v, lat_ns);
	if (v->ev->flags & EVENT_ADMIN)
		return;
	add_device(r, side, v, lat_ns);
	add_who(r, side, v);
	add_path(r, side, v);
	if (is_read_write(v->ev) && !(v->flags >> REQ_FLAG_FUA & 1))
		add_parts(r, side, v, lat_ns);
}

void find_settle(struct report *r, struct report_side *side)
{
	u32 n = group_table_sort(side->find.ctrls, NULL, NULL);

	for (u32 i = 0; i < n; i++)
		settle_recent(r, (struct find_ctrl *)group_table_at(side->find.ctrls, i), ~0ULL);
}

const struct find_ctrl *find_ctrl_of(const struct report *r, const struct report_side *side,
				     u32 device)
{
	u32 n = group_table_sort(side->find.ctrls, NULL, NULL);
	s32 ctrl_id = session_queue(r->s, device)->ctrl_id;

	for (u32 i = 0; i < n; i++) {
		const struct find_ctrl *c = group_table_at(side->find.ctrls, i);

		if (!c->key.other && c->key.ctrl_id == ctrl_id &&
		    c->key.host == session_host(r->s, device))
			return c;
	}
	return NULL;
}

double find_percentile(const struct report *r, const struct latency_sum *row, u32 percent)
{
	struct hist h = latency_sum_hist(row, &r->cfg.hist);

	return (double)hist_percentile(&h, percent * HIST_PERCENT);
}
