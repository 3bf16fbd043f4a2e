// SPDX-License-Identifier: GPL-2.0-or-later
/* The differences between two recordings. */
#include <math.h>

#include "cmd/report/page.h"

#include "lib/base/fmt.h"
#include "lib/base/str.h"

/* The place of a change between half (0) and twice as much (100), by its logarithm. */
static double place(double pct)
{
	double factor = 1 + pct / 100;

	if (factor <= 0.5)
		return 0;
	return factor >= 2 ? 100 : 50 + 50 * log2(factor);
}

/* How a verdict looks and reads; those that are known come first. */
static const struct verdict {
	char sign;
	const char *class, *words; /* NULL: the row says why it is not known */
} verdicts[] = {
	{ '+', "mark", "slower" },
	{ '-', "bar", "faster" },
	{ '=', "same", "no change can be told" },
	{ '?', NULL, NULL },
};

/* A bar over the interval that holds the change, with a mark at the change itself. */
static void put_change(struct out *o, const struct diff_row *row, const struct verdict *is)
{
	double low = place(row->change.low_pct), high = place(row->change.high_pct);
	char pct[FMT_NUMBER], at[FMT_NUMBER];

	out_text(o, "<b>");
	html_text(o, row->keys.ctrl);
	out_text(o, " ");
	html_text(o, row->keys.op);
	out_text(o, " %s</b><em>%s", row->percentile, is->words ? is->words : row->why);
	if (is->words)
		out_text(o, ", %s%s %%", row->change.pct < 0 ? "" : "+",
			 fmt_number(pct, row->change.pct, 1));
	out_text(o, "</em><span><svg class=\"change\" viewBox=\"0 0 100 14\" "
		    "xmlns=\"http://www.w3.org/2000/svg\" preserveAspectRatio=\"none\" "
		    "aria-hidden=\"true\"><path class=\"zero\" d=\"M50 0V14\"/>");
	if (is->words) {
		out_text(o, "<rect class=\"%s\"", is->class);
		svg_number(o, "x", low);
		svg_number(o, "width", high > low ? high - low : 0.5);
		out_text(o, " y=\"3\" height=\"8\"/><path class=\"point\" d=\"M%s 0V14\"/>",
			 fmt_number(at, place(row->change.pct), 2));
	}
	out_text(o, "</svg></span>\n");
}

/* Percentile by percentile, key by key. */
static const struct diff_row *row_at(struct diff_compare *d, u32 i)
{
	diff_key(d, i / d->n_pct);
	diff_percentile(d, i / d->n_pct, i % d->n_pct);
	return &d->row;
}

static const void *fill_row(const struct page_table *t, u32 i, union page_row *room)
{
	(void)room;
	return row_at(&t->side->r->diff, i);
}

static void put_bars(struct report *r, u32 n, const struct verdict *is)
{
	for (u32 i = 0; i < n; i++) {
		const struct diff_row *row = row_at(&r->diff, i);

		if (*row->verdict == is->sign)
			put_change(r->o, row, is);
	}
}

void report_changes(struct report *r)
{
	u32 n = diff_settle(&r->diff) * r->diff.n_pct;
	char command[400];

	out_text(r->o, "<div class=\"bars\" role=\"group\" aria-label=\"Change of latency by "
		       "controller, opcode and percentile\">\n<b></b><em></em><span class=\"axis\">"
		       "<span>half</span><span>the same</span><span>twice</span></span>\n");
	for (u32 i = 0; i < ARRAY_SIZE(verdicts); i++)
		put_bars(r, n, &verdicts[i]);
	out_text(r->o, "</div>\n");
	snprintf(command, sizeof(command), "diff -i %s", page_file(r, 0));
	page_table(&(struct page_table){
		.details = "Table: changes of latency",
		.caption = "+ slower, - faster, = no change can be told, ? not known",
		.fields = diff_schema.fields,
		.columns = "ctrl,op,count_a,count_b,iops_a,iops_b,percentile,a_ns,b_ns,change_pct,"
			   "low_pct,high_pct,verdict",
		.command = command,
		.row = fill_row,
		.side = &r->side[1],
		.n = n });
}
