// SPDX-License-Identifier: GPL-2.0-or-later
/* Prints the findings: as text and records, and at the head of the page. */
#include "cmd/report/page.h"
#include "lib/base/fmt.h"
#include "lib/base/str.h"
#include "lib/event/counters.h"

#define INDENT 8 /* sentences stand behind their severity */

static u32 shown(const struct report *r)
{
	return r->find.n < FIND_SHOWN ? r->find.n : FIND_SHOWN;
}

/* What findings go by: a recording without it cannot tell of all. */
#define LOOKED_AT                                                                                  \
	(NEED_QUEUED | NEED_SCHED | NEED_OWNER | NEED_SYNCER | NEED_CMD_FLAGS | NEED_STATUS |      \
	 NEED_SQE | NEED_PID | NEED_COMM | NEED_TIMEOUT | NEED_RESET | NEED_AER)

static u64 commands_of(const struct report *r)
{
	u64 commands = 0;

	for (u32 i = 0; i < r->sides; i++)
		commands += r->side[i].commands;
	return commands;
}

/* How much was looked at: "checked 1200 commands in 2.0 s, nothing was lost; not looked at: ...". */
static void put_about(const struct report *r)
{
	u32 lacks = r->lacks & LOOKED_AT, every = 1;
	u64 commands = commands_of(r), ns = 0;
	const char *name, *how, *between = "; not looked at: ";
	char seconds[FMT_NUMBER];

	for (u32 i = 0; i < r->sides; i++) {
		ns += r->side[i].end_ns - r->side[i].start_ns;
		every = r->side[i].log.every > every ? r->side[i].log.every : every;
	}
	out_text(r->o, "checked %" PRIu64 " command%s in %s s%s", commands, plural(commands),
		 fmt_number(seconds, (double)ns / 1e9, 1),
		 counters_complete(session_counters(r->s)) ? ", nothing was lost" : "");
	if (every > 1)
		out_text(r->o, ", one in %u of them one by one", every);
	for (; (name = session_lacking(&lacks, &how)); between = ", ")
		out_text(r->o, "%s%s%s", between, name, how);
}

/* What is said where there is no finding. */
static const char *nothing(const struct report *r)
{
	return commands_of(r) ? "nothing stands out" : "no command completed; nothing to judge";
}

static void put_finding(const struct report *r, const struct finding *f)
{
	enum out_hue hue = f->severity == FINDING_HIGH ? HUE_BAD : HUE_PLAIN;
	char severity[16];

	snprintf(severity, sizeof(severity), "%s%s", finding_severity_name(f->severity),
		 f->likely ? "?" : "");
	out_text(r->o, "%s%-*s%s", out_hue(r->o, hue), INDENT, severity, out_hue(r->o, HUE_PLAIN));
	if (r->sides > 1 && f->kind != FINDING_CHANGE)
		out_text(r->o, "%c: ", PAGE_LETTER(f->side));
	out_text_safe(r->o, f->text);
	out_text(r->o, "\n%*s", INDENT, "");
	out_text_safe(r->o, f->command);
	out_text(r->o, "\n");
}

void find_text(struct report *r)
{
	bool text = out_opts(r->o)->format == OUT_TEXT && !out_opts(r->o)->columns;

	out_report(r->o);
	out_fold_at(r->o, INDENT);
	for (u32 i = 0; i < shown(r); i++)
		if (text)
			put_finding(r, &r->find.at[i]);
		else
			out_row(r->o, &finding_schema, &r->find.at[i]);
	out_fold_at(r->o, 0);
	if (!text)
		return;
	if (!r->find.n)
		out_text(r->o, "%s\n", nothing(r));
	put_about(r);
	out_text(r->o, "\n");
}

void find_page(struct report *r)
{
	if (r->find.n)
		html_print(r->o, "<ul class=\"findings\">\n");
	else
		html_print(r->o, "<p>%s</p>\n", nothing(r));
	for (u32 i = 0; i < shown(r); i++) {
		const struct finding *f = &r->find.at[i];
		const char *severity = finding_severity_name(f->severity);

		html_print(r->o, "<li class=\"%s\"><b>%s</b> ", severity, severity);
		if (f->kind != FINDING_CHANGE)
			page_badge(&r->side[f->side]);
		html_print(r->o, "%s<br/><code>%s</code></li>\n", f->text, f->command);
	}
	html_print(r->o, r->find.n ? "</ul>\n<p class=\"soft\">" : "<p class=\"soft\">");
	put_about(r);
	html_print(r->o, "</p>\n");
}
