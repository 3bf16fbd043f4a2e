// SPDX-License-Identifier: GPL-2.0-or-later
/* Settings and maps of the programs, and what they counted. */
#include "lib/view/latency_count.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/err.h"
#include "lib/cli/expr.h"
#include "lib/host/probe.h"
#include "lib/session/kernel_maps.h"
#include "lib/view/latency_size.h"

u32 latency_bits(const struct session *s)
{
	return session_condition(s)->n_terms ? HIST_BITS_MAX : LATENCY_BITS;
}

/* Whether a row for each operation of each controller is all there can be, and LATENCY_SLOTS_FEW. */
static bool has_few(const struct session *s, const struct latency_cfg *cfg)
{
	return !(cfg->by & ~(u32)LATENCY_BY_FEW) && !(cfg->flags & LATENCY_WITH_PHASES) &&
	       session_ctrls(s) <= LATENCY_SLOTS_FEW / LATENCY_OPCODES;
}

/*
 * The most rows of a run. Live their memory is allocated at the start, in replay as rows come: a
 * replay may have more.
 */
static u32 most_slots(const struct session *s, const struct latency_cfg *cfg)
{
	if (session_is_replay(s))
		return LATENCY_SLOTS_MAX;
	return has_few(s, cfg) ? LATENCY_SLOTS_FEW : LATENCY_SLOTS_LIVE;
}

/* Fills in the members that depend on this host or recording. */
static void fill_cfg(struct session *s, struct latency_count *c)
{
	struct latency_cfg *cfg = &c->cfg;
	const struct group *g = c->group;
	bool phases = cfg->flags & LATENCY_WITH_PHASES;
	u32 most;

	cfg->by = group_kernel_by(g);
	most = most_slots(s, cfg);
	memcpy(cfg->size_edge, g->size_edge, sizeof(cfg->size_edge));
	cfg->cpus = session_is_replay(s) ? 1 : session_probe(s)->cpus;
	cfg->cell_bytes = latency_cell_size(&cfg->hist) * (cfg->flags & LATENCY_BOTH ? 2 : 1);
	latency_size(cfg, c->max_rows && c->max_rows < most ? c->max_rows + 1 : most);
	/* Phases would take six lookups: too many paths for the verifier of 6.1. */
	cfg->fine = cfg->hist.kind == HIST_LOG_LINEAR && cfg->hist.bits == LATENCY_FINE && !phases;
	cfg->by_queue = !(cfg->by & ~(u32)KEYS_QUEUE);
	cfg->by_task =
		!cfg->by_queue && !(cfg->by & ~(u32)(KEYS_QUEUE | (KEYS_WHO & ~(1 << KEY_SYNCER))));
}

static u32 needs_of(const struct latency_count *c)
{
	u32 needs = NEED_STATUS | group_needs(c->group);

	if (c->cfg.flags & (LATENCY_QUEUED | LATENCY_BOTH))
		needs |= NEED_QUEUED;
	if (c->max_inflight)
		needs |= NEED_INFLIGHT;
	return needs;
}

/* Asks for the times that --phases compares. A recording may lack some. */
static void ask_for_phases(struct session_request *ask, bool replay)
{
	u32 times = NEED_QUEUED | NEED_PHASES;

	if (replay)
		ask->optional |= times;
	else
		ask->required |= times;
}

/* Whether a command is known to be the first attempt: a further one began where that failed. */
static bool is_first(const struct view *v)
{
	return !v->ev->retries && !(v->lacks & NEED_RESULT);
}

static void configure_kernel(struct session_request *ask, struct latency_count *c)
{
	const struct latency_cfg *cfg = &c->cfg;
	u8 *fine = c->fine;

	for (u32 i = 0; i < LATENCY_FINE_SLOTS; i++)
		fine[i] = (u8)hist_log_linear(i, LATENCY_FINE);
	ask->sections[0] = (struct session_section){ ".rodata.latency", cfg, sizeof(*cfg) };
	ask->sections[1] = (struct session_section){ ".rodata.fine", fine, LATENCY_FINE_SLOTS };
	ask->maps[0] = (struct session_map){ "keys", sizeof(struct latency_slot), cfg->slots };
	ask->maps[1] =
		(struct session_map){ "cells", cfg->cell_bytes, cfg->cells + cfg->shared_cells };
	ask->maps[2] = (struct session_map){ "extremes", latency_extremes_bytes(cfg),
					     latency_extremes_count(cfg) };
}

