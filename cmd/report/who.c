// SPDX-License-Identifier: GPL-2.0-or-later
/* The section on who sent the commands: processes and cgroups. */
#include "cmd/report/page.h"

#include "lib/base/str.h"
#include "lib/base/units.h"

#define BARS 10
#define ROWS 100

static const struct {
	enum report_table table;
	const char *heading, *summary, *columns, *command;
} parts[] = {
	{ REPORT_TASKS, "Processes", "Table: latency by process",
	  "pid,comm,count,err,iops,mb_per_s,mean_ns,p50_ns,p90_ns,p99_ns,p99.9_ns,max",
	  "latency -A --hist-bits 6 --by pid,comm --table" },
	{ REPORT_CGROUPS, "Cgroups", "Table: latency by cgroup",
	  "cgroup,count,err,iops,mb_per_s,mean_ns,p50_ns,p90_ns,p99_ns,p99.9_ns,max",
	  "latency -A --hist-bits 6 --by cgroup --table" },
};

static u64 figure(const struct latency_sum *sum, bool bytes)
{
	return bytes ? sum->sum.bytes : sum->count;
}

static int compare_by(const struct latency_sum *x, const struct latency_sum *y, void *group,
		      bool bytes)
{
	if (x->key.other != y->key.other)
		return x->key.other - y->key.other;
	if (figure(x, bytes) != figure(y, bytes))
		return figure(x, bytes) < figure(y, bytes) ? 1 : -1;
	return latency_sum_compare(x, y, group);
}

/* Order rows: the most commands, or bytes, first, "(other)" at the end. */
static int compare(const void *a, const void *b, void *group)
{
	return compare_by(a, b, group, false);
}

static int compare_bytes(const void *a, const void *b, void *group)
{
	return compare_by(a, b, group, true);
}

static void put_name(const struct group_row *keys, enum report_table table, char *buf, size_t size)
{
	if (table == REPORT_CGROUPS)
		snprintf(buf, size, "%s", keys->cgroup ? keys->cgroup : "unknown");
	else if (keys->other)
		snprintf(buf, size, "(other)");
	else
		snprintf(buf, size, "%s (%lld)", keys->comm ? keys->comm : "unknown",
			 (long long)keys->pid);
}

/* Bars by commands or by bytes, in the order of the table. */
static void put_bars(struct report *r, u32 part, struct group_table *table, u32 n, u64 total,
		     bool bytes)
{
	struct latency_view *view = &r->view[parts[part].table];
	char name[512], text[PAGE_COUNT];
	struct group_row keys;
	u64 most = 0;

	for (u32 i = 0; i < n; i++)
		most = figure(group_table_at(table, i), bytes) > most
			       ? figure(group_table_at(table, i), bytes)
			       : most;
	page_bars_begin(r->o, parts[part].heading);
	for (u32 i = 0; i < n && i < BARS && most; i++) {
		const struct latency_sum *sum = group_table_at(table, i);
		u64 value = figure(sum, bytes);

		group_row_fill(&keys, &view->group, &sum->key);
		put_name(&keys, parts[part].table, name, sizeof(name));
		page_bar(r->o, name,
			 bytes ? units_size_brief(value, text) : page_count(value, text), value,
			 most, total);
	}
	page_bars_end(r->o);
	if (n > BARS)
		out_text(r->o, "<p class=\"soft\">and %u more</p>\n", n - BARS);
}

static void put_table(struct report *r, u32 side, u32 part, u32 n)
{
	char caption[80];

	snprintf(caption, sizeof(caption), "%s %u of %u", n > ROWS ? "The first" : "All",
		 n > ROWS ? ROWS : n, n);
	page_details(r->o, parts[part].summary);
	page_latencies(r, side, parts[part].table, n > ROWS ? ROWS : n, caption,
		       parts[part].columns);
	page_details_end(r->o);
}

static const char *heading_of(const struct report *r, u32 part)
{
	bool owners = parts[part].table == REPORT_CGROUPS && !(r->lacks & NEED_OWNER);

	return owners ? "Cgroups that caused them" : parts[part].heading;
}

static void put_part(struct report *r, u32 i, u32 part)
{
	const char *heading = heading_of(r, part);
	struct group_table *table = r->side[i].table[parts[part].table];
	u32 n = group_table_sort(table, compare, &r->view[parts[part].table].group);

	out_text(r->o, "<h3>%s, by commands</h3>\n", heading);
	if (!report_knows(r, parts[part].table)) {
		out_text(r->o, "<p>They are not in the recording.</p>\n");
		return;
	}
	if (!n)
		return;
	put_bars(r, part, table, n, r->side[i].commands, false);
	if (r->side[i].bytes) {
		out_text(r->o, "<h3>%s, by data</h3>\n", heading);
		n = group_table_sort(table, compare_bytes, &r->view[parts[part].table].group);
		put_bars(r, part, table, n, r->side[i].bytes, true);
		n = group_table_sort(table, compare, &r->view[parts[part].table].group);
	}
	put_table(r, i, part, n);
	page_same(r, i, parts[part].command);
}

void report_who(struct report *r)
{
	const char *hint =
		!(r->lacks & NEED_OWNER)
			? "Look for a process or a cgroup that sends more than you would expect. What "
			  "a file system writes back counts for the kernel's worker that submits it, "
			  "and for the cgroup that wrote it."
			: "Look for a process that sends more than you would expect. What a file system "
			  "writes back counts for the kernel's worker that submits it; recordings made "
			  "with --keys owner tell the cgroup that wrote it.";

	page_section(r->o, "who", "Who sent the commands", hint);
	for (u32 i = 0; i < r->sides; i++) {
		page_side(r, i);
		for (u32 part = 0; part < ARRAY_SIZE(parts); part++)
			put_part(r, i, part);
	}
	page_section_end(r->o);
}
