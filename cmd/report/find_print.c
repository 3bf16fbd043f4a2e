// SPDX-License-Identifier: GPL-2.0-or-later
/* Prints the findings: as text and records, and at the head of the page. */
#include <inttypes.h>
#include <stdarg.h>

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
	(NEED_QUEUED | NEED_SCHED | NEED_OWNER | NEED_CMD_FLAGS | NEED_STATUS | NEED_SQE |         \
	 NEED_PID | NEED_COMM | NEED_TIMEOUT | NEED_RESET | NEED_AER)

static u64 commands_of(const struct report *r)
{
	u64 commands = 0;

	for (u32 i = 0; i < r->sides; i++)
		commands += r->side[i].commands;
	return commands;
}

/* Appends to @text. */
__attribute__((format(printf, 3, 4))) static void say(char *text, size_t size, const char *format,
						      ...)
{
	size_t n = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + n, size - n, format, args);
	va_end(args);
}

/* How much was looked at: "checked 1200 commands in 2.0 s, nothing was lost; not looked at: ...". */
static void about(const struct report *r, char *text, size_t size)
{
	bool whole = counters_complete(session_counters(r->s));
	u32 lacks = r->lacks & LOOKED_AT, every = 1;
	u64 commands = commands_of(r), ns = 0;
	const char *name, *how, *between = "; not looked at: ";
	char seconds[FMT_NUMBER];

	for (u32 i = 0; i < r->sides; i++) {
		ns += r->side[i].end_ns - r->side[i].start_ns;
		every = r->side[i].log.every > every ? r->side[i].log.every : every;
	}
	*text = '\0';
	say(text, size, "checked %" PRIu64 " command%s in %s s%s", (uint64_t)commands,
	    plural(commands), fmt_number(seconds, (double)ns / 1e9, 1),
	    whole ? ", nothing was lost" : "");
	if (every > 1)
		say(text, size, ", one in %u of them one by one", every);
	while ((name = session_lacking(&lacks, &how))) {
		say(text, size, "%s%s%s", between, name, how);
		between = ", ";
	}
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
	char text[600];

	out_report(r->o);
	if (out_opts(r->o)->format != OUT_TEXT || out_opts(r->o)->columns) {
		for (u32 i = 0; i < shown(r); i++)
			out_row(r->o, &finding_schema, &r->find.at[i]);
		return;
	}
	out_fold_at(r->o, INDENT);
	for (u32 i = 0; i < shown(r); i++)
		put_finding(r, &r->find.at[i]);
	out_fold_at(r->o, 0);
	if (!r->find.n)
		out_text(r->o, "%s\n", nothing(r));
	about(r, text, sizeof(text));
	out_text(r->o, "%s\n", text);
}

void find_page(struct report *r)
{
	char text[600];

	page_section(r->o, "findings", "What stands out",
		     "What coincides is named as such, and need not be the cause.");
	if (!r->find.n)
		out_text(r->o, "<p>%s</p>\n", nothing(r));
	else
		out_text(r->o, "<ul class=\"findings\">\n");
	for (u32 i = 0; i < shown(r); i++) {
		const struct finding *f = &r->find.at[i];

		out_text(r->o, "<li class=\"%s\"><b>%s</b> ", finding_severity_name(f->severity),
			 finding_severity_name(f->severity));
		if (f->kind != FINDING_CHANGE)
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
