// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Records of `latency`: turns a row of lib/latency/sum.h into named keys and figures; the schema.
 */
#ifndef NVT_LATENCY_ROW_H
#define NVT_LATENCY_ROW_H

#include "lib/latency/sum.h"
#include "lib/group/fields.h"
#include "lib/group/table.h"
#include "lib/out/out_hist.h"
#include "lib/out/map.h"

/* One record as printed. */
struct latency_row {
	struct group_row keys; /* must be first: its columns read it there */
	const char *phase;
	u64 count, errors, bytes, min_ns, max_ns, sum_ns, mean_ns;
	double iops, bytes_per_s; /* NaN while the interval has no length */
	u64 pct_ns[HIST_PERCENTILES];
	struct hist hist;
	struct hist_row bucket; /* in a record of latency_bucket_schema */
	const struct percentile *pct;
	u32 n_pct;
};

/* The data that all records of a run share. */
struct latency_view {
	struct group group;
	const struct latency_cfg *cfg;
	struct percentile pct[HIST_PERCENTILES];
	u32 n_pct;
	/* The columns of this run: those of the schema and one for each percentile. */
	struct field fields[80];
	char names[HIST_PERCENTILES][24], heads[HIST_PERCENTILES][16];
};

/* Formats of its own. */
enum latency_format { LATENCY_SVG = OUT_FORMAT_OWN };

extern const struct schema latency_schema, latency_bucket_schema;

/* Fills in view->fields. */
void latency_fields_make(struct latency_view *view);

/*
 * Fills in view->fields, and chooses the columns of @o that view->pct and view->cfg ask for.
 * @extension shows total and average. @buckets: of records of latency_bucket_schema, else of
 * latency_schema.
 */
void latency_columns(struct latency_view *view, struct out *o, bool extension, bool buckets);

/* Fills in the record of @from. */
void latency_row_fill(struct latency_row *row, const struct latency_view *view,
		      const struct latency_sum *from);

/* True if commands of the row are known to have failed. */
bool latency_has_errors(const void *row);

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
	bool printed; /* a row was printed, in any interval */
};

/* Sorts the rows of @table, prints each and lets --fail-if see it. cmd/latency/latency_report.c */
void latency_report(struct latency_report *report, struct group_table *table);

#endif
