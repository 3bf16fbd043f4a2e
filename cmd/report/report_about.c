// SPDX-License-Identifier: GPL-2.0-or-later
/* The head of the page, and what the recordings are. */
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

static void put_title(const struct report *r, char *title, size_t size)
{
	struct counters c;
	const char *a = or_unknown(session_recording(r->s, 0, &c)->host);

	if (r->sides < 2)
		snprintf(title, size, "NVMe commands of %.200s", a);
	else
		snprintf(title, size, "NVMe commands of %.200s, compared with %.200s", a,
			 or_unknown(session_recording(r->s, 1, &c)->host));
}

static void tile(struct out *o, const char *name, const char *value, bool bad)
{
	out_text(o, "<div><dt>%s</dt><dd%s>%s</dd></div>\n", name, bad ? " class=\"bad\"" : "",
		 value);
}

static bool is_complete(const struct report *r, u32 side)
{
	struct counters c;

	session_recording(r->s, side, &c);
	return counters_complete(&c);
}

static const char *trouble_text(const struct report *r, u32 side, enum errors_type type, u64 count,
				char number[PAGE_COUNT])
{
	return report_sees(r, side, type) ? page_count(count, number) : "unknown";
}

static void put_tiles(const struct report *r, u32 i)
{
	const struct report_side *side = &r->side[i];
	u64 resets = side->troubles[ERRORS_RESET], timeouts = side->troubles[ERRORS_TIMEOUT];
	char number[PAGE_COUNT], other[PAGE_COUNT], text[2 * PAGE_COUNT];

	out_text(r->o, "<dl class=\"tiles\">\n");
	tile(r->o, "commands", page_count(side->commands, number), false);
	snprintf(text, sizeof(text), "%s s",
		 fmt_number(number, (double)(side->end_ns - side->start_ns) / 1e9, 3));
	tile(r->o, "recorded", text, false);
	tile(r->o, "data", units_size_brief(side->bytes, number), false);
	tile(r->o, "slowest command", fmt_ns(number, (double)side->max_ns, " ", 0), false);
	tile(r->o, "failed", trouble_text(r, i, ERRORS_ERROR, side->errors, number), side->errors);
	snprintf(text, sizeof(text), "%s / %s",
		 trouble_text(r, i, ERRORS_TIMEOUT, timeouts, number),
		 trouble_text(r, i, ERRORS_RESET, resets, other));
	tile(r->o, "timeouts / resets", streq(text, "unknown / unknown") ? "unknown" : text,
	     timeouts + resets);
	tile(r->o, "recording is complete", is_complete(r, i) ? "yes" : "no", !is_complete(r, i));
	out_text(r->o, "</dl>\n");
}

static void subject(void *out, const char *label, const char *text)
{
	struct out *o = out;

	(void)label;
	out_text(o, "<br/>");
	html_text(o, text);
}

/* When it was, the kernel, and the drives with their firmware. */
static void put_subject(const struct report *r, u32 i)
{
	struct counters c;
	const struct record_head *head = session_recording(r->s, i, &c);
	char from[64];

	out_text(r->o, "<p class=\"soft\">from %s<br/>Linux ",
		 moment(r, r->side[i].start_ns, from));
	html_text(r->o, or_unknown(head->kernel));
	about_lines(head->ctrls, about_ctrl_line, "", "", subject, r->o);
	out_text(r->o, "</p>\n");
}

int report_head(const struct report *r)
{
	char title[512];
	int err;

	put_title(r, title, sizeof(title));
	err = page_begin(r->o, title);
	out_text(r->o, "<header>\n<p class=\"over\">nvmetool report</p>\n<h1>");
	html_text(r->o, title);
	out_text(r->o, "</h1>\n");
	if (session_is_replay(r->s) && session_ending(r->s))
		out_text(r->o,
			 "<p class=\"bad\">nvmetool was interrupted: this is of the first part "
			 "of what was recorded.</p>\n");
	for (u32 i = 0; i < r->sides; i++) {
		page_side(r, i);
		put_subject(r, i);
		put_tiles(r, i);
	}
	out_text(r->o, "<nav aria-label=\"Sections\">");
	if (r->sides > 1)
		out_text(r->o, "<a href=\"#changes\">Differences</a> ");
	out_text(r->o, "<a href=\"#findings\">What stands out</a> "
		       "<a href=\"#time\">Over time</a> <a href=\"#latency\">Latency</a> "
		       "<a href=\"#errors\">Errors</a> <a href=\"#slowest\">Slowest</a> "
		       "<a href=\"#who\">Who</a> <a href=\"#pattern\">Pattern</a> ");
	if (!(r->lacks & NEED_KSTACK) || !(r->lacks & NEED_USTACK))
		out_text(r->o, "<a href=\"#stacks\">Stacks</a> ");
	out_text(r->o, "<a href=\"#about\">Recording</a></nav>\n</header>\n<main>\n");
	return err;
}

static void fact(void *out, const char *label, const char *text)
{
	struct out *o = out;

	out_text(o, "<tr><th scope=\"row\">%s</th><td>", label);
	html_text(o, text);
	out_text(o, "</td></tr>\n");
}

static void put_period(const struct report *r, const struct report_side *side)
{
	char from[64], to[64], text[200], seconds[FMT_NUMBER];

	snprintf(text, sizeof(text), "%s to %s, %s s", moment(r, side->start_ns, from),
		 moment(r, side->end_ns, to),
		 fmt_number(seconds, (double)(side->end_ns - side->start_ns) / 1e9, 3));
	fact(r->o, "time", text);
}

static void put_facts(const struct report *r, u32 i)
{
	struct counters c;
	const struct record_head *head = session_recording(r->s, i, &c);
	char text[512];

	page_side(r, i);
	out_text(r->o, "<table class=\"facts\"><tbody>\n");
	fact(r->o, "file", page_file(r, i));
	fact(r->o, "host", or_unknown(head->host));
	snprintf(text, sizeof(text), "Linux %.200s %.100s", or_unknown(head->kernel),
		 or_unknown(head->arch));
	fact(r->o, "kernel", text);
	snprintf(text, sizeof(text), "nvmetool %.200s", or_unknown(head->version));
	fact(r->o, "recorded by", text);
	put_period(r, &r->side[i]);
	about_lines(head->ctrls, about_ctrl_line, "drives", "unknown", fact, r->o);
	about_lines(head->filters, about_filter_line, "recorded", "all commands", fact, r->o);
	if (head->trigger)
		fact(r->o, "trigger", head->trigger);
	snprintf(text, sizeof(text), "%llu in flight at the end, not in the recording",
		 (unsigned long long)c.inflight_at_exit);
	if (c.inflight_at_exit && !c.inflight_unknown)
		fact(r->o, "missing", text);
	lost_lines(&c.lost, "lost",
		   c.cut ? "the file is cut or damaged: more may be missing" : "nothing", fact,
		   r->o);
	out_text(r->o, "</tbody></table>\n");
}

void report_about(const struct report *r)
{
	page_section(r->o, "about", "What was recorded",
		     "A figure is exact as far as nothing was lost, and is of the commands that "
		     "were selected.");
	for (u32 i = 0; i < r->sides; i++)
		put_facts(r, i);
	page_section_end(r->o);
}

void report_foot(const struct report *r)
{
	out_text(r->o,
		 "</main>\n<footer>Made by nvmetool %s from what the kernel's tracepoints said "
		 "of each command. This page loads nothing and has no script.</footer>\n",
		 NVT_VERSION);
	page_end(r->o);
}
