// SPDX-License-Identifier: GPL-2.0-or-later
/* Latency by device and opcode: percentiles, and a heat map of each. */
#include "cmd/report/report_maps.h"
#include "cmd/report/page.h"

#include "lib/base/str.h"

#define COLUMNS	    "dev,op,count,err,iops,mb_per_s,mean_ns,p50_ns,p90_ns,p99_ns,p99.9_ns,max"
#define CELLS_PARTS 4200 /* of the heat maps of parts together */

static void put_table(struct report *r, u32 i)
{
	struct group_table *table = r->side[i].table[REPORT_OPS];
	u32 n = group_table_sort(table, latency_sum_compare, &r->view[REPORT_OPS].group);

	page_latencies(r, i, REPORT_OPS, n, "By device and opcode", COLUMNS);
	page_same(r, i, "latency -A --hist-bits 6 --by dev,opcode --table");
}

static int compare_maps(const void *a, const void *b)
{
	const struct report_map *x = a, *y = b;

	return x->count < y->count ? 1 : x->count > y->count ? -1 : 0;
}

static const struct report_map *map_of(const struct report_side *side, const struct group_key *key)
{
	for (u32 i = 0; i < side->n_maps; i++)
		if (!memcmp(&side->maps[i].key, key, sizeof(*key)))
			return &side->maps[i];
	return NULL;
}

/* The maps of a device and opcode, one of each recording. */
static void put_row(struct report *r, const struct group_key *key, u32 most)
{
	struct map_figure figures[REPORT_SIDES];
	struct group_row keys;
	char name[400];

	group_row_fill(&keys, &r->view[REPORT_OPS].group, key);
	snprintf(name, sizeof(name), "%s %s", keys.dev ? keys.dev : "-", keys.op ? keys.op : "");
	for (u32 i = 0; i < r->sides; i++) {
		const struct report_map *map = map_of(&r->side[i], key);

		figures[i] = (struct map_figure){ .r = r,
						  .side = i,
						  .map = map ? map->map : NULL,
						  .kind = "small",
						  .name = name };
	}
	map_arrange(figures, r->sides, most);
	for (u32 i = 0; i < r->sides; i++)
		map_draw(&figures[i]);
}

/* Each device and opcode that a recording has, the most frequent first; those of B alone last. */
static void put_maps(struct report *r)
{
	bool full = false;
	u32 maps = 0;

	for (u32 i = 0; i < r->sides; i++) {
		qsort(r->side[i].maps, r->side[i].n_maps, sizeof(r->side[i].maps[0]), compare_maps);
		maps += r->side[i].n_maps;
		full = full || r->side[i].n_maps == REPORT_MAPS;
	}
	out_text(r->o, "<div class=\"pair\">\n");
	for (u32 i = 0; i < r->sides; i++)
		for (u32 at = 0; at < r->side[i].n_maps; at++)
			if (!i || !map_of(&r->side[0], &r->side[i].maps[at].key))
				put_row(r, &r->side[i].maps[at].key, CELLS_PARTS / maps);
	out_text(r->o, "</div>\n");
	if (full)
		out_text(r->o,
			 "<p class=\"soft\">There are pictures of the first %u devices and "
			 "opcodes that were seen.</p>\n",
			 REPORT_MAPS);
}

void report_latency(struct report *r)
{
	page_section(
		r->o, "latency", "Latency by device and opcode",
		"Look for an opcode or a drive that is slower than its like, and for a p99 far "
		"above the median: then few commands wait for something. A percentile is the "
		"upper edge of its bucket, at most 1/64 above the true value.");
	for (u32 i = 0; i < r->sides; i++) {
		page_side(r, i);
		put_table(r, i);
	}
	put_maps(r);
	page_section_end(r->o);
}
