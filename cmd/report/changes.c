// SPDX-License-Identifier: GPL-2.0-or-later
/* The differences between two recordings. */
#include <math.h>

#include "cmd/report/page.h"

#include "lib/base/fmt.h"
#include "lib/base/str.h"

#define COLUMNS                                                                                    \
	"ctrl,op,count_a,count_b,iops_a,iops_b,percentile,a_ns,b_ns,change_pct,low_pct,high_pct,verdict"

/* The place of a change between half (0) and twice as much (100), by its logarithm. */
static double place(double pct)
{
	double factor = 1 + pct / 100;

	if (factor <= 0.5)
		return 0;
	return factor >= 2 ? 100 : 50 + 50 * log2(factor);
}

static const char *in_words(const struct diff_row *row)
{
	switch (*row->verdict) {
	case '+':
		return "slower";
	case '-':
		return "faster";
	case '=':
		return "no change can be told";
	default:
		return row->why;
	}
}

/* A bar over the interval that holds the change, with a mark at the change itself. */
static void put_change(const struct report *r, const struct diff_row *row)
{
	double low = place(row->change.low_pct), high = place(row->change.high_pct);
	char x[FMT_NUMBER], width[FMT_NUMBER], at[FMT_NUMBER];
	bool known = *row->verdict != '?';

	out_text(r->o, "<b>");
	html_text(r->o, row->keys.ctrl);
	out_text(r->o, " ");
	html_text(r->o, row->keys.op);
	out_text(r->o, " %s</b><em>%s", row->percentile, in_words(row));
	if (known)
		out_text(r->o, ", %s%s %%", row->change.pct < 0 ? "" : "+",
			 fmt_number(at, row->change.pct, 1));
	out_text(r->o, "</em><span><svg class=\"change\" viewBox=\"0 0 100 14\" "
		       "xmlns=\"http://www.w3.org/2000/svg\" preserveAspectRatio=\"none\" "
		       "aria-hidden=\"true\"><path class=\"zero\" d=\"M50 0V14\"/>");
	if (known)
		out_text(r->o,
			 "<rect class=\"%s\" x=\"%s\" y=\"3\" width=\"%s\" height=\"8\"/>"
			 "<path class=\"point\" d=\"M%s 0V14\"/>",
			 *row->verdict == '+'	? "mark"
			 : *row->verdict == '-' ? "bar"
						: "same",
			 fmt_number(x, low, 2), fmt_number(width, high > low ? high - low : 0.5, 2),
			 fmt_number(at, place(row->change.pct), 2));
	out_text(r->o, "</svg></span>\n");
}

/* Calls @each for every key and percentile. */
static void for_each(struct report *r, u32 rows, void (*each)(const struct report *r, void *ctx),
		     void *ctx)
{
	for (u32 i = 0; i < rows; i++) {
		diff_key(&r->diff, i);
		for (u32 p = 0; p < r->diff.n_pct; p++) {
			diff_percentile(&r->diff, i, p);
			each(r, ctx);
		}
	}
}

/* Draws a change whose verdict is among @ctx. */
static void put_bar(const struct report *r, void *ctx)
{
	if (strchr(ctx, *r->diff.row.verdict))
		put_change(r, &r->diff.row);
}

static void put_row(const struct report *r, void *ctx)
{
	html_table_row(ctx, &r->diff.row);
}

void report_changes(struct report *r)
{
	char verdicts[][3] = { "+-", "=", "?" }; /* what is known to have changed comes first */
	struct html_table t;
	u32 rows;

	if (r->sides < 2)
		return;
	rows = diff_settle(&r->diff);
	page_section(r->o, "changes", "What changed from A to B",
		     "Look for bars that keep to one side of the middle: there latency surely "
		     "changed. A bar spans what the change can be; with 95 % confidence all of "
		     "them hold.");
	page_bars_begin(r->o, "Change of latency by controller, opcode and percentile");
	out_text(r->o, "<b></b><em></em><span class=\"axis\"><span>half</span>"
		       "<span>the same</span><span>twice</span></span>\n");
	for (u32 i = 0; i < ARRAY_SIZE(verdicts); i++)
		for_each(r, rows, put_bar, verdicts[i]);
	page_bars_end(r->o);
	page_details(r->o, "Table: changes of latency");
	html_table_begin(&t, r->o, "+ slower, - faster, = no change can be told, ? not known",
			 diff_schema.fields, COLUMNS);
	for_each(r, rows, put_row, &t);
	html_table_end(&t);
	page_details_end(r->o);
	out_text(r->o, "<p class=\"soft\">The same figures: <code>nvmetool diff ");
	html_text(r->o, page_file(r, 0));
	out_text(r->o, " ");
	html_text(r->o, page_file(r, 1));
	out_text(r->o, "</code></p>\n");
	page_section_end(r->o);
}
