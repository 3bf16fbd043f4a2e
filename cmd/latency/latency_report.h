// SPDX-License-Identifier: GPL-2.0-or-later
/* Reports of `latency`: rows as lines, histograms or a heat map. */
#ifndef NVT_LATENCY_REPORT_H
#define NVT_LATENCY_REPORT_H

#include "lib/view/latency_row.h"
#include "lib/out/map.h"

/* Formats of its own. */
enum latency_format { LATENCY_SVG = OUT_FORMAT_OWN };

/* How a histogram is shown: by cmd/latency/latency_text.c, as a record per bucket, or as a line of cells. */
enum latency_histogram {
	LATENCY_BARS,
	LATENCY_TABLE,
	LATENCY_NO_HISTOGRAM,
	LATENCY_ROWS,
	LATENCY_HEAT,
};

struct latency_style {
	u32 histogram; /* enum latency_histogram */
	u32 bits; /* rows of the table: 2^bits per power of two */
	u32 columns; /* width of the terminal */
	bool extension;
};

/* Prints a key line, the table, the figures, and an empty line. */
void latency_draw(struct out *o, const struct latency_view *view, const struct latency_style *style,
		  const struct latency_row *row);

/* The state of reports; row is scratch space. */
struct latency_report {
	struct latency_view view;
	struct latency_style style;
	struct latency_row row;
	struct heat_text heat;
	struct heat_map *map; /* -f svg: it is drawn once, and rows are not printed */
	bool draw; /* histograms, else lines */
};

/* Sorts the rows of @table, prints each and lets --fail-if see it. */
void latency_report(struct latency_report *report, struct group_table *table);

#endif
