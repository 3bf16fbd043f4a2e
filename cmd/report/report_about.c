// SPDX-License-Identifier: GPL-2.0-or-later
/* Describes a recording: in a few figures at the head of the page, and in full at its end. */
#include "cmd/report/page.h"

#include "lib/base/fmt.h"
#include "lib/base/str.h"
#include "lib/base/units.h"
#include "lib/event/counters.h"
#include "lib/record/record.h"
#include "lib/session/about.h"
#include "lib/session/lost.h"
#include "lib/session/recording.h"

static const char *or_unknown(const char *s)
{
	return s && *s ? s : "unknown";
}

/* "2026-11-21 06:59:43 +00:00" */
static const char *moment(const struct report *r, u64 ns, char buf[64])
{
	struct out_stamp stamp;

	out_stamp(&stamp, session_wall_ns(r->s, ns), out_opts(r->o)->utc, 0);
	snprintf(buf, 64, "%s %s %s", stamp.date, stamp.time, stamp.zone);
	return buf;
}

static const char *trouble(const struct report_side *side, enum errors_type type,
			   char buf[FMT_NUMBER])
{
	u64 count = type == ERRORS_ERROR ? side->errors : side->troubles[type];

	snprintf(buf, FMT_NUMBER, "%" PRIu64, count);
	return side->sees >> type & 1 ? buf : "unknown";
}

static double seconds(const struct report_side *side)
{
	return (double)(side->end_ns - side->start_ns) / 1e9;
}

#define TILE(name, value) "<div><dt>" name "</dt><dd>" value "</dd></div>\n"

/* A tile in red, if it is bad. */
static void tile(struct out *o, const char *name, const char *value, bool bad)
{
	html_print(o, bad ? "<div><dt>%s</dt><dd class=\"bad\">%s</dd></div>\n" : TILE("%s", "%s"),
		   name, value);
}

static void put_tiles(const struct report_side *side, bool complete)
{
	struct out *o = side->o;
	u64 troubles = side->troubles[ERRORS_TIMEOUT] + side->troubles[ERRORS_RESET];
	char text[FMT_NUMBER], more[FMT_NUMBER], both[2 * FMT_NUMBER + 4] = "unknown";

	html_print(o,
		   "<dl class=\"tiles\">\n" TILE("commands", "%" PRIu64) TILE("recorded", "%.3f s")
			   TILE("data", "%s") TILE("slowest command", "%s"),
		   side->commands, seconds(side), units_size_brief(side->bytes, text),
		   fmt_ns(more, (double)side->max_ns, " ", 0));
	tile(o, "failed", trouble(side, ERRORS_ERROR, text), side->errors);
	if (side->sees & (1U << ERRORS_TIMEOUT | 1U << ERRORS_RESET))
		snprintf(both, sizeof(both), "%s / %s", trouble(side, ERRORS_TIMEOUT, text),
			 trouble(side, ERRORS_RESET, more));
	tile(o, "timeouts / resets", both, troubles);
	tile(o, "recording is complete", complete ? "yes" : "no", !complete);
	html_print(o, "</dl>\n");
}

static void line(void *out, const char *label, const char *text)
{
	(void)label;
	html_print(out, "<br/>%s", text);
}

/* When it was, the kernel, the drives with their firmware, and the most important figures. */
void report_subject(struct report_side *side)
{
	const struct report *r = side->r;
	struct counters c;
	const struct record_head *head = session_recording(r->s, side->number, &c);
	char from[64];

	html_print(r->o, "<p class=\"soft\">from %s<br/>Linux %s", moment(r, side->start_ns, from),
		   or_unknown(head->kernel));
	about_lines(head->ctrls, about_ctrl_line, "", "", line, r->o);
	html_print(r->o, "</p>\n");
	put_tiles(side, counters_complete(&c));
}

#define FACT(name, value) "<tr><th scope=\"row\">" name "</th><td>" value "</td></tr>\n"

static void fact(void *out, const char *label, const char *text)
{
	html_print(out, FACT("%s", "%s"), label, text);
}

void report_about(struct report_side *side)
{
	const struct report *r = side->r;
	struct counters c;
	const struct record_head *head = session_recording(r->s, side->number, &c);
	char from[64], to[64];

	html_print(r->o,
		   "<table class=\"facts\"><tbody>\n" FACT("file", "%s") FACT("host", "%s")
			   FACT("kernel", "Linux %s %s") FACT("recorded by", "nvmetool %s")
				   FACT("time", "%s to %s, %.3f s"),
		   page_file(r, side->number), or_unknown(head->host), or_unknown(head->kernel),
		   or_unknown(head->arch), or_unknown(head->version),
		   moment(r, side->start_ns, from), moment(r, side->end_ns, to), seconds(side));
	about_lines(head->ctrls, about_ctrl_line, "drives", "unknown", fact, r->o);
	about_lines(head->filters, about_filter_line, "recorded", "all commands", fact, r->o);
	if (head->trigger)
		fact(r->o, "trigger", head->trigger);
	if (c.inflight_at_exit && !c.inflight_unknown)
		html_print(
			r->o,
			FACT("missing", "%" PRIu64 " in flight at the end, not in the recording"),
			c.inflight_at_exit);
	lost_lines(&c.lost, "lost",
		   c.cut ? "the file is cut or damaged: more may be missing" : "nothing", fact,
		   r->o);
	html_print(r->o, "</tbody></table>\n");
}
