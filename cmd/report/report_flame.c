// SPDX-License-Identifier: GPL-2.0-or-later
/* The flame graph, of boxes that are cut to the width there is. */
#include "cmd/report/page.h"

#include "lib/base/fmt.h"
#include "lib/base/str.h"
#include "lib/event/counters.h"

#define BOXES 1500 /* of all recordings together */
#define ROW   19 /* pixels of a frame and the gap above it */
#define ROWS  50 /* of the table */

struct drawing {
	struct out *o;
	struct flame_size size;
};

static void put_box(void *ctx, const struct flame_box *box)
{
	const struct drawing *d = ctx;
	double scale = 100 / (double)d->size.total;

	html_print(d->o, "<div class=\"k%u\" style=\"left:%.3f%%;width:%.3f%%;top:%upx\" title=\"",
		   box->kind, (double)box->from * scale, (double)box->weight * scale,
		   (d->size.depth - 1 - box->depth) * ROW);
	html_escaped(d->o, box->name);
	html_print(d->o, ": %" PRIu64 " command%s, %.1f %%\">", box->weight, plural(box->weight),
		   (double)box->weight * scale);
	html_escaped(d->o, box->name);
	html_print(d->o, "</div>\n");
}

static void put_legend(struct out *o, const struct flame_size *size)
{
	html_print(o, "<div class=\"legend\" style=\"margin-left:0\">");
	for (u32 i = 0; flame_kinds[i]; i++)
		html_print(o, "<span><i class=\"k%u\"></i>%s</span>", i, flame_kinds[i]);
	html_print(o, "<span>%" PRIu64 " command%s", size->total, plural(size->total));
	if (size->left_out)
		html_print(o, "; %u narrower box%s left out", size->left_out,
			   size->left_out == 1 ? " is" : "es are");
	html_print(o, "</span></div>\n");
}

static void put_graph(const struct report *r, struct flame *flame)
{
	struct drawing d = { r->o, flame_boxes(flame, BOXES / r->sides, NULL, NULL) };

	if (!d.size.total)
		return;
	html_print(r->o,
		   "<figure><div class=\"flame\" role=\"img\" aria-label=\"Flame graph: who sends "
		   "NVMe commands\" style=\"height:%upx\">\n",
		   d.size.depth * ROW);
	flame_boxes(flame, BOXES / r->sides, put_box, &d);
	html_print(r->o, "</div>\n");
	put_legend(r->o, &d.size);
	html_print(r->o, "</figure>\n");
}

/* clang-format off */
static const struct field stack_fields[] = {
	FIELD_OF(FIELD_U64, struct stacks_row, count, "count", .help = "commands"),
	FIELD_OF(FIELD_STR, struct stacks_row, kstack, "kstack", .head = "KERNEL, INNERMOST FIRST", .help = "kernel stack"),
	FIELD_OF(FIELD_STR, struct stacks_row, ustack, "ustack", .head = "USER, INNERMOST FIRST", .help = "user stack"),
	FIELD_DONE
};
/* clang-format on */

static const void *fill_row(struct report_side *side, const void *of, u32 i, union page_row *room)
{
	(void)of;
	stacks_row_fill(&room->stack, &side->r->stacks, group_table_at(side->stacks, i));
	return &room->stack;
}

static void put_table(struct report_side *side, u32 n)
{
	u32 lacks = side->r->lacks, rows = n < ROWS ? n : ROWS;
	const struct page_table table = { "Table: stacks",
					  lacks & NEED_USTACK	? "count,kstack"
					  : lacks & NEED_KSTACK ? "count,ustack"
								: "count,kstack,ustack",
					  NULL, fill_row };
	char caption[80];

	snprintf(caption, sizeof(caption), "The %u heaviest of %u stacks", rows, n);
	page_table(side, &table, stack_fields, NULL, rows, caption);
}

void report_flame(struct report_side *side)
{
	struct report *r = side->r;
	u32 n = group_table_sort(side->stacks, stacks_compare, &r->stacks);
	struct flame *flame = flame_open();
	struct stacks_row row;

	for (u32 i = 0; i < n; i++) {
		stacks_row_fill(&row, &r->stacks, group_table_at(side->stacks, i));
		if (!flame || flame_add(flame, &r->stacks, &row))
			session_lost(r->s, STAT_STACKS_FULL, row.count);
	}
	if (flame)
		put_graph(r, flame);
	flame_close(flame);
	put_table(side, n);
}
