// SPDX-License-Identifier: GPL-2.0-or-later
/* Latencies by key: their tables, and the heat map of each device and opcode. */
#include "cmd/report/page.h"

#include "lib/base/str.h"

#define BY(key)	    (1ULL << KEY_##key)
#define FIGURES	    ",count,err,iops,mb_per_s,mean_ns,p50_ns,p90_ns,p99_ns,p99.9_ns,max"
#define LATENCY	    "latency -A --hist-bits 6 --table --by "
#define CELLS_PARTS 4200 /* of the heat maps of parts together */

/* clang-format off */
const struct report_keys report_keys[REPORT_TABLES] = {
	[REPORT_OPS] = { BY(DEV) | BY(OPCODE), 1024 },
	[REPORT_STATUS] = { BY(CTRL) | BY(OPCODE) | BY(STATUS), 256 },
	[REPORT_TASKS] = { BY(PID) | BY(COMM), 4096 },
	[REPORT_CGROUPS] = { BY(CGROUP), 1024 },
};

static const void *fill_row(struct report_side *side, const void *of, u32 i, union page_row *room)
{
	const struct latency_view *view = of;

	latency_row_fill(&room->latency, view, group_table_at(side->table[view - side->r->view], i));
	return &room->latency;
}

static const struct page_table tables[REPORT_TABLES] = {
	[REPORT_OPS] = { NULL, "dev,op" FIGURES, LATENCY "dev,opcode -i", fill_row },
	[REPORT_STATUS] = { NULL, "ctrl,op,status,count,mean_ns,max", "errors -s -i", fill_row },
	[REPORT_TASKS] = { "Table: latency by process", "pid,comm" FIGURES, LATENCY "pid,comm -i", fill_row },
	[REPORT_CGROUPS] = { "Table: latency by cgroup", "cgroup" FIGURES, LATENCY "cgroup -i", fill_row },
};
/* clang-format on */

void page_latencies(struct report_side *side, enum report_table which, u32 n, const char *caption)
{
	struct latency_view *view = &side->r->view[which];

	view->group.start_ns = side->start_ns; /* rates are of its own time */
	view->group.end_ns = side->end_ns;
	page_table(side, &tables[which], view->fields, view, n, caption);
}

void report_latency(struct report_side *side)
{
	u32 n = group_table_sort(side->table[REPORT_OPS], latency_sum_compare,
				 &side->r->view[REPORT_OPS].group);

	page_latencies(side, REPORT_OPS, n, "By device and opcode");
}

/* Orders maps: the most commands first. */
static int compare_maps(const void *a, const void *b, void *group)
{
	const struct report_map *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return group_compare(x, y, group);
}

/* The maps of a device and opcode, one of each recording. */
static void put_maps(struct report *r, const struct group_key *key, u32 most)
{
	struct page_map maps[REPORT_SIDES];
	struct group_row keys;
	char name[400];

	group_row_fill(&keys, &r->view[REPORT_OPS].group, key);
	snprintf(name, sizeof(name), "%s %s", keys.dev ? keys.dev : "-", keys.op ? keys.op : "");
	for (u32 i = 0; i < r->sides; i++) {
		const struct report_map *at = group_table_find(r->side[i].maps, key);

		maps[i] = (struct page_map){ &r->side[i], at ? at->map : NULL, "small", name, 0 };
	}
	page_maps_settle(r, maps, most);
	for (u32 i = 0; i < r->sides; i++)
		page_map(&maps[i]);
}

/* Each device and opcode that a recording has, the most frequent first; those of B alone last. */
void report_maps(struct report *r)
{
	u32 n[REPORT_SIDES], all = 0;
	bool full = false;

	for (u32 i = 0; i < r->sides; i++) {
		n[i] = group_table_sort(r->side[i].maps, compare_maps, &r->view[REPORT_OPS].group) -
		       r->side[i].maps_full; /* "(other)" is the last */
		full |= r->side[i].maps_full;
		all += n[i];
	}
	html_print(r->o, "<div class=\"pair\">\n");
	for (u32 i = 0; i < r->sides; i++)
		for (u32 at = 0; at < n[i]; at++) {
			const struct group_key *key = group_table_at(r->side[i].maps, at);

			if (!i || !group_table_find(r->side[0].maps, key))
				put_maps(r, key, CELLS_PARTS / all);
		}
	html_print(r->o, "</div>\n");
	if (full)
		html_print(r->o,
			   "<p class=\"soft\">There are pictures of the first %u devices and "
			   "opcodes that were seen.</p>\n",
			   REPORT_MAPS);
}
