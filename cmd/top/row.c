// SPDX-License-Identifier: GPL-2.0-or-later
/* Figures and columns of the records of `top`. */
#include "cmd/top/row.h"

#include "lib/base/fmt.h"
#include "lib/base/str.h"
#include "lib/out/out.h"

static bool has_errors(const void *p)
{
	const struct top_row *row = p;

	return row->errors && row->errors != ~0ULL;
}

static void text_iops(const struct out *o, const void *row, char *buf, size_t size)
{
	char text[FMT_NUMBER];

	(void)o;
	snprintf(buf, size, "%s", fmt_rate(text, ((const struct top_row *)row)->iops));
}

static void text_megabytes(const struct out *o, const void *row, char *buf, size_t size)
{
	char text[FMT_NUMBER];

	(void)o;
	snprintf(buf, size, "%s", fmt_rate(text, ((const struct top_row *)row)->bytes_per_s / 1e6));
}

static void text_oldest(const struct out *o, const void *p, char *buf, size_t size)
{
	const struct top_row *row = p;

	(void)o;
	if (row->inflight && row->inflight != ~0ULL)
		*fmt_fixed(buf, row->oldest_ns, 1000000000, 3) = '\0';
	(void)size;
}

#define ROW(type, m, ...) FIELD_OF(FIELD_##type, struct top_row, m, #m, __VA_ARGS__)
/* clang-format off */
const struct opt_word top_sort_words[] = {
	{ "io", TOP_BY_IOPS, "commands per second" }, { "mb", TOP_BY_BYTES, "bytes per second" },
	{ "qd", TOP_BY_QD, "commands outstanding" },
	{ "util", TOP_BY_UTIL, "time with a command outstanding" }, { "avg", TOP_BY_AVG, "mean latency" },
	{ "p50", TOP_BY_P50, "median latency" }, { "p99", TOP_BY_P99, "99th percentile" },
	{ "max", TOP_BY_MAX, "largest latency" }, { "err", TOP_BY_ERRORS, "failed commands" },
	{ "old", TOP_BY_OLD, "oldest command in flight" },
	{ NULL },
};

static const struct field top_fields[] = {
	GROUP_INTERVAL
	TOP_KEYS(GROUP_FIELDS)
	ROW(U64, count, .flags = FIELD_HIDDEN, .width = 7, .help = "commands that completed in the interval"),
	ROW(U64, bytes, .flags = FIELD_HIDDEN, .width = 12, .help = "bytes of data they transferred"),
	ROW(F64, iops, .head = "IO/s", .width = 6, .text = text_iops, .help = "commands per second"),
	ROW(F64, bytes_per_s, .flags = FIELD_HIDDEN, .width = 12, .help = "bytes transferred per second"),
	{ .type = FIELD_CALL, .name = "mb_per_s", .head = "MB/s", .width = 5, .flags = FIELD_ONLY_TEXT,
	  .text = text_megabytes, .help = "millions of bytes per second" },
	ROW(F64, qd, .head = "QD", .width = 5,
	    .help = "commands outstanding, the mean over time from their set-up to their completion"),
	ROW(F64, util_pct, .head = "%UTIL", .flags = FIELD_HIDDEN, .width = 5,
	    .help = "share of the interval in which the device, controller or queue had at least one command outstanding, of whatever operation"),
	ROW(U64, mean_ns, .head = "AVG", .width = 6, .flags = FIELD_LAT | FIELD_NULL_ONES, .help = "mean latency, rounded down"),
	ROW(U64, p50_ns, .head = "P50", .width = 6, .flags = FIELD_LAT | FIELD_NULL_ONES, .help = "median latency"),
	ROW(U64, p99_ns, .head = "P99", .width = 6, .flags = FIELD_LAT | FIELD_NULL_ONES | FIELD_BOLD,
	    .help = "latency that 99 of 100 commands do not exceed"),
	ROW(U64, max_ns, .head = "MAX", .width = 6, .flags = FIELD_LAT | FIELD_NULL_ONES, .help = "exact maximum"),
	ROW(U64, errors, .head = "ERR", .width = 3, .flags = FIELD_NULL_ONES, .bad = has_errors,
	    .help = "commands that failed"),
	ROW(U64, inflight, .flags = FIELD_HIDDEN | FIELD_NULL_ONES, .width = 4,
	    .help = "commands in flight at the end of the interval"),
	ROW(U64, oldest_ns, .head = "OLD(s)", .width = 6, .flags = FIELD_NULL_ONES, .text = text_oldest,
	    .help = "age of the oldest of them"),
	FIELD_DONE
};
/* clang-format on */

const struct schema top_schema = {
	.type = "top",
	.fields = top_fields,
	.help = "one for each interval and row of the view",
};

static void fill_done(struct top_row *row, const struct hist_cfg *hist,
		      const struct latency_sum *done)
{
	row->hist = latency_sum_hist(done, hist);
	row->mean_ns = row->p50_ns = row->p99_ns = row->max_ns = ~0ULL;
	if (!done->count)
		return;
	row->mean_ns = done->sum.sum_ns / done->count;
	row->p50_ns = hist_percentile(&row->hist, 50 * HIST_PERCENT);
	row->p99_ns = hist_percentile(&row->hist, 99 * HIST_PERCENT);
	row->max_ns = done->sum.max_ns;
}

/*
 * The time that commands were outstanding in the interval, all together: that of those which
 * completed, and of those which have not yet, but for what went before the interval. It is never
 * negative but for commands that completed while they were looked at.
 */
static double outstanding_ns(const struct top_sum *from)
{
	s64 ns = (s64)(from->done.sum.sum_ns + from->end.age_ns - from->begin.age_ns);

	return ns > 0 ? (double)ns : 0;
}

void top_row_fill(struct top_row *row, const struct group *g, const struct hist_cfg *hist,
		  const struct top_sum *from, enum top_known known)
{
	const struct latency_sum *done = &from->done;
	double seconds;

	group_row_fill(&row->keys, g, &from->key);
	seconds = (double)row->keys.interval_ns / 1e9;
	row->count = done->count;
	row->errors = session_no_status(g->s) ? ~0ULL : done->sum.errors;
	row->bytes = done->sum.bytes;
	row->iops = (double)row->count / seconds;
	row->bytes_per_s = (double)row->bytes / seconds;
	fill_done(row, hist, done);
	row->inflight = known == TOP_ALL ? from->end.count : ~0ULL;
	row->oldest_ns = known == TOP_ALL && from->end.count ? from->end.oldest_ns : ~0ULL;
	row->qd = known ? outstanding_ns(from) / 1e9 / seconds : __builtin_nan("");
}

static double known(u64 figure)
{
	return figure == ~0ULL ? 0 : (double)figure;
}

double top_row_figure(const struct top_row *row, u32 sort)
{
	switch (sort) {
	case TOP_BY_BYTES:
		return row->bytes_per_s;
	case TOP_BY_QD:
		return row->qd;
	case TOP_BY_UTIL:
		return row->util_pct;
	case TOP_BY_AVG:
		return known(row->mean_ns);
	case TOP_BY_P50:
		return known(row->p50_ns);
	case TOP_BY_P99:
		return known(row->p99_ns);
	case TOP_BY_MAX:
		return known(row->max_ns);
	case TOP_BY_ERRORS:
		return known(row->errors);
	case TOP_BY_OLD:
		return known(row->oldest_ns);
	default:
		return row->iops;
	}
}
