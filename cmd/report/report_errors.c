// SPDX-License-Identifier: GPL-2.0-or-later
/* Errors, and the slowest commands. */
#include "cmd/report/page.h"

#include "lib/base/str.h"
#include "lib/record/record.h"
#include "lib/session/about.h"
#include "lib/session/recording.h"
#include "lib/session/lookup.h"

const struct report_trouble report_troubles[REPORT_TROUBLE_KINDS] = {
	{ ERRORS_ERROR, 0, "", "failed" },
	{ ERRORS_TIMEOUT, NEED_TIMEOUT, "", "timeouts" },
	{ ERRORS_ABORT, 0, "", "aborts" },
	{ ERRORS_RESET, NEED_RESET, "", "resets" },
	{ ERRORS_AER, NEED_AER, "asynchronous ", "events" },
};

/* True if a selection, of the recording or of now, may leave out admin commands. */
static bool leaves_out_admin(const struct report *r, const struct record_head *head)
{
	char *filters = about_filters(&session_common(r->s)->selection, head->filters);
	const char *text = filters, *rest;
	char line[512], word[sizeof(line)];
	bool leaves_out = !filters;

	while (text && (text = about_filter_line(text, line, sizeof(line))))
		for (rest = line; str_word(&rest, ' ', word, sizeof(word));)
			if (!has_prefix(word, "ctrl_id=") && !has_prefix(word, "time="))
				leaves_out = true;
	free(filters);
	return leaves_out;
}

u32 report_sees(const struct report_side *side)
{
	const struct report *r = side->r;
	struct counters c;
	const struct record_head *head = session_recording(r->s, side->number, &c);
	u32 lacks = session_is_replay(r->s) ? ~head->needs : r->lacks;
	u32 sees = 0;

	for (u32 i = 0; i < REPORT_TROUBLE_KINDS; i++)
		if (!(lacks & report_troubles[i].need))
			sees |= 1U << report_troubles[i].type;
	if (session_no_status(r->s))
		sees &= ~(1U << ERRORS_ERROR);
	if (leaves_out_admin(r, head)) /* an Abort is an admin command */
		sees &= ~(1U << ERRORS_ABORT);
	return sees;
}

static const void *fill_error(struct report_side *side, const void *of, u32 i, union page_row *room)
{
	const struct view *v = view_kept(&side->trouble[i]);

	(void)of;
	errors_row_fill(&room->error, v, errors_type_of(v, false),
			session_blkstatus(side->r->s, v->ev), side->start_ns);
	return &room->error;
}

static void put_events(struct report_side *side)
{
	static const struct page_table table = {
		"Table: errors, timeouts, resets and events one by one",
		"ts,time,dev,qid,cid,op,slba,status,name,retry,hints,lat_ns,pid,comm", NULL,
		fill_error
	};
	char caption[80];
	u64 seen = 0;

	for (u32 type = 0; type < ERRORS_TYPES; type++)
		seen += side->troubles[type];
	snprintf(caption, sizeof(caption), "The first %u of %" PRIu64 ", in order of time",
		 side->n_trouble, seen);
	if (seen)
		page_table(side, &table, errors_schemas[ERRORS_ERROR].fields, NULL, side->n_trouble,
			   caption);
}

/* Lists what the recording does not tell of, but for the status, which is said above. */
static void put_unknown(const struct report_side *side)
{
	const char *between = "";
	u32 left = 0;

	for (u32 i = 1; i < REPORT_TROUBLE_KINDS; i++)
		left += !(side->sees >> report_troubles[i].type & 1);
	if (left)
		html_print(side->o, "<p class=\"soft\">The recording does not tell of ");
	for (u32 i = 1; i < REPORT_TROUBLE_KINDS; i++) {
		if (side->sees >> report_troubles[i].type & 1)
			continue;
		html_print(side->o, "%s%s%s", between, report_troubles[i].which,
			   report_troubles[i].name);
		between = --left == 1 ? " and " : ", ";
	}
	if (*between)
		html_print(side->o, ".</p>\n");
}

void report_errors(struct report_side *side)
{
	struct report *r = side->r;
	u32 n = group_table_sort(side->table[REPORT_STATUS], latency_sum_compare,
				 &r->view[REPORT_STATUS].group);

	if (session_no_status(r->s))
		html_print(r->o, "<p>The status of commands is not in the recording.</p>\n");
	else if (!side->errors)
		html_print(r->o, "<p>No command failed.</p>\n");
	if (n)
		page_latencies(side, REPORT_STATUS, n,
			       "Commands that failed, by controller, opcode and status");
	put_events(side);
	put_unknown(side);
}

static const void *fill_slow(struct report_side *side, const void *of, u32 i, union page_row *room)
{
	(void)of;
	trace_row_fill(&room->command, view_kept(&side->slowest[i]), TRACE_IO, side->start_ns);
	return &room->command;
}

void report_slowest(struct report_side *side)
{
	static const struct page_table table = {
		NULL, "ts,time,dev,qid,op,slba,bytes,status,lat_ns,pid,comm", NULL, fill_slow
	};

	page_table(side, &table, trace_schemas[TRACE_IO].fields, NULL, side->n_slowest,
		   "The slowest first");
}
