// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows of the programs: their cells, and how they are given back. */
#include "lib/view/latency_retire.h"

#include <stdlib.h>
#include <string.h>

#include "lib/view/latency_size.h"
#include "lib/session/kernel_maps.h"
#include "lib/session/session.h"

bool latency_rows_open(struct latency_rows *r, struct session *s)
{
	const struct latency_cfg *cfg = r->cfg;
	size_t keys = 0, cells = 0, extremes = 0;

	r->keys = session_map_memory(s, "keys", &keys);
	r->cells = session_map_memory(s, "cells", &cells);
	r->extremes = session_map_memory(s, "extremes", &extremes);
	return r->keys && r->cells && r->extremes && keys >= cfg->slots * sizeof(*r->keys) &&
	       cells >= (size_t)(cfg->cells + cfg->shared_cells) * cfg->cell_bytes &&
	       extremes >= (size_t)latency_extremes_count(cfg) * latency_extremes_bytes(cfg);
}

struct latency_cell *latency_rows_cell(const struct latency_rows *r, u32 bank, u32 copy, u32 slot)
{
	size_t at = latency_cell_index(r->cfg->slots, bank, copy, slot);

	return (void *)(r->cells + at * r->cfg->cell_bytes);
}

/* The extremes that a CPU has of the row, and with LATENCY_BOTH behind them those of its second. */
static struct hist_extremes *extremes_of(const struct latency_rows *r, u32 bank, u32 cpu, u32 slot)
{
	size_t at = latency_cell_index(r->cfg->slots, bank, cpu, slot);

	return r->extremes + at * (r->cfg->flags & LATENCY_BOTH ? 2 : 1);
}

static void raise(struct latency_cell *cell, struct hist_extremes *by)
{
	hist_widen(&cell->extremes, by->max_ns, by->max_inv_ns);
	memset(by, 0, sizeof(*by));
}

void latency_rows_gather(const struct latency_rows *r, u32 bank, u32 slot)
{
	const struct latency_cfg *cfg = r->cfg;
	struct hist_extremes *by;
	char *cell;

	for (u32 cpu = 0; latency_shares_cells(cfg) && cpu < cfg->cpus; cpu++) {
		by = extremes_of(r, bank, cpu, slot);
		if (!by->max_inv_ns)
			continue;
		cell = (char *)latency_rows_cell(r, bank, cpu & (cfg->copies - 1), slot);
		raise((void *)cell, by);
		if (cfg->flags & LATENCY_BOTH)
			raise((void *)(cell + cfg->cell_bytes / 2), by + 1);
	}
}

/* Whether a command was added to the row in this bank; a first one may be under way. */
static bool has_samples(const struct latency_rows *r, u32 bank, u32 slot)
{
	bool shared = latency_shares_cells(r->cfg);
	u32 n = shared ? r->cfg->cpus : r->cfg->copies;

	for (u32 i = 0; i < n; i++) {
		if (shared ? extremes_of(r, bank, i, slot)->max_inv_ns
			   : latency_rows_cell(r, bank, i, slot)->extremes.max_inv_ns)
			return true;
	}
	return false;
}

bool latency_rows_key(const struct latency_rows *r, u32 slot, struct kernel_key *key)
{
	const struct latency_slot *from = &r->keys[slot];

	if (r->place && r->place[slot].state == LATENCY_PLACE_GONE) {
		*key = r->place[slot].key;
		return true;
	}
	*key = from->key;
	return __atomic_load_n(&from->mark, __ATOMIC_ACQUIRE) == key_mark(key, KEYS_ALL);
}

static int by_count(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return (x > y) - (x < y);
}

/* No more commands than this has the quieter half of the rows in use. */
static u64 quiet_count(const struct latency_rows *r)
{
	u64 counts[LATENCY_SLOTS_LIVE] = { 0 };
	u32 n = 0;

	for (u32 slot = 0; slot < r->cfg->slots - 1; slot++) {
		if (r->place[slot].used)
			counts[n++] = r->place[slot].count;
	}
	qsort(counts, n, sizeof(*counts), by_count);
	return n ? counts[(n - 1) / 2] : 0;
}

bool latency_rows_choose(struct latency_rows *r, u32 bank, bool full)
{
	u32 rows = r->cfg->slots - 1, used = 0, chosen = 0;
	u64 quiet = full ? quiet_count(r) : 0;

	for (u32 slot = 0; slot < rows; slot++)
		used += r->place[slot].used;
	if (!full && used <= rows / 4)
		return false;
	for (u32 slot = 0; slot < rows; slot++) {
		struct latency_place *p = &r->place[slot];

		if (!p->used || p->state != LATENCY_PLACE_LIVE || p->count > quiet ||
		    (!p->count && has_samples(r, !bank, slot)))
			continue;
		p->state = LATENCY_PLACE_CHOSEN;
		chosen++;
	}
	return chosen;
}

/* Has no queue lead to a chosen row any more. */
static void forget(const struct latency_rows *r, struct session *s)
{
	size_t bytes = 0;
	struct queue_info *queue = session_map_memory(s, ".bss.queues", &bytes);

	for (size_t i = 0; queue && i < bytes / sizeof(*queue); i++) {
		for (u32 opcode = 0; opcode < QUEUE_OPCODES; opcode++) {
			u16 *at = &queue[i].row[opcode],
			    row = __atomic_load_n(at, __ATOMIC_RELAXED);

			if (row && r->place[row - 1].state == LATENCY_PLACE_CHOSEN)
				__atomic_store_n(at, 0, __ATOMIC_RELAXED);
		}
	}
}

/* Frees the row: the program that next takes the claim of its slot gets it. */
static void free_slot(struct latency_rows *r, struct session *s, u32 slot)
{
	const struct claim_key claim = { CLAIM_ROW, slot };

	r->place[slot].state = LATENCY_PLACE_LIVE;
	r->place[slot].used = false;
	__atomic_store_n(&r->keys[slot].mark, 0, __ATOMIC_RELEASE);
	session_delete(s, "claims", &claim);
}

void latency_rows_give_back(struct latency_rows *r, struct session *s, u32 bank)
{
	u32 rows = r->cfg->slots - 1;

	for (u32 slot = 0; slot < rows; slot++) {
		if (r->place[slot].state == LATENCY_PLACE_CHOSEN)
			__atomic_store_n(&r->keys[slot].mark, LATENCY_RETIRED, __ATOMIC_RELEASE);
	}
	session_quiesce(s);
	forget(r, s);
	for (u32 slot = 0; slot < rows; slot++) {
		if (r->place[slot].state != LATENCY_PLACE_CHOSEN)
			continue;
		r->place[slot].key = r->keys[slot].key;
		memset(&r->keys[slot].key, 0, sizeof(r->keys[slot].key));
	}
	session_quiesce(s);
	for (u32 slot = 0; slot < rows; slot++) {
		if (r->place[slot].state != LATENCY_PLACE_CHOSEN)
			continue;
		if (has_samples(r, !bank, slot))
			r->place[slot].state = LATENCY_PLACE_GONE;
		else
			free_slot(r, s, slot);
	}
}

void latency_rows_free(struct latency_rows *r, struct session *s)
{
	for (u32 slot = 0; slot < r->cfg->slots - 1; slot++) {
		if (r->place[slot].state == LATENCY_PLACE_GONE)
			free_slot(r, s, slot);
	}
}
