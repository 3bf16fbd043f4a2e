// SPDX-License-Identifier: GPL-2.0-or-later
/* A row of lib/view/latency_sum.h as named keys and figures, and the columns of these. */
#ifndef NVT_VIEW_LATENCY_ROW_H
#define NVT_VIEW_LATENCY_ROW_H

#include "lib/view/latency_sum.h"
#include "lib/group/fields.h"
#include "lib/out/out_hist.h"

/* One record as printed, or the begin of one. */
struct latency_row {
	struct group_row keys; /* must be first: its columns read it there */
	const char *phase;
	u64 count;
	struct latency_cell sum; /* errors ~0: not known */
	u64 min_ns, max_ns, mean_ns; /* ~0: there was no command, as of percentiles */
	double iops, bytes_per_s, qd; /* NaN while the interval has no length */
	u64 pct_ns[HIST_PERCENTILES];
	struct hist hist;
	struct hist_row bucket; /* in a record of latency_bucket_schema */
	const struct percentile *pct;
	u32 n_pct;
};
#define LATENCY_ROW(type, m, ...) FIELD_OF(FIELD_##type, struct latency_row, m, #m, __VA_ARGS__)
#define LATENCY_SUM(m, ...)	  FIELD_OF(FIELD_U64, struct latency_row, sum.m, #m, __VA_ARGS__)

/* The data that all records of a run share. */
struct latency_view {
	struct group group;
	const struct latency_cfg *cfg;
	struct percentile pct[HIST_PERCENTILES];
	u32 n_pct;
	/* The columns of this run: those of the schema and one for each percentile. */
	struct field fields[84];
	char names[HIST_PERCENTILES][24], heads[HIST_PERCENTILES][16];
};

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
/* Commands and millions of bytes per second. */
void latency_text_iops(const struct out *o, const void *row, char *buf, size_t size);
void latency_text_megabytes(const struct out *o, const void *row, char *buf, size_t size);

#endif
