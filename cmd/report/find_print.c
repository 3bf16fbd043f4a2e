// SPDX-License-Identifier: GPL-2.0-or-later
/* Prints the findings: as text and records, and at the head of the page. */
#include <inttypes.h>

#include "cmd/report/page.h"
#include "lib/base/fmt.h"
#include "lib/base/str.h"
#include "lib/event/counters.h"

static u32 shown(const struct report *r)
{
	return r->find.n < FIND_SHOWN ? r->find.n : FIND_SHOWN;
}

/* How much was looked at: "checked 15 kinds on 1200 commands in 2.0 s; nothing was lost". */
static void about(const struct report *r, char *text, size_t size)
{
	bool whole = counters_complete(session_counters(r->s));
	u64 commands = 0, ns = 0;
	char seconds[FMT_NUMBER];

	for (u32 i = 0; i < r->sides; i++) {
		commands += r->side[i].commands;
		ns += r->side[i].end_ns - r->side[i].start_ns;
	}
	snprintf(text, size, "checked %u kinds on %" PRIu64 " command%s in %s s%s", FINDINGS,
		 (uint64_t)commands, plural(commands), fmt_number(seconds, (double)ns / 1e9, 1),
		 whole ? "; nothing was lost" : "");
}

static void put_finding(const struct report *r, const struct finding *f)
{
	enum out_hue hue = f->severity == FINDING_HIGH ? HUE_BAD : HUE_PLAIN;
	char severity[16];

	snprintf(severity, sizeof(severity), "%s%s", finding_severity_name(f->severity),
		 f->likely ? "?" : "");
	out_text(r->o, "%s%-8s%s", out_hue(r->o, hue), severity, out_hue(r->o, HUE_PLAIN));
	if (r->sides > 1)
		out_text(r->o, "%c: ", PAGE_LETTER(f->side));
	out_text_safe(r->o, f->text);
	out_text(r->o, "\n        ");
	out_text_safe(r->o, f->command);
	out_text(r->o, "\n");
}

void find_text(struct report *r)
{
	char text[160];

	out_report(r->o);
	if (out_opts(r->o)->format != OUT_TEXT || out_opts(r->o)->columns) {
		for (u32 i = 0; i < shown(r); i++)
			out_row(r->o, &finding_schema, &r->find.at[i]);
		return;
	}
	for (u32 i = 0; i < shown(r); i++)
		put_finding(r, &r->find.at[i]);
	if (!r->find.n)
		out_text(r->o, "nothing stands out\n");
	about(r, text, sizeof(text));
	out_text(r->o, "%s\n", text);
}

void find_page(struct report *r)
{
	char text[160];

	page_section(r->o, "findings", "What stands out",
		     "What coincides is named as such, and need not be the cause.");
	if (!r->find.n)
		out_text(r->o, "<p>Nothing stands out.</p>\n");
	else
		out_text(r->o, "<ul class=\"findings\">\n");
	for (u32 i = 0; i < shown(r); i++) {
		const struct finding *f = &r->find.at[i];

		out_text(r->o, "<li class=\"%s\"><b>%s</b> ", finding_severity_name(f->severity),
			 finding_severity_name(f->severity));
		page_badge(r, f->side);
		html_text(r->o, f->text);
		out_text(r->o, "<br/><code>");
		html_text(r->o, f->command);
		out_text(r->o, "</code></li>\n");
	}
	if (r->find.n)
		out_text(r->o, "</ul>\n");
	about(r, text, sizeof(text));
	out_text(r->o, "<p class=\"soft\">%s</p>\n", text);
	page_section_end(r->o);
}
