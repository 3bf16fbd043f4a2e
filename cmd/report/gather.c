// SPDX-License-Identifier: GPL-2.0-or-later
/* Counts the commands of the recordings. */
#include "cmd/report/report.h"

#include <errno.h>

#include "lib/base/str.h"
#include "lib/base/units.h"
#include "lib/session/lookup.h"
#include "lib/session/recording.h"

#define STREAMS	   16 /* as the default of pattern */
#define STACK_ROWS (1U << 14)
#define DIFF_ROWS  24 /* keys; each takes up to half a megabyte */

bool report_knows(const struct report *r, enum report_table table)
{
	return !(r->lacks & group_needs(&r->view[table].group) & ~(u32)NEED_NSID);
}

static int open_side(struct report *r, struct report_side *side)
{
	bool ok = true;

	side->r = r;
	side->o = r->o;
	side->number = (u32)(side - r->side);
	side->map = heat_map_open(&r->cfg.hist);
	side->maps =
		group_table_open(sizeof(struct group_key), sizeof(struct report_map), REPORT_MAPS);
	side->pattern =
		group_table_open(sizeof(struct group_key), sizeof(struct pattern_entry), 256);
	side->stacks =
		group_table_open(STACKS_KEY_BYTES, stacks_sum_bytes(&r->stacks_cfg), STACK_ROWS);
	for (u32 i = 0; i < REPORT_TABLES; i++) {
		side->table[i] = group_table_open(LATENCY_KEY_BYTES, latency_sum_bytes(&r->cfg),
						  report_keys[i].limit / r->sides);
		ok = ok && side->table[i];
	}
	if (log_open(&side->log))
		return -ENOMEM;
	return ok && side->map && side->maps && side->pattern && side->stacks ? 0 : -ENOMEM;
}

int report_open(struct report *r)
{
	const struct stacks_style style = { .depth = VIEW_FRAMES };
	int err = stacks_texts_open(&r->stacks.texts, NULL, &style);

	r->step_ns = NSEC_PER_MSEC;
	for (u32 i = 0; !err && i < r->sides; i++)
		err = open_side(r, &r->side[i]);
	return err || r->sides < 2 ? err : diff_open(&r->diff, DIFF_ROWS);
}

static void close_side(struct report_side *side)
{
	u32 maps = side->maps ? group_table_sort(side->maps, NULL, NULL) : 0;

	heat_map_close(side->map);
	for (u32 i = 0; i < maps; i++)
		heat_map_close(((const struct report_map *)group_table_at(side->maps, i))->map);
	group_table_close(side->maps);
	for (u32 i = 0; i < REPORT_TABLES; i++)
		group_table_close(side->table[i]);
	pattern_devices_free(&side->devices);
	group_table_close(side->pattern);
	group_table_close(side->stacks);
	log_close(&side->log);
}

void report_close(struct report *r)
{
	for (u32 i = 0; i < r->sides; i++)
		close_side(&r->side[i]);
	stacks_texts_close(r->stacks.texts);
	diff_close(&r->diff);
}

int report_restart(struct report *r)
{
	report_close(r);
	memset(r->side, 0, sizeof(r->side));
	r->restarted = true;
	return report_open(r);
}

static void begin(struct report *r, struct report_side *side, u32 file)
{
	u64 end_ns;

	if (side->begun)
		return;
	side->begun = true;
	session_period(r->s, file, &side->start_ns, &end_ns);
	if (r->restarted)
		side->start_ns = session_interval_start(r->s);
	side->series.start_ns = side->start_ns;
	heat_map_begin(side->map, side->start_ns);
}

static void merge(struct series_point *to, struct series_point *from)
{
	to->count += from->count;
	to->bytes += from->bytes;
	to->busy_ns += from->busy_ns;
	for (u32 i = 0; i < ERRORS_TYPES; i++)
		to->troubles[i] += from->troubles[i];
	*from = (struct series_point){ 0 };
}

