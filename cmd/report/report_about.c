// SPDX-License-Identifier: GPL-2.0-or-later
/* What a recording is: at a glance, and in full. */
#include <stdarg.h>

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

__attribute__((format(printf, 4, 5))) static void tile(struct out *o, const char *name, bool bad,
						       const char *format, ...)
{
	char text[200];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	out_text(o, "<div><dt>%s</dt><dd%s>%s</dd></div>\n", name, bad ? " class=\"bad\"" : "",
		 text);
}

static const char *trouble(const struct report_side *side, enum errors_type type,
			   char buf[FMT_NUMBER])
{
	u64 count = type == ERRORS_ERROR ? side->errors : side->troubles[type];

	snprintf(buf, FMT_NUMBER, "%llu", (unsigned long long)count);
	return side->sees >> type & 1 ? buf : "unknown";
}

static double seconds(const struct report_side *side)
{
	return (double)(side->end_ns - side->start_ns) / 1e9;
}

static void put_tiles(const struct report_side *side, bool complete)
{
	struct out *o = side->r->o;
	bool sees = side->sees & (1U << ERRORS_TIMEOUT | 1U << ERRORS_RESET);
	char text[FMT_NUMBER], more[FMT_NUMBER];

	out_text(o, "<dl class=\"tiles\">\n");
	tile(o, "commands", false, "%llu", (unsigned long long)side->commands);
	tile(o, "recorded", false, "%s s", fmt_number(text, seconds(side), 3));
	tile(o, "data", false, "%s", units_size_brief(side->bytes, text));
	tile(o, "slowest command", false, "%s", fmt_ns(text, (double)side->max_ns, " ", 0));
	tile(o, "failed", side->errors, "%s", trouble(side, ERRORS_ERROR, text));
	tile(o, "timeouts / resets", side->troubles[ERRORS_TIMEOUT] + side->troubles[ERRORS_RESET],
	     sees ? "%s / %s" : "unknown", trouble(side, ERRORS_TIMEOUT, text),
	     trouble(side, ERRORS_RESET, more));
	tile(o, "recording is complete", !complete, complete ? "yes" : "no");
	out_text(o, "</dl>\n");
}

static void line(void *out, const char *label, const char *text)
{
	(void)label;
	out_text(out, "<br/>");
	html_text(out, text);
}

/* When it was, the kernel, the drives with their firmware, and the most important figures. */
void report_subject(struct report_side *side)
{
	const struct report *r = side->r;
	struct counters c;
	const struct record_head *head = session_recording(r->s, side->number, &c);
	char from[64];

	out_text(r->o, "<p class=\"soft\">from %s<br/>Linux ", moment(r, side->start_ns, from));
	html_text(r->o, or_unknown(head->kernel));
	about_lines(head->ctrls, about_ctrl_line, "", "", line, r->o);
	out_text(r->o, "</p>\n");
	put_tiles(side, counters_complete(&c));
}

static void fact(void *out, const char *label, const char *text)
{
	out_text(out, "<tr><th scope=\"row\">%s</th><td>", label);
	html_text(out, text);
	out_text(out, "</td></tr>\n");
}

/* Composes the text of a fact. */
__attribute__((format(printf, 3, 4))) static void say(struct out *o, const char *label,
						      const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fact(o, label, text);
}

void report_about(struct report_side *side)
{
	const struct report *r = side->r;
	struct counters c;
	const struct record_head *head = session_recording(r->s, side->number, &c);
	char from[64], to[64], took[FMT_NUMBER];

	out_text(r->o, "<table class=\"facts\"><tbody>\n");
	fact(r->o, "file", page_file(r, side->number));
	fact(r->o, "host", or_unknown(head->host));
	say(r->o, "kernel", "Linux %.200s %.100s", or_unknown(head->kernel),
	    or_unknown(head->arch));
	say(r->o, "recorded by", "nvmetool %.200s", or_unknown(head->version));
	say(r->o, "time", "%s to %s, %s s", moment(r, side->start_ns, from),
	    moment(r, side->end_ns, to), fmt_number(took, seconds(side), 3));
	about_lines(head->ctrls, about_ctrl_line, "drives", "unknown", fact, r->o);
	about_lines(head->filters, about_filter_line, "recorded", "all commands", fact, r->o);
	if (head->trigger)
		fact(r->o, "trigger", head->trigger);
	if (c.inflight_at_exit && !c.inflight_unknown)
		say(r->o, "missing", "%llu in flight at the end, not in the recording",
		    (unsigned long long)c.inflight_at_exit);
	lost_lines(&c.lost, "lost",
		   c.cut ? "the file is cut or damaged: more may be missing" : "nothing", fact,
		   r->o);
	out_text(r->o, "</tbody></table>\n");
}
