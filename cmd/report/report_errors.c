// SPDX-License-Identifier: GPL-2.0-or-later
/* The sections about errors and about the slowest commands. */
#include "cmd/report/page.h"

#include "lib/base/str.h"
#include "lib/event/counters.h"
#include "lib/record/record.h"
#include "lib/session/about.h"
#include "lib/session/recording.h"
#include "lib/session/lookup.h"

/* A status of the table, which shows its name. */
#define STATUS_COLUMNS "ctrl,op,status,count,mean_ns,max"
#define EVENT_COLUMNS  "ts,time,dev,qid,cid,op,slba,status,name,retry,hints,lat_ns,pid,comm"
#define SLOW_COLUMNS   "ts,time,dev,qid,op,slba,bytes,status,lat_ns,pid,comm"

/* True if a selection may leave out the admin commands of a controller that it takes. */
static bool leaves_out_admin(const struct selection *sel)
{
	return sel->nsid.n || sel->device.n || sel->qid.n || sel->opcode.n || sel->pid.n ||
	       sel->comm.n || sel->cgroup.n || sel->size.n || sel->lba.n || sel->status.n ||
	       sel->min_lat_ns;
}

/* The same of the selections of a recording. */
static bool recorded_without_admin(const char *filters)
{
	char line[512], word[sizeof(line)];
	const char *text = filters, *rest;

	while (text && (text = about_filter_line(text, line, sizeof(line))))
		for (rest = line; str_word(&rest, ' ', word, sizeof(word));)
			if (!has_prefix(word, "ctrl_id="))
				return true;
	return false;
}

bool report_sees(const struct report *r, u32 side, enum errors_type type)
{
	static const u32 needs[ERRORS_TYPES] = {
		[ERRORS_TIMEOUT] = NEED_TIMEOUT,
		[ERRORS_RESET] = NEED_RESET,
		[ERRORS_AER] = NEED_AER,
	};
	struct counters c;
	const struct record_head *head = session_recording(r->s, side, &c);

	if (type == ERRORS_ERROR)
		return !session_no_status(r->s);
	if (type == ERRORS_ABORT) /* an admin command */
		return !leaves_out_admin(&session_common(r->s)->selection) &&
		       !recorded_without_admin(head->filters);
	return !((session_is_replay(r->s) ? ~head->needs : r->lacks) & needs[type]);
}

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

/* Lists what the recording does not tell of. */
static void put_unknown(const struct report *r, u32 side)
{
	static const struct {
		enum errors_type type;
		const char *name;
	} kinds[] = { { ERRORS_TIMEOUT, "timeouts" },
		      { ERRORS_ABORT, "aborts" },
		      { ERRORS_RESET, "resets" },
		      { ERRORS_AER, "asynchronous events" } };
	u32 left = 0, n = 0;

	for (u32 i = 0; i < ARRAY_SIZE(kinds); i++)
		left += !report_sees(r, side, kinds[i].type);
	if (left)
		out_text(r->o, "<p class=\"soft\">The recording does not tell of ");
	for (u32 i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (report_sees(r, side, kinds[i].type))
			continue;
		out_text(r->o, "%s%s", !n ? "" : --left == 1 ? " and " : ", ", kinds[i].name);
		n++;
	}
	out_text(r->o, n ? ".</p>\n" : "");
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
	put_unknown(r, i);
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
