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

	html_print(o, "<b>%s %s %s</b><em>%s", row->keys.ctrl, row->keys.op, row->percentile,
		   is->words ? is->words : row->why);
	if (is->words)
		html_print(o, ", %s%.1f %%", row->change.pct < 0 ? "" : "+", row->change.pct);
	html_print(o, "</em><span><svg class=\"change\" viewBox=\"0 0 100 14\" "
		      "xmlns=\"http://www.w3.org/2000/svg\" preserveAspectRatio=\"none\" "
		      "aria-hidden=\"true\"><path class=\"zero\" d=\"M50 0V14\"/>");
	if (is->words)
		html_print(o,
			   "<rect class=\"%s\" x=\"%.2f\" y=\"3\" width=\"%.2f\" height=\"8\"/>"
			   "<path class=\"point\" d=\"M%.2f 0V14\"/>",
			   is->class, low, high > low ? high - low : 0.5, place(row->change.pct));
	html_print(o, "</svg></span>\n");
}

/* Percentile by percentile, key by key. */
static const struct diff_row *row_at(struct diff_compare *d, u32 i)
{
	diff_key(d, i / d->n_pct);
	diff_percentile(d, i / d->n_pct, i % d->n_pct);
	return &d->row;
}

static const void *fill_row(struct report_side *side, const void *of, u32 i, union page_row *room)
{
	(void)of;
	(void)room;
	return row_at(&side->r->diff, i);
}

void report_changes(struct report *r)
{
	char a[FIND_WORD], command[FIND_WORD + 8];
	const struct page_table table = {
		"Table: changes of latency",
		"ctrl,op,count_a,count_b,iops_a,iops_b,percentile,a_ns,b_ns,change_pct,low_pct,high_pct,"
		"verdict",
		command, fill_row
	};
	u32 n = diff_settle(&r->diff) * r->diff.n_pct;

	html_print(r->o,
		   "<div class=\"bars\" role=\"group\" aria-label=\"Change of latency by "
		   "controller, opcode and percentile\">\n<b></b><em></em><span class=\"axis\">"
		   "<span>half</span><span>the same</span><span>twice</span></span>\n");
	for (u32 at = 0; at < ARRAY_SIZE(verdicts); at++)
		for (u32 i = 0; i < n; i++)
			if (*row_at(&r->diff, i)->verdict == verdicts[at].sign)
				put_change(r->o, &r->diff.row, &verdicts[at]);
	html_print(r->o, "</div>\n");
	snprintf(command, sizeof(command), "diff %s", find_quote(page_file(r, 0), a));
	page_table(&r->side[1], &table, diff_schema.fields, NULL, n,
		   "+ slower, - faster, = no change can be told, ? not known");
}
