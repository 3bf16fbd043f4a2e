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
	char left[FMT_NUMBER], width[FMT_NUMBER], share[FMT_NUMBER];
	double scale = 100 / (double)d->size.total;

	out_text(d->o, "<div class=\"k%u\" style=\"left:%s%%;width:%s%%;top:%upx\" title=\"",
		 box->kind, fmt_number(left, (double)box->from * scale, 3),
		 fmt_number(width, (double)box->weight * scale, 3),
		 (d->size.depth - 1 - box->depth) * ROW);
	html_escaped(d->o, box->name);
	out_text(d->o, ": %llu command%s, %s %%\">", (unsigned long long)box->weight,
		 plural(box->weight), fmt_number(share, (double)box->weight * scale, 1));
	html_escaped(d->o, box->name);
	out_text(d->o, "</div>\n");
}

static void put_legend(struct out *o, const struct flame_size *size)
{
	out_text(o, "<div class=\"legend\" style=\"margin-left:0\">");
	for (u32 i = 0; flame_kinds[i]; i++)
		out_text(o, "<span><i class=\"k%u\"></i>%s</span>", i, flame_kinds[i]);
	out_text(o, "<span>%llu command%s", (unsigned long long)size->total, plural(size->total));
	if (size->left_out)
		out_text(o, "; %u narrower box%s left out", size->left_out,
			 size->left_out == 1 ? " is" : "es are");
	out_text(o, "</span></div>\n");
}

static void put_graph(const struct report *r, struct flame *flame)
{
	struct drawing d = { r->o, flame_boxes(flame, BOXES / r->sides, NULL, NULL) };

	if (!d.size.total)
		return;
	out_text(r->o,
		 "<figure><div class=\"flame\" role=\"img\" aria-label=\"Flame graph: who sends "
		 "NVMe commands\" style=\"height:%upx\">\n",
		 d.size.depth * ROW);
	flame_boxes(flame, BOXES / r->sides, put_box, &d);
	out_text(r->o, "</div>\n");
	put_legend(r->o, &d.size);
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

static const void *fill_row(const struct page_table *t, u32 i, union page_row *room)
{
	stacks_row_fill(&room->stack, &t->side->r->stacks, group_table_at(t->side->stacks, i));
	return &room->stack;
}

static void put_table(struct report_side *side, u32 n)
{
	u32 lacks = side->r->lacks, rows = n < ROWS ? n : ROWS;
	char caption[80];

	snprintf(caption, sizeof(caption), "The %u heaviest of %u stacks", rows, n);
	page_table(&(struct page_table){ .details = "Table: stacks",
					 .caption = caption,
					 .fields = stack_fields,
					 .columns = lacks & NEED_USTACK	  ? "count,kstack"
						    : lacks & NEED_KSTACK ? "count,ustack"
									  : "count,kstack,ustack",
					 .row = fill_row,
					 .side = side,
					 .n = rows });
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
