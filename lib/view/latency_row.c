// SPDX-License-Identifier: GPL-2.0-or-later
/* Names, figures and columns of latency records. */
#include "lib/view/latency_row.h"

#include "lib/base/fmt.h"
#include "lib/base/str.h"

static void emit_pct(struct json *j, const void *p)
{
	const struct latency_row *row = p;
	char key[24];
	u32 i;

	json_object(j, "pct_ns");
	for (i = 0; i < row->n_pct; i++) {
		snprintf(key, sizeof(key), "p%.*s", (int)row->pct[i].word_len, row->pct[i].word);
		json_u64(j, key, row->pct_ns[i]);
	}
	json_end(j);
}

static void emit_hist(struct json *j, const void *p)
{
	hist_emit(j, &((const struct latency_row *)p)->hist);
}

bool latency_has_errors(const void *p)
{
	const struct latency_row *row = p;

	return row->sum.errors && row->sum.errors != ~0ULL;
}

static void rate_text(double rate, char *buf, size_t size)
{
	char text[FMT_NUMBER];

	snprintf(buf, size, "%s", fmt_rate(text, rate));
}

void latency_text_iops(const struct out *o, const void *row, char *buf, size_t size)
{
	(void)o;
	rate_text(((const struct latency_row *)row)->iops, buf, size);
}

void latency_text_megabytes(const struct out *o, const void *row, char *buf, size_t size)
{
	(void)o;
	rate_text(((const struct latency_row *)row)->bytes_per_s / 1e6, buf, size);
}

#define PHASE                                                                                      \
	LATENCY_ROW(                                                                               \
		STR, phase, .width = -10, .flags = FIELD_ABSENT,                                   \
		.help = "queue, scheduler, device, completion or total; of a recording without --phases queue+scheduler or device"),
/* clang-format off */
static const struct field latency_fields[] = {
	GROUP_INTERVAL
	GROUP_ALL(GROUP_FIELDS)
	PHASE
	LATENCY_ROW(U64, count, .width = 7, .rank = 10, .help = "commands"),
	LATENCY_SUM(errors, .width = 6, .flags = FIELD_HIDDEN | FIELD_NULL_ONES, .rank = 66, .help = "commands that failed"),
	LATENCY_SUM(bytes, .width = 12, .flags = FIELD_HIDDEN, .rank = 68, .help = "bytes of data transferred"),
	LATENCY_ROW(F64, iops, .width = 6, .text = latency_text_iops, .rank = 40, .help = "commands per second"),
	LATENCY_ROW(F64, bytes_per_s, .width = 12, .flags = FIELD_HIDDEN, .rank = 67, .help = "bytes transferred per second"),
	{ .type = FIELD_CALL, .name = "mb_per_s", .head = "MB/s", .width = 5, .flags = FIELD_ONLY_TEXT,
	  .text = latency_text_megabytes, .rank = 45, .help = "millions of bytes per second" },
	LATENCY_ROW(F64, qd, .head = "QD", .width = 6, .flags = FIELD_HIDDEN, .rank = 38, .help = "commands outstanding, on average"),
	LATENCY_ROW(U64, min_ns, .width = 7, .flags = FIELD_LAT | FIELD_HIDDEN | FIELD_NULL_ONES, .rank = 36, .help = "exact minimum"),
	LATENCY_ROW(U64, max_ns, .width = 7, .flags = FIELD_LAT | FIELD_HIDDEN, .rank = 31, .help = "exact maximum"),
	LATENCY_SUM(sum_ns, .head = "TOTAL", .width = 10, .flags = FIELD_LAT | FIELD_HIDDEN, .rank = 37, .help = "sum of latencies"),
	LATENCY_ROW(U64, mean_ns, .head = "AVG", .width = 7, .flags = FIELD_LAT, .rank = 25, .help = "mean, rounded down"),
	FIELD_OF(FIELD_CALL, struct latency_row, pct_ns, "pct_ns", .emit = emit_pct, .json = JSON_COUNTS,
		 .help = "percentiles by name; in CSV and --table a column each, p99_ns"),
	FIELD_OF(FIELD_U64, struct latency_row, max_ns, "max", .head = "MAX", .width = 7,
		 .flags = FIELD_LAT | FIELD_ONLY_TEXT, .rank = 30, .help = "exact maximum"),
	FIELD_OF(FIELD_U64, struct latency_row, sum.errors, "err", .head = "ERR", .width = 3,
		 .flags = FIELD_NULL_ONES | FIELD_ONLY_TEXT, .bad = latency_has_errors, .rank = 35, .help = "commands that failed"),
	FIELD_OF(FIELD_CALL, struct latency_row, hist, "hist", .emit = emit_hist, .json = JSON_OBJECT, .members = hist_members,
		 .help = "buckets [lo, hi, count] that are not empty; hi is null past the range"),
	FIELD_DONE
};

