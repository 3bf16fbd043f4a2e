// SPDX-License-Identifier: GPL-2.0-or-later
/* Latencies by key: of devices and opcodes, and of those who sent the commands. */
#include "cmd/report/page.h"

#include "lib/base/str.h"

#define BY(key) (1ULL << KEY_##key)
#define FIGURES ",count,err,iops,mb_per_s,mean_ns,p50_ns,p90_ns,p99_ns,p99.9_ns,max"
#define LATENCY "latency -A --hist-bits 6 --table --by "
#define BARS	10
#define ROWS	100

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

struct order {
	struct group *group;
	bool bytes;
};

static u64 figure(const struct latency_sum *sum, bool bytes)
{
	return bytes ? sum->sum.bytes : sum->count;
}

/* Orders rows: the most commands, or bytes, first, "(other)" at the end. */
static int compare(const void *a, const void *b, void *order)
{
	const struct latency_sum *x = a, *y = b;
	const struct order *by = order;
	u64 left = figure(x, by->bytes), right = figure(y, by->bytes);

	if (x->key.other == y->key.other && left != right)
		return left < right ? 1 : -1;
	return latency_sum_compare(x, y, by->group);
}

static u32 sort(struct report_side *side, enum report_table which, bool bytes)
{
	struct order by = { &side->r->view[which].group, bytes };

	return group_table_sort(side->table[which], compare, &by);
}

static void put_name(struct page_bar *bar, const struct group_row *keys, enum report_table which)
{
	if (which == REPORT_CGROUPS || keys->other)
		snprintf(bar->name, sizeof(bar->name), "%s",
			 keys->other	? "(other)"
			 : keys->cgroup ? keys->cgroup
					: "unknown");
	else
		snprintf(bar->name, sizeof(bar->name), "%s (%lld)",
			 keys->comm ? keys->comm : "unknown", (long long)keys->pid);
}

/* Bars by commands or by bytes. */
static void put_bars(struct report_side *side, enum report_table which, bool bytes)
{
	u32 rows = sort(side, which, bytes), n = rows < BARS ? rows : BARS;
	const char *name = which == REPORT_TASKS	 ? "Processes"
			   : side->r->lacks & NEED_OWNER ? "Cgroups"
							 : "Cgroups that caused them";
	struct page_bar bars[BARS];
	struct group_row keys;

	html_print(side->o, "<h3>%s, by %s</h3>\n", name, bytes ? "data" : "commands");
	for (u32 i = 0; i < n; i++) {
		const struct latency_sum *sum = group_table_at(side->table[which], i);

		group_row_fill(&keys, &side->r->view[which].group, &sum->key);
		put_name(&bars[i], &keys, which);
		bars[i].value = figure(sum, bytes);
	}
	if (n)
		page_bars(side->o, name, bars, n, bytes ? side->bytes : side->commands, bytes);
	if (rows > n)
		html_print(side->o, "<p class=\"soft\">and %u more</p>\n", rows - n);
}

static void put_part(struct report_side *side, enum report_table which)
{
	u32 rows = sort(side, which, false), n = rows < ROWS ? rows : ROWS;
	char caption[80];

	put_bars(side, which, false);
	if (!report_knows(side->r, which))
		html_print(side->o, "<p>They are not in the recording.</p>\n");
	if (!rows)
		return;
	if (side->bytes)
		put_bars(side, which, true);
	sort(side, which, false);
	snprintf(caption, sizeof(caption), "%s %u of %u", rows > n ? "The first" : "All", n, rows);
	page_latencies(side, which, n, caption);
}

void report_who(struct report_side *side)
{
	put_part(side, REPORT_TASKS);
	put_part(side, REPORT_CGROUPS);
}
