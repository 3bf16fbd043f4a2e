// SPDX-License-Identifier: GPL-2.0-or-later
/* Figures and columns of the records of `top`. */
#include "cmd/top/top_row.h"

#include "lib/base/fmt.h"
#include "lib/base/str.h"

static void text_oldest(const struct out *o, const void *p, char *buf, size_t size)
{
	const struct top_row *row = p;

	(void)o;
	if (row->inflight && row->inflight != ~0ULL)
		*fmt_fixed(buf, row->oldest_ns, 1000000000, 3) = '\0';
	(void)size;
}

static void text_qd(const struct out *o, const void *p, char *buf, size_t size)
{
	double qd = ((const struct top_row *)p)->qd;
	char number[FMT_NUMBER];

	(void)o;
	if (!__builtin_isfinite(qd))
		return;
	if (qd > 0 && qd < 0.0005)
		snprintf(buf, size, "<.001");
	else
		snprintf(buf, size, "%s",
			 fmt_number(number, qd,
				    qd < 0.9995	 ? 3
				    : qd < 9.995 ? 2
						 : qd < 99.95));
}

static void text_mean_kb(const struct out *o, const void *p, char *buf, size_t size)
{
	char number[FMT_NUMBER];

	(void)o;
	snprintf(buf, size, "%s", fmt_rate(number, ((const struct top_row *)p)->mean_bytes / 1024));
}

#define ROW(type, m, ...) FIELD_OF(FIELD_##type, struct top_row, m, #m, __VA_ARGS__)
/* clang-format off */
#define WORD(id, word, column, help) { word, TOP_BY_##id, help },
const struct opt_word top_sort_words[] = { TOP_SORTS(WORD) { NULL } };
#define COLUMN(id, word, column, help) column,
const char *const top_sort_columns[] = { TOP_SORTS(COLUMN) };

static const struct field top_fields[] = {
	GROUP_INTERVAL
	TOP_KEYS(GROUP_FIELDS)
	LATENCY_ROW(U64, count, .flags = FIELD_HIDDEN, .width = 7, .rank = 66, .help = "commands that completed in the interval"),
	LATENCY_SUM(bytes, .flags = FIELD_HIDDEN, .width = 12, .rank = 68, .help = "bytes of data they transferred"),
	LATENCY_ROW(F64, iops, .head = "IO/s", .width = 6, .text = latency_text_iops, .rank = 1, .help = "commands per second"),
	LATENCY_ROW(F64, bytes_per_s, .flags = FIELD_HIDDEN, .width = 12, .rank = 67, .help = "bytes transferred per second"),
	{ .type = FIELD_CALL, .at = offsetof(struct top_row, done.bytes_per_s), .name = "mb_per_s", .head = "MB/s", .width = 5, .flags = FIELD_ONLY_TEXT,
	  .text = latency_text_megabytes, .rank = 22, .help = "millions of bytes per second" },
	ROW(F64, mean_bytes, .head = "KB", .width = 5, .text = text_mean_kb, .rank = 55,
	    .help = "mean size of a command in bytes; in text in KiB"),
	ROW(F64, qd, .head = "QD", .width = 5, .flags = FIELD_FINE, .text = text_qd, .rank = 26,
	    .help = "commands outstanding, the mean over time from their set-up to their completion"),
	ROW(F64, util_pct, .head = "%UTIL", .flags = FIELD_HIDDEN, .width = 5, .rank = 12,
	    .help = "share of the interval in which the device, controller or queue had at least one command outstanding, of whatever operation"),
	LATENCY_ROW(U64, mean_ns, .head = "AVG", .width = 6, .flags = FIELD_LAT | FIELD_NULL_ONES, .rank = 50, .help = "mean latency, rounded down"),
	FIELD_OF(FIELD_U64, struct latency_row, pct_ns[0], "p50_ns", .head = "P50", .width = 6, .flags = FIELD_LAT | FIELD_NULL_ONES, .rank = 60, .help = "median latency"),
	FIELD_OF(FIELD_U64, struct latency_row, pct_ns[1], "p99_ns", .head = "P99", .width = 6, .flags = FIELD_LAT | FIELD_NULL_ONES | FIELD_BOLD, .rank = 15,
	    .help = "latency that 99 of 100 commands do not exceed"),
	LATENCY_ROW(U64, max_ns, .head = "MAX", .width = 6, .flags = FIELD_LAT | FIELD_NULL_ONES, .rank = 40, .help = "exact maximum"),
	ROW(U64, queue_mean_ns, .head = "QUEUE", .width = 6, .flags = FIELD_LAT | FIELD_NULL_ONES | FIELD_ABSENT, .rank = 14,
	    .help = "mean wait from the entry into the block layer to the set-up, rounded down"),
	LATENCY_SUM(errors, .head = "ERR", .width = 3, .flags = FIELD_NULL_ONES, .bad = latency_has_errors, .rank = 20,
	    .help = "commands that failed"),
	ROW(U64, inflight, .flags = FIELD_HIDDEN | FIELD_NULL_ONES, .width = 4, .rank = 24,
	    .help = "commands in flight at the end of the interval"),
	ROW(U64, oldest_ns, .head = "OLD(s)", .width = 6, .flags = FIELD_NULL_ONES, .text = text_oldest, .rank = 30,
	    .help = "age of the oldest of them"),
	FIELD_DONE
};
/* clang-format on */

const struct schema top_schema = {
	.type = "top",
	.fields = top_fields,
	.help = "one for each interval and row of the view",
};

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

void top_row_fill(struct top_row *row, const struct latency_view *view, const struct top_sum *from,
		  enum top_known known)
{
	double seconds;

	latency_row_fill(&row->done, view, &from->done);
	row->mean_bytes = from->done.count ? (double)from->done.sum.bytes / (double)from->done.count
					   : __builtin_nan("");
	row->queue_mean_ns = from->waits ? from->wait_ns / from->waits : ~0ULL;
	seconds = (double)row->done.keys.interval_ns / 1e9;
	row->inflight = known == TOP_ALL ? from->end.count : ~0ULL;
	row->oldest_ns = known == TOP_ALL && from->end.count ? from->end.oldest_ns : ~0ULL;
	row->qd = known ? outstanding_ns(from) / 1e9 / seconds : __builtin_nan("");
}

double top_row_figure(const struct top_row *row, u32 sort)
{
	const struct field *f = top_fields;
	const void *figure;

	while (!streq(f->name, top_sort_columns[sort]))
		f++;
	figure = (const char *)row + f->at;
	if (f->type != FIELD_U64)
		return *(const double *)figure;
	return *(const u64 *)figure == UNKNOWN64 ? 0 : (double)*(const u64 *)figure;
}
