// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The page and its building blocks: tables, charts, heat maps, bars. It is HTML that is well-formed
 * XML, has no script, and its Content-Security-Policy lets it load nothing.
 *
 * A chart is SVG that is stretched to the width there is, with the text around it in HTML: so text
 * has the same size on a phone as on a wide screen.
 */
#ifndef NVT_REPORT_PAGE_H
#define NVT_REPORT_PAGE_H

#include <inttypes.h>

#include "cmd/report/report.h"
#include "lib/out/html.h"

/* Prints the page. 0; -ENOMEM or -EBADMSG, as embed_unpack(). */
int page_put(struct report *r);

#define PAGE_LETTER(side) ("AB"[side])
/* Names the recording that follows, where there are two: by its letter; in a heading of its own. */
void page_badge(const struct report_side *side);
void page_side(const struct report_side *side);
/* The file of a recording without its directories. */
const char *page_file(const struct report *r, u32 side);

/* A column of a picture over time. */
struct page_column {
	u64 wall_ns, count, p50_ns, p99_ns, max_ns, troubles[ERRORS_TYPES];
	double value[3]; /* of charts */
};

/* Room for a row of any table. */
union page_row {
	struct latency_row latency;
	struct errors_row error;
	struct trace_row command;
	struct pattern_row pattern;
	struct stacks_row stack;
	struct page_column column;
};

/* A kind of table. */
struct page_table {
	const char *details; /* what shows it at the wish of the reader; NULL: it is always seen */
	const char *columns; /* a comma list; those that the fields have not are left out */
	const char *command; /* that prints the same figures, but for the file; NULL: none does */
	/* Returns row @i, for which there is @room; NULL: it is not shown. */
	const void *(*row)(struct report_side *side, const void *of, u32 i, union page_row *room);
};
/* Prints @n rows of a recording; @of: for row(). @caption: foreign text. */
void page_table(struct report_side *side, const struct page_table *t, const struct field *fields,
		const void *of, u32 n, const char *caption);
/* Prints the first @n rows of a table of latencies, in the order to which it was sorted. */
void page_latencies(struct report_side *side, enum report_table which, u32 n, const char *caption);

/* Rows of bars: commands or @bytes, each with its share of @total. */
struct page_bar {
	char name[400]; /* foreign text */
	u64 value;
};
void page_bars(struct out *o, const char *name, const struct page_bar *bars, u32 n, u64 total,
	       bool bytes);

#endif
