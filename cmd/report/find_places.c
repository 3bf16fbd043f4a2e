// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads and writes by the region of the device that they are in. */
#include "cmd/report/report.h"

#include <string.h>

size_t find_places_bytes(const struct latency_cfg *cfg)
{
	return sizeof(struct find_places) + FIND_REGIONS * latency_sum_bytes(cfg);
}

static struct latency_sum *region_of(const struct report *r, const struct find_places *p, u32 i)
{
	return (void *)((char *)(p + 1) + i * latency_sum_bytes(&r->cfg));
}

/* Makes each two regions one. */
static void halve(struct report *r, struct find_places *p)
{
	p->blocks *= 2;
	for (u32 i = 1; i < FIND_REGIONS; i++) {
		struct latency_sum *to = region_of(r, p, i / 2), *from = region_of(r, p, i);
		u64 first_ns = p->first_ns[i], last_ns = p->last_ns[i];

		if (!from->count)
			continue;
		p->first_ns[i] = p->last_ns[i] = 0;
		if (!to->count || first_ns < p->first_ns[i / 2])
			p->first_ns[i / 2] = first_ns;
		if (last_ns > p->last_ns[i / 2])
			p->last_ns[i / 2] = last_ns;
		latency_sum_merge(to, &r->cfg.hist, &from->sum);
		memset(from, 0, latency_sum_bytes(&r->cfg));
	}
}

void find_places_add(struct report *r, struct report_side *side, const struct view *v, u64 lat_ns)
{
	const struct event *ev = v->ev;
	u64 block = ev->cdw[0] | (u64)ev->cdw[1] << 32;
	struct find_places *p;
	struct latency_sum *row;
	struct group_key key;
	u32 i;

	group_key_fill(&key, &r->find_groups.place, v);
	p = group_table_row(side->find.places, &key);
	p->blocks += !p->blocks;
	while (block / p->blocks >= FIND_REGIONS)
		halve(r, p);
	i = (u32)(block / p->blocks);
	row = region_of(r, p, i);
	if (!row->count++)
		p->first_ns[i] = ev->ts_ns;
	p->last_ns[i] = ev->ts_ns;
	latency_sample(&row->sum, &r->cfg.hist, lat_ns, ev->bytes, event_failed(ev));
}

const struct latency_sum *find_region(const struct report *r, const struct find_places *p, u32 i)
{
	struct latency_sum *row = region_of(r, p, i);
	u64 from_ns = ~0ULL, to_ns = 0;

	if ((double)row->count < finding_limit[LIMIT_UNEVEN_COUNT])
		return NULL;
	for (u32 at = 0; at < FIND_REGIONS; at++) {
		if (p->first_ns[at] && p->first_ns[at] < from_ns)
			from_ns = p->first_ns[at];
		if (p->last_ns[at] > to_ns)
			to_ns = p->last_ns[at];
	}
	row->key = p->key;
	row->phase = i;
	return p->last_ns[i] - p->first_ns[i] >= (to_ns - from_ns) / 2 ? row : NULL;
}
