// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows of `top`: what is added up for each, and the record that is printed. */
#ifndef NVT_TOP_TOP_ROW_H
#define NVT_TOP_TOP_ROW_H

#include "lib/cli/opt.h"
#include "lib/view/latency_row.h"

/* All keys, in the order of the columns: who, where, what. */
/* clang-format off */
#define TOP_KEYS(USE) \
	GROUP_TASK(USE) USE(HOST) USE(CTRL) USE(QID) USE(NS) USE(DEV) USE(CPU) USE(OPCODE) \
	GROUP_SHAPE(USE) USE(SCHED) USE(DURING) USE(FILE) USE(SYNCER) USE(STATUS)
/* clang-format on */

/* The commands of a key that are in flight at one moment. A row of lib/group/table.h. */
struct top_flight {
	struct group_key key;
	u64 count, age_ns; /* age_ns: of all together */
	u64 oldest_ns;
	u64 uncounted; /* of them, in %UTIL */
};

/* A row of a view: what completed in the interval, what was in flight at its ends. */
struct top_sum {
	struct group_key key;
	double figure; /* by which rows are sorted */
	struct top_flight begin, end; /* their keys mean nothing */
	u64 waits, wait_ns; /* -Q: of how many commands the wait is known, and of all together */
	struct latency_sum done; /* has the key, too; its buckets follow */
};

/* The figures of outstanding commands that are known. */
enum top_known {
	TOP_NOTHING,
	TOP_TIMES, /* how long commands were outstanding in the interval */
	TOP_ALL, /* and which were in flight at its end */
};

/* One record as printed. */
struct top_row {
	struct latency_row done; /* must be first: its columns read it there */
	u64 inflight, oldest_ns, queue_mean_ns; /* ~0: not known */
	double qd, util_pct, mean_bytes; /* NaN: not known */
};

extern const struct schema top_schema;

#define TOP_PERCENTILES "50,99" /* of the view */

/* Fills in the record of @from, but for util_pct. */
void top_row_fill(struct top_row *row, const struct latency_view *view, const struct top_sum *from,
		  enum top_known known);

/* clang-format off */
/* Rows are sorted by one of these, largest first: its word, and the column that shows it. */
#define TOP_SORTS(SORT)									\
	SORT(IOPS, "io", "iops", "commands per second")					\
	SORT(BYTES, "mb", "mb_per_s", "millions of bytes per second")			\
	SORT(QD, "qd", "qd", "commands outstanding")					\
	SORT(UTIL, "util", "util_pct", "time with a command outstanding")		\
	SORT(AVG, "avg", "mean_ns", "mean latency")					\
	SORT(P50, "p50", "p50_ns", "median latency")					\
	SORT(P99, "p99", "p99_ns", "99th percentile")					\
	SORT(MAX, "max", "max_ns", "largest latency")					\
	SORT(ERRORS, "err", "errors", "failed commands")				\
	SORT(OLD, "old", "oldest_ns", "oldest command in flight")			\
	SORT(QUEUE, "queue", "queue_mean_ns", "mean wait in the block layer; implies -Q") /* last: with -Q */
/* clang-format on */
#define TOP_SORT_BY(id, word, column, help) TOP_BY_##id,
enum top_sort { TOP_SORTS(TOP_SORT_BY) TOP_SORTS_ALL };

/* Their words and columns, in this order. */
extern const struct opt_word top_sort_words[];
extern const char *const top_sort_columns[];

/* The figure that @sort means; what is not known is 0. */
double top_row_figure(const struct top_row *row, u32 sort);

#endif
