// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The page: its style, sections, and the frame of charts. It is HTML that is well-formed XML, has no
 * script, and its Content-Security-Policy lets it load nothing.
 *
 * A chart is SVG that is stretched to the width there is, with the text around it in HTML: so text
 * has the same size on a phone as on a wide screen.
 */
#ifndef NVT_REPORT_PAGE_H
#define NVT_REPORT_PAGE_H

#include "cmd/report/report.h"
#include "lib/out/html.h"

/* 0; -ENOMEM or -EBADMSG, as embed_unpack(). */
int page_begin(struct out *o, const char *title);
void page_end(struct out *o);

/* @hint: what to look for; it and the heading are plain text of ours. */
void page_section(struct out *o, const char *id, const char *heading, const char *hint);
void page_section_end(struct out *o);
#define PAGE_LETTER(side) ("AB"[side])
/* Names the recording that follows, where there are two: by its letter; in a heading of its own. */
void page_badge(const struct report *r, u32 side);
void page_side(const struct report *r, u32 side);
/* Begin and end a group of figures. Two recordings have theirs side by side where the page is wide enough. */
void page_pair_begin(const struct report *r);
void page_pair_end(const struct report *r);
/* The file of a recording without its directories. */
const char *page_file(const struct report *r, u32 side);

/* Text that is there at the wish of the reader: a table behind a picture. */
void page_details(struct out *o, const char *summary);
void page_details_end(struct out *o);

/*
 * The first @n rows of a table of latencies of a recording, sorted already, with these columns of
 * `latency`.
 */
void page_latencies(struct report *r, u32 side, enum report_table which, u32 n, const char *caption,
		    const char *columns);

/* Says which command prints the same figures. */
void page_same(const struct report *r, u32 side, const char *command);

/* A chart: labels at the left, the picture, times below it. */
struct page_chart {
	struct out *o;
	const struct report *r;
	const char *kind; /* class of the picture, which has its height */
	const char *name; /* of the picture, for who does not see it */
	double width, height; /* its units */
	u64 start_ns, span_ns; /* of the axis of times; 0: there is none below */
};

/* First the labels, each at a height in units from the top; then the picture; then its end. */
void page_chart_begin(const struct page_chart *c);
void page_chart_label(const struct page_chart *c, double y, const char *text);
void page_chart_picture(const struct page_chart *c);
void page_chart_end(const struct page_chart *c);

/*
 * A row of bars: @name, foreign text; @text; the share of @total; and a bar for @count of @most.
 */
void page_bars_begin(struct out *o, const char *name);
void page_bar(struct out *o, const char *name, const char *text, u64 count, u64 most, u64 total);
void page_bars_end(struct out *o);

/* @count as in tables, which are those of commands: digits alone. */
#define PAGE_COUNT 32
const char *page_count(u64 count, char buf[PAGE_COUNT]);

/* Time of day of @ns, with milliseconds unless @span_ns is long. */
#define PAGE_TIME 40
const char *page_time(const struct report *r, u64 ns, u64 span_ns, char buf[PAGE_TIME]);

#endif
