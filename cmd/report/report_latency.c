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

	page_latencies(r, REPORT_OPS, table, n, "By device and opcode", COLUMNS);
	page_same(r, i, "latency -A --hist-bits 6 --by dev,opcode --table");
}

static int compare_maps(const void *a, const void *b)
{
	const struct report_map *x = a, *y = b;

	return x->count < y->count ? 1 : x->count > y->count ? -1 : 0;
}

static void put_maps(struct report *r, struct report_side *side)
{
	struct group_row keys;
	char name[400];

	qsort(side->maps, side->n_maps, sizeof(side->maps[0]), compare_maps);
	out_text(r->o, "<div class=\"pair\">\n");
	for (u32 i = 0; i < side->n_maps; i++) {
		struct map_figure figure = { .r = r,
					     .map = side->maps[i].map,
					     .start_ns = side->start_ns,
					     .end_ns = side->end_ns,
					     .most = CELLS_PARTS / r->sides / side->n_maps,
					     .kind = "small",
					     .name = name };

		group_row_fill(&keys, &r->view[REPORT_OPS].group, &side->maps[i].key);
		snprintf(name, sizeof(name), "%s %s", keys.dev ? keys.dev : "-",
			 keys.op ? keys.op : "");
		map_draw(&figure, 0);
	}
	out_text(r->o, "</div>\n");
	if (side->n_maps == REPORT_MAPS)
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
		put_maps(r, &r->side[i]);
	}
	page_section_end(r->o);
}