/* Makes each two columns one. */
static void halve(struct report *r)
{
	for (u32 side = 0; side < r->sides; side++) {
		struct series *s = &r->side[side].series;

		for (u32 i = 1; i < s->n; i++)
			merge(&s->at[i / 2], &s->at[i]);
		s->n = (s->n + 1) / 2;
	}
	r->step_ns *= 2;
}

static u32 column_of(struct report_side *side, u64 ts_ns)
{
	u64 start_ns = side->series.start_ns, past_ns = ts_ns > start_ns ? ts_ns - start_ns : 0;

	while (past_ns / side->r->step_ns >= HEAT_COLUMNS)
		halve(side->r);
	return (u32)(past_ns / side->r->step_ns);
}

/* The column of a series that @ts_ns is in; valid until the next call. */
static struct series_point *series_at(struct report_side *side, u64 ts_ns)
{
	u32 column = column_of(side, ts_ns);

	if (side->series.n <= column)
		side->series.n = column + 1;
	return &side->series.at[column];
}

/* Adds a command that was in flight from @from_ns to @to_ns. */
static void series_add(struct report_side *side, u64 from_ns, u64 to_ns, u64 bytes)
{
	struct series *s = &side->series;
	struct series_point *to = series_at(side, to_ns);
	u64 edge_ns;

	to->count++;
	to->bytes += bytes;
	if (from_ns < s->start_ns)
		from_ns = s->start_ns;
	for (u32 i = column_of(side, from_ns); from_ns < to_ns; i++) {
		edge_ns = s->start_ns + (i + 1) * side->r->step_ns;
		edge_ns = edge_ns < to_ns ? edge_ns : to_ns;
		s->at[i].busy_ns += edge_ns - from_ns;
		from_ns = edge_ns;
	}
}

/* Adds a command to the map of its device and opcode, which the first of them have. */
static int add_map(struct report *r, struct report_side *side, const struct view *v)
{
	struct group_key key;
	struct report_map *at;

	if (v->ev->flags & EVENT_ADMIN)
		return 0;
	group_key_fill(&key, &r->view[REPORT_OPS].group, v);
	at = group_table_row(side->maps, &key);
	side->maps_full |= at->key.other;
	if (at->key.other)
		return 0;
	if (!at->map) {
		at->map = heat_map_open(&r->cfg.hist);
		if (!at->map)
			return -ENOMEM;
		heat_map_begin(at->map, side->start_ns);
	}
	at->count++;
	heat_map_add(at->map, v->ev->ts_ns, latency_of(v->ev, false));
	return 0;
}

/* Keeps a command among the slowest; of equal ones the earlier. */
static void keep_slowest(struct report_side *side, const struct view *v)
{
	u32 at = side->n_slowest;

	while (at && event_lat_ns(&side->slowest[at - 1].ev) < event_lat_ns(v->ev))
		at--;
	if (at == REPORT_SLOWEST)
		return;
	if (side->n_slowest < REPORT_SLOWEST)
		side->n_slowest++;
	memmove(&side->slowest[at + 1], &side->slowest[at],
		(side->n_slowest - 1 - at) * sizeof(side->slowest[0]));
	view_keep(&side->slowest[at], v);
}

static s32 stack_of(struct report *r, const struct view *v, bool user)
{
	s32 id = user ? v->ev->ustack_id : v->ev->kstack_id;
	const struct stacks_ref ref = { id < 0 ? STACKS_NONE : id, user ? v->ev->pid : 0, user };
	const struct stacks_frames frames = stacks_frames_of(v, user);

	return stacks_texts_take(r->stacks.texts, &ref, &frames);
}

static void add_stack(struct report *r, struct report_side *side, const struct view *v)
{
	struct stacks_sum key = { .worker = (v->ev->flags & EVENT_WORKER) != 0 };

	if (!r->stacks_cfg.flags)
		return;
	if (r->stacks_cfg.flags & STACKS_KERNEL)
		key.kstack = stack_of(r, v, false);
	if (r->stacks_cfg.flags & STACKS_USER)
		key.ustack = stack_of(r, v, true);
	stacks_sum_add(group_table_row(side->stacks, &key), &r->stacks_cfg, event_lat_ns(v->ev),
		       v->ev->bytes, event_failed(v->ev));
}

