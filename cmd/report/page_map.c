// SPDX-License-Identifier: GPL-2.0-or-later
/* Heat maps of the page, from the cells of lib/out/map.h. */
#include "cmd/report/page.h"

#include "lib/base/fmt.h"
#include "lib/base/str.h"
#include "lib/base/units.h"

#define LABEL_SHARE 0.075 /* of the height, from one label to the next */

static void put_labels(const struct page_chart *c, const struct heat_scale *rows)
{
	char edge[FMT_NUMBER];

	for (u32 i = 0; i <= rows->cells; i++) {
		double ns = (double)hist_log_linear_lo(rows->first + i, rows->bits);

		if (heat_labels(rows, i, rows->cells * LABEL_SHARE))
			page_chart_label(c, rows->cells - i, fmt_ns(edge, ns, " ", 0));
	}
}

static u64 column_ns(const struct page_map *m, u32 column)
{
	return m->side->series.start_ns + column * heat_map_grid(m->map)->step_ns;
}

static void put_cells(const struct page_map *m)
{
	const struct heat_grid *grid = heat_map_grid(m->map);
	const struct report *r = m->side->r;
	char from[PAGE_TIME];

	for (u32 i = 0; i < grid->columns; i++)
		heat_map_cells(m->map, r->o, i, page_time(r, column_ns(m, i), m->span_ns, from),
			       &(struct heat_place){ i, grid->rows.cells - 1, 1, 1 });
}

static void put_legend(struct out *o, const struct heat_shades *shades)
{
	char number[HEAT_COUNT];

	html_print(o, "<div class=\"legend\"><span>commands, at least:</span>");
	for (u32 level = 1; level < HEAT_LEVELS; level++)
		html_print(o,
			   "<span><svg viewBox=\"0 0 12 12\" xmlns=\"http://www.w3.org/2000/svg\" "
			   "aria-hidden=\"true\"><rect class=\"h%u\" width=\"12\" height=\"12\"/>"
			   "</svg>%s</span>",
			   level, heat_count_text(shades->from[level], number));
	html_print(o, "</div>\n");
}

static const void *fill_row(struct report_side *side, const void *of, u32 i, union page_row *room)
{
	const struct page_map *m = of;
	const struct hist h = heat_map_column(m->map, i);

	room->column = (struct page_column){
		.wall_ns = session_wall_ns(side->r->s, column_ns(m, i)),
		.count = h.count,
		.p50_ns = hist_percentile(&h, 50 * HIST_PERCENT),
		.p99_ns = hist_percentile(&h, 99 * HIST_PERCENT),
		.max_ns = h.max_ns,
	};
	return h.count ? &room->column : NULL;
}

static void put_caption(const struct page_map *m)
{
	const struct heat_grid *grid = m->map ? heat_map_grid(m->map) : NULL;
	struct out *o = m->side->r->o;
	char step[UNITS_TEXT], part[24] = "";

	html_print(o, "<figure><figcaption>");
	page_badge(m->side);
	html_print(o, "%s", m->name);
	if (grid && grid->rows.bits)
		snprintf(part, sizeof(part), "1/%u of ", 1U << grid->rows.bits);
	if (grid)
		html_print(o,
			   " <span>%" PRIu64
			   " command%s; a column is %s, a row %sa power of two</span>",
			   grid->count, plural(grid->count), units_time_apart(grid->step_ns, step),
			   part);
	html_print(o, "</figcaption>\n");
}

void page_maps_settle(const struct report *r, struct page_map maps[REPORT_SIDES], u32 most)
{
	struct heat_map *settled[REPORT_SIDES];
	u64 end_ns[REPORT_SIDES], span_ns = 0, own_ns;
	u32 n = 0;

	for (u32 i = 0; i < r->sides; i++) {
		span_ns = maps[i].span_ns > span_ns ? maps[i].span_ns : span_ns;
		if (!maps[i].map)
			continue;
		settled[n] = maps[i].map;
		end_ns[n++] = maps[i].side->end_ns;
	}
	if (n)
		heat_map_settle(settled, end_ns, n, most);
	for (u32 i = 0; i < n; i++) {
		own_ns = heat_map_grid(settled[i])->columns * heat_map_grid(settled[i])->step_ns;
		span_ns = own_ns > span_ns ? own_ns : span_ns;
	}
	for (u32 i = 0; i < r->sides; i++)
		maps[i].span_ns = span_ns;
}

static void put_picture(const struct page_map *m)
{
	const struct heat_grid *grid = heat_map_grid(m->map);
	double width = (double)m->span_ns / (double)grid->step_ns;
	char name[400], of[8] = "";
	const struct page_chart c = { m->side, m->kind, name, width, grid->rows.cells, m->span_ns };

	if (m->side->r->sides > 1)
		snprintf(of, sizeof(of), " of %c", PAGE_LETTER(m->side->number));
	snprintf(name, sizeof(name), "Heat map%s: %s over time", of, m->name);
	page_chart_begin(&c);
	put_labels(&c, &grid->rows);
	page_chart_picture(&c);
	put_cells(m);
	page_chart_end(&c);
	put_legend(m->side->r->o, &grid->shades);
}

void page_map(const struct page_map *m)
{
	static const struct page_table table = { "Table: latency over time", "ts,count,p50,p99,max",
						 NULL, fill_row };
	struct out *o = m->side->r->o;
	char caption[400];

	put_caption(m);
	if (m->map) {
		put_picture(m);
		snprintf(caption, sizeof(caption), "%s, each column of the picture", m->name);
		page_table(m->side, &table, page_column_fields, m, heat_map_grid(m->map)->columns,
			   caption);
	} else if (m->side->maps_full) {
		html_print(o,
			   "<p>It is not among the first %u devices and opcodes that were seen, "
			   "which have pictures.</p>",
			   REPORT_MAPS);
	} else {
		html_print(o, "<p>No command completed.</p>");
	}
	html_print(o, "</figure>\n");
}