/*
 * In replay there is nothing to give back, as the table alone has rows, nor where all of them have
 * room.
 */
static int open_rows(struct latency_count *c)
{
	const struct latency_cfg *cfg = &c->cfg;
	bool back = c->gives_back && !session_is_replay(c->s) && !has_few(c->s, cfg);

	c->rows.cfg = cfg;
	c->limit = back ? LATENCY_SLOTS_MAX - 1 : cfg->slots - 1;
	c->table = group_table_open(LATENCY_KEY_BYTES, latency_sum_bytes(cfg), c->limit);
	c->rows.place = back ? calloc(cfg->slots, sizeof(*c->rows.place)) : NULL;
	return c->table && (c->rows.place || !back) ? 0 : -ENOMEM;
}

int latency_count_start(struct latency_count *c, struct session *s, struct session_request *ask)
{
	const struct latency_cfg *cfg = &c->cfg;

	c->s = s;
	fill_cfg(s, c);
	ask->required |= needs_of(c);
	group_ask_owners(c->group, ask);
	if (cfg->flags & LATENCY_WITH_PHASES)
		ask_for_phases(ask, session_is_replay(s));
	if (cfg->flags & (LATENCY_WITH_PHASES | LATENCY_WAIT) && session_is_replay(s))
		ask->quiet |= NEED_RESULT;
	ask->fast_path_only = cfg->fine && cfg->by_queue && !cfg->flags;
	ask->max_inflight = c->max_inflight;
	configure_kernel(ask, c);
	if (open_rows(c))
		return fail(-ENOMEM, NULL, NULL, "cannot keep latencies");
	return 0;
}

/* Adds a latency of the command to its row, or to that of one of its phases. */
static struct latency_sum *add_sample(struct latency_count *c, const struct view *v,
				      enum latency_phase phase, u64 lat_ns)
{
	struct latency_sum *row =
		latency_sum_add(c->table, c->group, &c->cfg.hist, v, phase, lat_ns);

	if (row->key.other)
		session_lost(c->s, STAT_KEYS_FULL, 1);
	return row;
}

/* A moment after another, or nothing where one of the two is not known. */
static void add_phase(struct latency_count *c, const struct view *v, enum latency_phase phase,
		      u64 from_ns, u64 to_ns)
{
	if (from_ns && to_ns >= from_ns)
		add_sample(c, v, phase, to_ns - from_ns);
}

/* The phases that record --phases has: as phase_add_first() and latency_end() of the programs. */
static void add_recorded(struct latency_count *c, const struct view *v)
{
	const struct event *ev = v->ev;

	if (is_first(v)) {
		add_phase(c, v, LATENCY_PHASE_SCHEDULER, ev->insert_ns, ev->submit_ns);
		add_phase(c, v, LATENCY_PHASE_QUEUE, ev->queued_ns,
			  ev->insert_ns ? ev->insert_ns : ev->submit_ns);
	}
	if (!ev->done_ns)
		return;
	add_phase(c, v, LATENCY_PHASE_COMPLETION, ev->ts_ns, ev->done_ns);
	if (event_entry_unknown(ev))
		session_entry_unknown(c->s, 1);
	else
		add_phase(c, v, LATENCY_PHASE_TOTAL, ev->queued_ns ? ev->queued_ns : ev->submit_ns,
			  ev->done_ns);
}

/* The phases that a recording tells of. */
static void add_phases(struct latency_count *c, const struct view *v)
{
	const struct event *ev = v->ev;
	bool first = is_first(v) && !(v->lacks & NEED_QUEUED);

	add_sample(c, v, LATENCY_PHASE_DEVICE, latency_of(ev, false));
	if (!(session_lacks(c->s) & NEED_PHASES)) {
		add_recorded(c, v);
		return;
	}
	session_entry_unknown(c->s, first && event_entry_unknown(ev));
	if (first)
		add_phase(c, v, LATENCY_PHASE_WAIT, ev->queued_ns, ev->submit_ns);
}

