// SPDX-License-Identifier: GPL-2.0-or-later
/* The flame graph, of boxes that are cut to the width there is. */
#include "cmd/report/page.h"

#include "lib/base/fmt.h"
#include "lib/base/str.h"

#define BOXES 1500 /* of all recordings together */
#define ROW   19 /* pixels of a frame and the gap above it */
#define ROWS  50 /* of the table */

struct drawing {
	struct out *o;
	u64 total;
	u32 depth;
};

static void put_box(void *ctx, const struct flame_box *box)
{
	const struct drawing *d = ctx;
	char left[FMT_NUMBER], width[FMT_NUMBER], share[FMT_NUMBER];
	double scale = 100 / (double)d->total;

	out_text(d->o, "<div class=\"k%u\" style=\"left:%s%%;width:%s%%;top:%upx\" title=\"",
		 box->kind, fmt_number(left, (double)box->from * scale, 3),
		 fmt_number(width, (double)box->weight * scale, 3),
		 (d->depth - 1 - box->depth) * ROW);
	html_escaped(d->o, box->name);
	out_text(d->o, ": %llu command%s, %s %%\">", (unsigned long long)box->weight,
		 plural(box->weight), fmt_number(share, (double)box->weight * scale, 1));
	html_escaped(d->o, box->name);
	out_text(d->o, "</div>\n");
}

static void put_legend(const struct report *r, const struct flame_size *size)
{
	out_text(r->o, "<div class=\"legend\" style=\"margin-left:0\">");
	for (u32 i = 0; flame_kinds[i]; i++)
		out_text(r->o, "<span><i class=\"k%u\"></i>%s</span>", i, flame_kinds[i]);
	out_text(r->o, "<span>%llu command%s", (unsigned long long)size->total,
		 plural(size->total));
	if (size->left_out)
		out_text(r->o, "; %u narrower box%s left out", size->left_out,
			 size->left_out == 1 ? " is" : "es are");
	out_text(r->o, "</span></div>\n");
}

static void put_graph(const struct report *r, struct flame *flame)
{
	struct flame_size size = flame_boxes(flame, BOXES / r->sides, NULL, NULL);
	struct drawing d = { r->o, size.total, size.depth };

	if (!size.total)
		return;
	out_text(r->o,
		 "<figure><div class=\"flame\" role=\"img\" aria-label=\"Flame graph: who sends "
		 "NVMe commands\" style=\"height:%upx\">\n",
		 size.depth * ROW);
	flame_boxes(flame, BOXES / r->sides, put_box, &d);
	out_text(r->o, "</div>\n");
	put_legend(r, &size);
	out_text(r->o, "</figure>\n");
}

/* clang-format off */
static const struct field stack_fields[] = {
	FIELD_OF(FIELD_U64, struct stacks_row, count, "count", .help = "commands"),
	FIELD_OF(FIELD_STR, struct stacks_row, kstack, "kstack", .head = "KERNEL, INNERMOST FIRST", .help = "kernel stack"),
	FIELD_OF(FIELD_STR, struct stacks_row, ustack, "ustack", .head = "USER, INNERMOST FIRST", .help = "user stack"),
	FIELD_DONE
};
/* clang-format on */

/* Orders stacks: the most commands first. */
static int compare(const void *a, const void *b, void *view)
{
	const struct stacks_sum *x = a, *y = b;

	if (x->sum.count != y->sum.count)
		return x->sum.count < y->sum.count ? 1 : -1;
	return stacks_sum_compare(&((const struct stacks_view *)view)->group, x, y);
}

static void put_table(struct report *r, struct group_table *table, u32 n)
{
	struct html_table t;
	struct stacks_row row;
	char caption[80];

	snprintf(caption, sizeof(caption), "The %u heaviest of %u stacks", n < ROWS ? n : ROWS, n);
	page_details(r->o, "Table: stacks");
	html_table_begin(&t, r->o, caption, stack_fields,
			 r->lacks & NEED_USTACK	  ? "count,kstack"
			 : r->lacks & NEED_KSTACK ? "count,ustack"
						  : "count,kstack,ustack");
	for (u32 i = 0; i < n && i < ROWS; i++) {
		stacks_row_fill(&row, &r->stacks, group_table_at(table, i));
		html_table_row(&t, &row);
	}
	html_table_end(&t);
	page_details_end(r->o);
}

static void put_side(struct report *r, u32 i)
{
	struct group_table *table = r->side[i].stacks;
	u32 n = group_table_sort(table, compare, &r->stacks);
	struct flame *flame = flame_open();
	struct stacks_row row;

	page_side(r, i);
	for (u32 at = 0; at < n; at++) {
		stacks_row_fill(&row, &r->stacks, group_table_at(table, at));
		if (!flame || flame_add(flame, &r->stacks, &row))
			session_lost(r->s, STAT_STACKS_FULL, row.count);
	}
	if (flame)
		put_graph(r, flame);
	flame_close(flame);
	put_table(r, table, n);
}

void report_flame(struct report *r)
{
	if (r->lacks & NEED_KSTACK && r->lacks & NEED_USTACK)
		return;
	page_section(r->o, "stacks", "Who causes them: stacks",
		     "A box is a function, as wide as its share of the commands; the box on top of "
		     "it is what it called. Look for wide boxes that you did not expect.");
	for (u32 i = 0; i < r->sides; i++)
		put_side(r, i);
	page_section_end(r->o);
}
