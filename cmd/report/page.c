// SPDX-License-Identifier: GPL-2.0-or-later
/* The page: its frame, its sections, and their building blocks. */
#include "cmd/report/page.h"

#include "embed/embed.h"
#include "lib/base/fmt.h"
#include "lib/base/str.h"
#include "lib/base/units.h"
#include "lib/record/record.h"
#include "lib/session/recording.h"

/* A section: plain text of ours, and what it holds. */
static const struct section {
	const char *id, *link, *heading, *hint;
	void (*side)(struct report_side *side); /* of each recording, below its name */
	void (*all)(struct report *r); /* below these */
	u32 sides; /* recordings that it needs */
	u32 needs; /* bits of enum need, one of which it needs */
} sections[] = {
	{ "changes", "Differences", "What changed from A to B",
	  "Look for bars that keep to one side of the middle: there latency surely changed. A bar "
	  "spans what the change can be; with 95 % confidence all of them hold.",
	  .all = report_changes, .sides = 2 },
	{ "findings", "What stands out", "What stands out",
	  "What coincides is named as such, and need not be the cause.", .all = find_page },
	{ "time", "Over time", "Over time",
	  "Look for bands of latency that move up, for spots far above them, and for what happened "
	  "at that moment in the charts below: more commands, more of them in flight, errors, "
	  "resets. Commands that were in flight at the end are not counted, and the last column may "
	  "be cut short.",
	  .all = report_time },
	{ "latency", "Latency", "Latency by device and opcode",
	  "Look for an opcode or a drive that is slower than its like, and for a p99 far above the "
	  "median: then few commands wait for something. A percentile is the upper edge of its "
	  "bucket, at most 1/64 above the true value.",
	  .side = report_latency, .all = report_maps },
	{ "errors", "Errors", "Errors, timeouts and resets",
	  "Look for a status that repeats on one drive: media errors and path errors have other "
	  "causes than commands that the drive does not know.",
	  .side = report_errors },
	{ "slowest", "Slowest", "The slowest commands",
	  "Look for what they have in common: the time, the drive, the queue, the size, the process.",
	  .side = report_slowest },
	{ "who", "Who", "Who sent the commands",
	  "Look for a process or a cgroup that sends more than you would expect. What a file system "
	  "writes back counts for the kernel's worker that submits it; recordings made with --keys "
	  "owner tell the cgroup that wrote it.",
	  .side = report_who },
	{ "pattern", "Pattern", "Pattern and sizes",
	  "Look for small random or unaligned writes, which cost a drive the most, and for reads "
	  "that could be larger. Two interleaved streams count as sequential.",
	  .side = report_pattern },
	{ "stacks", "Stacks", "Who causes them: stacks",
	  "A box is a function, as wide as its share of the commands; the box on top of it is what "
	  "it called. Look for wide boxes that you did not expect.",
	  .side = report_flame, .needs = NEED_KSTACK | NEED_USTACK },
	{ "about", "Recording", "What was recorded",
	  "A figure is exact as far as nothing was lost, and is of the commands that were selected.",
	  .side = report_about },
};

static bool has_section(const struct report *r, const struct section *s)
{
	return r->sides >= s->sides && (!s->needs || s->needs & ~r->lacks);
}

static void put_section(struct report *r, const struct section *s)
{
	html_print(r->o,
		   "<section id=\"%s\" aria-labelledby=\"h-%s\">\n<h2 id=\"h-%s\">%s</h2>\n"
		   "<p class=\"hint\">%s</p>\n",
		   s->id, s->id, s->id, s->heading, s->hint);
	for (u32 i = 0; s->side && i < r->sides; i++) {
		page_side(&r->side[i]);
		s->side(&r->side[i]);
	}
	if (s->all)
		s->all(r);
	html_print(r->o, "</section>\n");
}

static const char *host_of(const struct report *r, u32 side)
{
	struct counters c;
	const char *host = session_recording(r->s, side, &c)->host;

	return host && *host ? host : "unknown";
}

/* Begins the page, with the style that lies in the binary. 0; -ENOMEM or -EBADMSG, as embed_unpack(). */
static int put_head(struct report *r)
{
	char title[1024];
	void *style;
	size_t size;
	int err = embed_unpack("style", "page", &style, &size);

	if (err)
		return err;
	snprintf(title, sizeof(title), "NVMe commands of %.200s%s%.200s", host_of(r, 0),
		 r->sides > 1 ? ", compared with " : "", r->sides > 1 ? host_of(r, 1) : "");
	html_print(r->o,
		   "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n"
		   "<head>\n<meta charset=\"utf-8\"/>\n"
		   "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		   "style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\"/>\n"
		   "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
		   "<title>%s</title>\n<style>\n",
		   title);
	out_bytes(r->o, style, size);
	free(style);
	out_text(r->o, "%s%s", heat_map_style, flame_style);
	html_print(r->o,
		   "</style>\n</head>\n<body>\n<header>\n<p class=\"over\">nvmetool report</p>\n"
		   "<h1>%s</h1>\n",
		   title);
	return 0;
}