/* Adds to the second cell of @row the command, whose first latency is in the first one. */
static void add_second(struct latency_count *c, struct latency_sum *row, const struct view *v)
{
	const struct hist_cfg *hist = &c->cfg.hist;
	const struct event *ev = v->ev;
	bool wait = c->cfg.flags & LATENCY_WAIT;

	if (wait && !is_first(v))
		return;
	if (event_entry_unknown(ev))
		session_entry_unknown(c->s, 1);
	else
		latency_sample(latency_second(&row->sum, hist), hist, ev,
			       latency_of(ev, true) - (wait ? latency_of(ev, false) : 0));
}

bool latency_count_event(struct latency_count *c, const struct view *v)
{
	const struct event *ev = v->ev;
	u32 flags = c->cfg.flags;
	struct latency_sum *row;

	if (ev->kind != EVENT_IO)
		return false;
	if (flags & LATENCY_QUEUED && event_entry_unknown(ev)) {
		session_entry_unknown(c->s, 1);
		session_left_out(c->s, 1);
		return false;
	}
	session_account(c->s, 1, event_failed(ev));
	if (flags & LATENCY_WITH_PHASES) {
		add_phases(c, v);
		return true;
	}
	row = add_sample(c, v, LATENCY_PHASE_NONE, latency_of(ev, flags & LATENCY_QUEUED));
	if (flags & LATENCY_BOTH)
		add_second(c, row, v);
	return true;
}

/* Adds a cell to a row; returns how many commands that were. */
static u64 add_cell(const struct latency_cfg *cfg, struct latency_sum *row,
		    const struct latency_cell *cell)
{
	const struct hist_cfg *hist = &cfg->hist;

	if (cfg->flags & LATENCY_BOTH)
		latency_cell_merge(latency_second(&row->sum, hist), hist,
				   latency_second(cell, hist));
	return latency_sum_merge(row, hist, cell);
}

/*
 * Adds the counts that all CPUs have of a row in this bank to the table, and clears them. @key NULL
 * is the row "(other)". Returns how many commands that were.
 */
static u64 collect_row(struct latency_count *c, u32 bank, u32 slot, const struct latency_sum *key)
{
	const struct latency_cfg *cfg = &c->cfg;
	struct latency_sum *row = NULL;
	struct latency_cell *cell;
	u64 count, sum = 0;

	latency_rows_gather(&c->rows, bank, slot);
	for (u32 copy = 0; copy < cfg->copies; copy++) {
		cell = latency_rows_cell(&c->rows, bank, copy, slot);
		if (!cell->extremes.max_inv_ns)
			continue;
		row = group_table_row(c->table, key);
		count = add_cell(cfg, row, cell);
		sum += count;
		if (!key || key->phase == LATENCY_PHASE_NONE || key->phase == LATENCY_PHASE_DEVICE)
			session_account(c->s, count, cell->errors);
		memset(cell, 0, cfg->cell_bytes);
	}
	if (key && row && row->key.other)
		session_lost(c->s, STAT_KEYS_FULL, sum);
	return sum;
}

static void collect_slot(struct latency_count *c, u32 bank, u32 slot)
{
	struct kernel_key key;
	struct latency_sum row;
	bool used = latency_rows_key(&c->rows, slot, &key);
	u64 count = 0;

	if (used) {
		group_key_of(&row.key, c->group, &key);
		row.phase = key.own;
		count = collect_row(c, bank, slot, &row);
	}
	if (c->rows.place) {
		c->rows.place[slot].used = used;
		c->rows.place[slot].count = count;
	}
}

void latency_count_collect(struct latency_count *c)
{
	u32 last = c->cfg.slots - 1, bank;
	u64 others;

	if (!latency_rows_open(&c->rows, c->s))
		return;
	bank = session_flip_bank(c->s);
	for (u32 slot = 0; slot < last; slot++)
		collect_slot(c, bank, slot);
	others = collect_row(c, bank, last, NULL);
	if (!c->rows.place)
		return;
	latency_rows_free(&c->rows, c->s);
	if (latency_rows_choose(&c->rows, bank, others))
		latency_rows_give_back(&c->rows, c->s, bank);
}

void latency_count_stop(struct latency_count *c)
{
	group_table_close(c->table);
	free(c->rows.place);
	c->table = NULL;
	c->rows.place = NULL;
}