#define BUCKET(m, ...) FIELD_OF(FIELD_U64, struct latency_row, bucket.m, #m, __VA_ARGS__)
static const struct field bucket_fields[] = {
	GROUP_FIELDS_HOST
	GROUP_TS
	GROUP_LENGTH
	GROUP_ALL_IN_HOST(GROUP_FIELDS)
	PHASE
	BUCKET(lo_ns, .help = "lower edge, inclusive"),
	BUCKET(hi_ns, .flags = FIELD_NULL_ONES, .help = "upper edge, exclusive; null past the range"),
	BUCKET(count, .help = "commands between them, not 0"),
	FIELD_DONE
};
/* clang-format on */

const struct schema latency_schema = {
	.type = "latency",
	.fields = latency_fields,
	.help = "one for each interval and combination of the keys of --by",
};

const struct schema latency_bucket_schema = {
	.type = "bucket",
	.fields = bucket_fields,
	.help = "with -H rows, one for each bucket that is not empty",
};

_Static_assert(ARRAY_SIZE(latency_fields) + HIST_PERCENTILES <=
		       ARRAY_SIZE(((struct latency_view *)0)->fields),
	       "no room for a column per percentile");

/* The 100th percentile has a column of its own in text, MAX. */
static unsigned int percentile_flags(const struct percentile *pct)
{
	if (pct->millionths == 100 * HIST_PERCENT)
		return FIELD_NO_TEXT;
	return pct->millionths == 99 * HIST_PERCENT ? FIELD_BOLD : 0;
}

/* How soon a narrow terminal does without the @i-th percentile: the median and the 99th stay. */
static u8 percentile_rank(const struct percentile *pct, u32 i)
{
	if (pct->millionths == 50 * HIST_PERCENT)
		return 20;
	if (pct->millionths == 99 * HIST_PERCENT)
		return 5;
	return (u8)((pct->millionths < 99 * HIST_PERCENT ? 80 : 50) + i);
}

void latency_fields_make(struct latency_view *view)
{
	const struct percentile *pct = view->pct;
	const struct field *from;
	struct field *to = view->fields;
	u32 i;

	for (from = latency_fields; from->type; from++) {
		*to++ = *from;
		for (i = 0; streq(from->name, "mean_ns") && i < view->n_pct; i++) {
			snprintf(view->names[i], sizeof(view->names[i]), "p%.*s_ns",
				 (int)pct[i].word_len, pct[i].word);
			snprintf(view->heads[i], sizeof(view->heads[i]), "P%.*s",
				 (int)pct[i].word_len, pct[i].word);
			*to++ = (struct field){
				.name = view->names[i],
				.type = FIELD_U64,
				.at = (u32)(offsetof(struct latency_row, pct_ns) + i * sizeof(u64)),
				.head = view->heads[i],
				.width = 7,
				.rank = percentile_rank(&pct[i], i),
				.flags = FIELD_LAT | FIELD_NO_JSON | percentile_flags(&pct[i]),
			};
		}
	}
	*to = *from;
}

void latency_columns(struct latency_view *view, struct out *o, bool extension, bool buckets)
{
	latency_fields_make(view);
	out_fields(o, &latency_schema, view->fields);
	out_only(o, buckets ? &latency_bucket_schema : &latency_schema);
	out_show(o, "phase", view->cfg->flags & LATENCY_WITH_PHASES);
	out_show(o, "sum_ns", extension);
}

static const char *phase_name(u64 phase)
{
	static const char *const names[LATENCY_PHASES] = {
		[LATENCY_PHASE_QUEUE] = "queue",	   [LATENCY_PHASE_SCHEDULER] = "scheduler",
		[LATENCY_PHASE_WAIT] = "queue+scheduler",  [LATENCY_PHASE_DEVICE] = "device",
		[LATENCY_PHASE_COMPLETION] = "completion", [LATENCY_PHASE_TOTAL] = "total",
	};

	return phase < LATENCY_PHASES ? names[phase] : NULL;
}

static void fill_figures(struct latency_row *row, const struct latency_view *view,
			 const struct latency_sum *from)
{
	u32 i;

	row->count = from->count;
	row->sum = from->sum;
	if (session_no_status(view->group.s))
		row->sum.errors = ~0ULL;
	row->mean_ns = row->count ? row->sum.sum_ns / row->count : UNKNOWN64;
	row->iops = (double)row->count * 1e9 / (double)row->keys.interval_ns;
	row->bytes_per_s = (double)row->sum.bytes * 1e9 / (double)row->keys.interval_ns;
	row->qd = (double)row->sum.sum_ns / (double)row->keys.interval_ns;
	row->hist = latency_sum_hist(from, &view->cfg->hist);
	row->min_ns = row->hist.min_ns;
	row->max_ns = row->count ? row->hist.max_ns : UNKNOWN64;
	row->pct = view->pct;
	row->n_pct = view->n_pct;
	for (i = 0; i < view->n_pct; i++)
		row->pct_ns[i] = row->count ? hist_percentile(&row->hist, view->pct[i].millionths)
					    : UNKNOWN64;
}

void latency_row_fill(struct latency_row *row, const struct latency_view *view,
		      const struct latency_sum *from)
{
	group_row_fill(&row->keys, &view->group, &from->key);
	row->phase = from->key.other ? view->group.other : phase_name(from->phase);
	fill_figures(row, view, from);
}