static void put_links(const struct report *r)
{
	const char *between = "";

	html_print(r->o, "<nav aria-label=\"Sections\">");
	for (u32 i = 0; i < ARRAY_SIZE(sections); i++)
		if (has_section(r, &sections[i])) {
			html_print(r->o, "%s<a href=\"#%s\">%s</a>", between, sections[i].id,
				   sections[i].link);
			between = " ";
		}
	html_print(r->o, "</nav>\n");
}

int page_put(struct report *r)
{
	int err = put_head(r);

	if (err)
		return err;
	if (session_is_replay(r->s) && session_ending(r->s))
		html_print(r->o, "<p class=\"bad\">nvmetool was interrupted: this is of the first "
				 "part of what was recorded.</p>\n");
	for (u32 i = 0; i < r->sides; i++) {
		r->side[i].sees = report_sees(&r->side[i]);
		page_side(&r->side[i]);
		report_subject(&r->side[i]);
	}
	put_links(r);
	html_print(r->o, "</header>\n<main>\n");
	for (u32 i = 0; i < ARRAY_SIZE(sections); i++)
		if (has_section(r, &sections[i]))
			put_section(r, &sections[i]);
	html_print(r->o,
		   "</main>\n<footer>Made by nvmetool %s from what the kernel's tracepoints said "
		   "of each command. This page loads nothing and has no script.</footer>\n"
		   "</body>\n</html>\n",
		   NVT_VERSION);
	return 0;
}

const char *page_file(const struct report *r, u32 side)
{
	const char *file = session_common(r->s)->run.input.word[side];
	const char *slash = file ? strrchr(file, '/') : NULL;

	return !file ? "none, traced live" : slash ? slash + 1 : file;
}

void page_badge(const struct report_side *side)
{
	if (side->r->sides > 1)
		html_print(side->o, "<span class=\"side\">%c</span>", PAGE_LETTER(side->number));
}

void page_side(const struct report_side *side)
{
	if (side->r->sides < 2)
		return;
	html_print(side->o, "<h3>");
	page_badge(side);
	html_print(side->o, "%s</h3>\n", page_file(side->r, side->number));
}

void page_table(struct report_side *side, const struct page_table *t, const struct field *fields,
		const void *of, u32 n, const char *caption)
{
	const struct report *r = side->r;
	char file[FIND_WORD];
	struct html_table table;
	union page_row room;

	memset(&room, 0, sizeof(room));
	if (t->details)
		html_print(r->o, "<details><summary>%s</summary>\n", t->details);
	html_table_begin(&table, r->o, caption, fields, t->columns);
	for (u32 i = 0; i < n; i++) {
		const void *row = t->row(side, of, i, &room);

		if (row)
			html_table_row(&table, row);
	}
	html_table_end(&table);
	if (t->details)
		html_print(r->o, "</details>\n");
	if (t->command && session_is_replay(r->s)) /* what was live is over */
		html_print(r->o,
			   "<p class=\"soft\">The same figures: <code>nvmetool %s %s</code></p>\n",
			   t->command, find_quote(page_file(r, side->number), file));
}

void page_bars(struct out *o, const char *name, const struct page_bar *bars, u32 n, u64 total,
	       bool bytes)
{
	char text[UNITS_TEXT];
	u64 most = 0;

	for (u32 i = 0; i < n; i++)
		most = bars[i].value > most ? bars[i].value : most;
	html_print(o, "<div class=\"bars\" role=\"group\" aria-label=\"%s\">\n", name);
	for (u32 i = 0; i < n && most; i++) {
		double value = (double)bars[i].value * 100;

		if (bytes)
			units_size_brief(bars[i].value, text);
		else
			snprintf(text, sizeof(text), "%" PRIu64, bars[i].value);
		html_print(
			o,
			"<b>%s</b><em>%s, %.1f %%</em><span><i style=\"width:%.2f%%\"></i></span>\n",
			bars[i].name, text, value / (double)total, value / (double)most);
	}
	html_print(o, "</div>\n");
}
