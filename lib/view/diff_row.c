// SPDX-License-Identifier: GPL-2.0-or-later
/* Columns of `diff`. */
#include "lib/view/diff_row.h"

#include "lib/base/fmt.h"
#include "lib/base/str.h"

static void rate_text(double rate, char *buf, size_t size)
{
	char text[FMT_NUMBER];

	snprintf(buf, size, "%s", fmt_rate(text, rate));
}

static void percent_text(double pct, char *buf, size_t size)
{
	char text[FMT_NUMBER];

	if (__builtin_isfinite(pct))
		snprintf(buf, size, "%s%s", pct < 0 ? "" : "+", fmt_number(text, pct, 1));
}

#define TEXT(name, what, member)                                                                   \
	static void text_##name(const struct out *o, const void *row, char *buf, size_t size)      \
	{                                                                                          \
		(void)o;                                                                           \
		what##_text(((const struct diff_row *)row)->member, buf, size);                    \
	}
TEXT(iops_a, rate, iops[DIFF_A])
TEXT(iops_b, rate, iops[DIFF_B])
TEXT(change, percent, change.pct)
TEXT(low, percent, change.low_pct)
TEXT(high, percent, change.high_pct)

static bool is_slower(const void *p)
{
	const struct diff_row *row = p;

	return streq(row->verdict, diff_sign(DIFF_MORE));
}

const char *diff_sign(enum diff_verdict verdict)
{
	static const char *const signs[] = {
		[DIFF_UNKNOWN] = "?", [DIFF_SAME] = "=", [DIFF_MORE] = "+", [DIFF_LESS] = "-"
	};

	return signs[verdict];
}

/* Seconds in two digits, rounded up: no more of them is known. */
static const char *seconds(u64 ns, char buf[static FMT_NUMBER])
{
	u32 decimals = 9;
	u64 unit = 1, units = ns;

	while (units >= 100) {
		unit *= 10;
		units = (ns + unit - 1) / unit;
		decimals -= decimals > 0;
	}
	return fmt_number(buf, (double)(units * unit) / 1e9, decimals);
}

const char *diff_short_text(char *buf, size_t size, u32 side, const struct diff_short *is)
{
	char wanders[FMT_NUMBER], need[FMT_NUMBER];

	snprintf(buf, size, "%c is too short: it wanders over %s s; record at least %s s",
		 side == DIFF_A ? 'A' : 'B', seconds(is->wander_ns, wanders),
		 seconds(is->need_ns, need));
	return buf;
}

#define ROW(type, m, name, ...) FIELD_OF(FIELD_##type, struct diff_row, m, name, __VA_ARGS__)
/* clang-format off */
static const struct field diff_fields[] = {
	DIFF_KEYS(GROUP_FIELDS)
	ROW(U64, count[DIFF_A], "count_a", .head = "COUNT(A)", .width = 8, .rank = 50, .help = "commands in the first recording"),
	ROW(U64, count[DIFF_B], "count_b", .head = "COUNT(B)", .width = 8, .rank = 50, .help = "commands in the second one"),
	ROW(F64, iops[DIFF_A], "iops_a", .head = "IOPS(A)", .width = 7, .text = text_iops_a, .rank = 60, .help = "commands per second in the first recording"),
	ROW(F64, iops[DIFF_B], "iops_b", .head = "IOPS(B)", .width = 7, .text = text_iops_b, .rank = 60, .help = "commands per second in the second one"),
	ROW(CHARS, percentile, "percentile", .head = "PCT", .width = -6, .rank = 1, .help = "the percentile that is compared: p99"),
	ROW(U64, ns[DIFF_A], "a_ns", .head = "A", .width = 8, .flags = FIELD_LAT | FIELD_NULL_ONES, .rank = 20,
	    .help = "its latency in the first recording; null: no command"),
	ROW(U64, ns[DIFF_B], "b_ns", .head = "B", .width = 8, .flags = FIELD_LAT | FIELD_NULL_ONES, .rank = 20,
	    .help = "its latency in the second one; null: no command"),
	ROW(F64, change.pct, "change_pct", .head = "CHANGE%", .width = 7, .text = text_change, .rank = 5, .help = "change from the first to the second"),
	ROW(F64, change.low_pct, "low_pct", .head = "LOW%", .width = 7, .text = text_low, .rank = 30,
	    .help = "lower end of the interval that holds the change; null: not known"),
	ROW(F64, change.high_pct, "high_pct", .head = "HIGH%", .width = 7, .text = text_high, .rank = 30, .help = "its upper end"),
	ROW(STR, verdict, "verdict", .head = "IS", .width = -2, .bad = is_slower, .rank = 3,
	    .help = "+ more, - less, = no change can be told, ? not known"),
	ROW(STR, why, "why", .width = -40, .flags = FIELD_HIDDEN | FIELD_LAST, .least = 12, .rank = 55,
	    .help = "why the verdict is ?: too few commands, or a recording is too short; else null"),
	ROW(U64, now.wander_ns, "wander_ns", .head = "WANDERS", .width = 10, .flags = FIELD_NO_TEXT | FIELD_NULL_ZERO,
	    .help = "for how long the recording wanders that is too short; null: none is"),
	ROW(U64, now.need_ns, "need_ns", .head = "NEEDS", .width = 10, .flags = FIELD_NO_TEXT | FIELD_NULL_ZERO,
	    .help = "how long a recording would be long enough; null: both are"),
	FIELD_DONE
};
/* clang-format on */

const struct schema diff_schema = {
	.type = "diff",
	.fields = diff_fields,
	.help = "one for each combination of the keys of --by, and percentile",
};
