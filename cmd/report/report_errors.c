// SPDX-License-Identifier: GPL-2.0-or-later
/* The sections about errors and about the slowest commands. */
#include "cmd/report/page.h"

#include "lib/base/str.h"
#include "lib/session/lookup.h"

/* A status of the table, which shows its name. */
#define STATUS_COLUMNS "ctrl,op,status,count,mean_ns,max"
#define EVENT_COLUMNS  "ts,time,dev,qid,cid,op,slba,status,name,retry,hints,lat_ns,pid,comm"
#define SLOW_COLUMNS   "ts,time,dev,qid,op,slba,bytes,status,lat_ns,pid,comm"

static void put_counts(struct report *r, u32 i)
{
	struct group_table *table = r->side[i].table[REPORT_STATUS];
	u32 n = group_table_sort(table, latency_sum_compare, &r->view[REPORT_STATUS].group);

	if (!n)
		return;
	page_latencies(r, i, REPORT_STATUS, n,
		       "Commands that failed, by controller, opcode and status", STATUS_COLUMNS);
	page_same(r, i, "errors -s");
}

static void put_events(const struct report *r, struct report_side *side, u64 seen)
{
	char caption[80];
	struct errors_row row = { 0 };
	struct html_table t;

	snprintf(caption, sizeof(caption), "The first %u of %llu, in order of time",
		 side->n_trouble, (unsigned long long)seen);
	page_details(r->o, "Table: errors, timeouts, resets and events one by one");
	html_table_begin(&t, r->o, caption, errors_schemas[ERRORS_ERROR].fields, EVENT_COLUMNS);
	for (u32 i = 0; i < side->n_trouble; i++) {
		const struct view *v = view_kept(&side->trouble[i]);

		errors_row_fill(&row, v, errors_type_of(v, false), session_blkstatus(r->s, v->ev),
				side->start_ns);
		html_table_row(&t, &row);
	}
	html_table_end(&t);
	page_details_end(r->o);
}

static void put_side(struct report *r, u32 i)
{
	struct report_side *side = &r->side[i];
	u64 seen = 0;

	page_side(r, i);
	for (u32 type = 0; type < ERRORS_TYPES; type++)
		seen += side->troubles[type];
	if (session_no_status(r->s))
		out_text(r->o, "<p>The status of commands is not in the recording.</p>\n");
	else if (!side->errors)
		out_text(r->o, "<p>No command failed.</p>\n");
	put_counts(r, i);
	if (seen)
		put_events(r, side, seen);
	if (r->lacks & (NEED_TIMEOUT | NEED_RESET))
		out_text(r->o, "<p class=\"soft\">The recording does not tell of timeouts and "
			       "resets.</p>\n");
}

void report_errors(struct report *r)
{
	page_section(r->o, "errors", "Errors, timeouts and resets",
		     "Look for a status that repeats on one drive: media errors and path errors "
		     "have other causes than commands that the drive does not know.");
	for (u32 i = 0; i < r->sides; i++)
		put_side(r, i);
	page_section_end(r->o);
}

void report_slowest(struct report *r)
{
	struct trace_row row = { 0 };
	struct html_table t;

	page_section(r->o, "slowest", "The slowest commands",
		     "Look for what they have in common: the time, the drive, the queue, the size, "
		     "the process.");
	for (u32 side = 0; side < r->sides; side++) {
		page_side(r, side);
		html_table_begin(&t, r->o, "The slowest first", trace_schemas[TRACE_IO].fields,
				 SLOW_COLUMNS);
		for (u32 i = 0; i < r->side[side].n_slowest; i++) {
			const struct view *v = view_kept(&r->side[side].slowest[i]);

			trace_row_fill(&row, v, TRACE_IO, r->side[side].start_ns);
			html_table_row(&t, &row);
		}
		html_table_end(&t);
	}
	page_section_end(r->o);
}