static int add_pattern(struct report *r, struct report_side *side, const struct view *v)
{
	struct pattern_device *device =
		pattern_device_at(&side->devices, session_device(r->s, v->ev->queue));
	struct pattern_relation to;
	struct pattern_entry *entry;
	struct group_key key;
	struct pattern_io io;

	pattern_io_fill(&io, v);
	if (!device || pattern_relate(device, &io, STREAMS, 1, &to))
		return -ENOMEM;
	group_key_fill(&key, &r->pattern_group, v);
	entry = group_table_row(side->pattern, &key);
	pattern_sum_add(&entry->sum, &io, &to);
	return 0;
}

static void add_trouble(struct report_side *side, const struct view *v)
{
	enum errors_type type = errors_type_of(v, false);

	if (type == ERRORS_NONE)
		return;
	side->troubles[type]++;
	series_at(side, v->ev->ts_ns)->troubles[type]++;
	if (side->n_trouble < REPORT_TROUBLES)
		view_keep(&side->trouble[side->n_trouble++], v);
}

static void add_sums(struct report_side *side, const struct view *v)
{
	const struct event *ev = v->ev;
	u64 lat_ns = latency_of(ev, false);

	side->commands++;
	side->bytes += ev->bytes;
	side->errors += event_failed(ev);
	if (lat_ns > side->max_ns)
		side->max_ns = lat_ns;
	heat_map_add(side->map, ev->ts_ns, lat_ns);
	series_add(side, ev->submit_ns, ev->ts_ns, ev->bytes);
	keep_slowest(side, v);
}

static int add_command(struct report *r, struct report_side *side, const struct view *v)
{
	int other = 0, err;

	add_sums(side, v);
	for (u32 i = 0; i < REPORT_TABLES; i++)
		if (report_knows(r, i) && (i != REPORT_STATUS || event_failed(v->ev)))
			other |= latency_sum_add(side->table[i], &r->view[i].group, &r->cfg.hist, v,
						 LATENCY_PHASE_NONE, latency_of(v->ev, false))
					 ->key.other;
	log_add(&side->log, r->s, v, r->lacks | v->lacks);
	err = add_map(r, side, v);
	if (!err && r->sides > 1 && !(v->ev->flags & EVENT_ADMIN)) {
		err = diff_add(&r->diff, v);
		other |= err > 0;
	}
	add_stack(r, side, v);
	if (other)
		session_lost(r->s, STAT_KEYS_FULL, 1);
	session_account(r->s, 1, event_failed(v->ev));
	return err < 0 ? err : 0;
}

static void note_time(struct report_side *side, const struct event *ev)
{
	u64 begin_ns = ev->submit_ns ? ev->submit_ns : ev->ts_ns;

	if (!side->first_ns || begin_ns < side->first_ns)
		side->first_ns = begin_ns;
	if (ev->ts_ns > side->last_ns)
		side->last_ns = ev->ts_ns;
}

int report_add(struct report *r, const struct view *v)
{
	struct report_side *side = &r->side[v->file ? 1 : 0];
	int err = 0;

	begin(r, side, v->file);
	note_time(side, v->ev);
	if (v->ev->kind == EVENT_INFLIGHT) {
		if (side->n_left < REPORT_LEFT)
			view_keep(&side->left[side->n_left++], v);
		return 0;
	}
	add_trouble(side, v);
	if (v->ev->kind == r->pattern_kind && !(r->lacks & NEED_SQE) &&
	    !(v->ev->flags & EVENT_ADMIN))
		err = add_pattern(r, side, v);
	if (!err && v->ev->kind == EVENT_IO)
		err = add_command(r, side, v);
	return err;
}
