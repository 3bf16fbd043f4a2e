// SPDX-License-Identifier: GPL-2.0-or-later
/* Records of `latency`: from a row of cmd/latency/sum.h to named keys and figures; their schema. */
#ifndef NVT_LATENCY_ROW_H
#define NVT_LATENCY_ROW_H

#include "cmd/latency/sum.h"
#include "lib/group/fields.h"
#include "lib/group/table.h"
#include "lib/out/hist.h"

/* The keys of --by, in the order of the columns; beside these there is `none`. */
#define LATENCY_KEYS(USE)                                                                          \
	GROUP_WHERE(USE)                                                                           \
	USE(NS)                                                                                    \
	USE(DEV) USE(QID) USE(CPU) USE(OPCODE) USE(SIZE) USE(FLAGS) GROUP_WHO(USE) USE(STATUS)

/* One record as printed. */
struct latency_row {
	struct group_row keys; /* first: its columns look there */
	const char *phase;
	u64 count, errors, bytes, min_ns, max_ns, sum_ns, mean_ns;
	double iops, bytes_per_s; /* not a number while the interval has no length */
	u64 pct_ns[HIST_PERCENTILES];
	struct hist hist;
	const struct percentile *pct;
	u32 n_pct;
};

/* What the records of one run have in common. */
struct latency_view {
	struct group group;
	const struct latency_cfg *cfg;
	struct percentile pct[HIST_PERCENTILES];
	u32 n_pct;
	/* Columns of this run: those of the schema and one for each percentile. */
	struct field fields[80];
	char names[HIST_PERCENTILES][24], heads[HIST_PERCENTILES][16];
};

extern const struct schema latency_schema;

/* Fits the columns of @o to view->pct and view->cfg; @extension shows total and average. */
void latency_columns(struct latency_view *view, struct out *o, bool extension);

/* Fills in the record of @from. */
void latency_row_fill(struct latency_row *row, const struct latency_view *view,
		      const struct latency_sum *from);

/* Whether it is known that commands of the row failed. */
bool latency_has_errors(const void *row);

/* cmd/latency/text.c: how a row looks to people. */
enum latency_histogram { LATENCY_BARS, LATENCY_TABLE, LATENCY_NO_HISTOGRAM };

struct latency_style {
	u32 histogram; /* enum latency_histogram */
	u32 bits; /* rows of the table: 2^bits per power of two */
	u32 columns; /* width of the terminal */
	bool extension;
};

/* Key line, table, figures, and an empty line. */
void latency_draw(struct out *o, const struct latency_view *view, const struct latency_style *style,
		  const struct latency_row *row);

/* What it takes to report an interval; row is scratch. */
struct latency_report {
	struct latency_view view;
	struct latency_style style;
	struct latency_row row;
	bool draw; /* as histograms rather than lines */
	bool printed; /* some row was, in any interval */
};

/* Sorts the rows of @table, prints each and lets --fail-if see it. cmd/latency/report.c */
void latency_report(struct latency_report *report, struct group_table *table);

#endif
