// SPDX-License-Identifier: GPL-2.0-or-later
/* Heat maps of the page, from the cells of lib/out/map.h. */
#include "cmd/report/report_maps.h"

#include "cmd/report/page.h"
#include "lib/base/fmt.h"
#include "lib/base/str.h"
#include "lib/base/units.h"

#define LABEL_SHARE 0.075 /* of the height, from one label to the next */

struct map_row {
	u64 wall_ns, count, p50_ns, p99_ns, max_ns;
};

#define ROW(type, m, nm, ...) FIELD_OF(FIELD_##type, struct map_row, m, nm, __VA_ARGS__)
/* clang-format off */
static const struct field map_fields[] = {
	ROW(TIME, wall_ns, "ts", .head = "FROM", .width = -15, .help = "begin of the column"),
	ROW(U64, count, "count", .help = "commands that completed"),
	ROW(U64, p50_ns, "p50", .flags = FIELD_LAT, .help = "half of them took at most so long"),
	ROW(U64, p99_ns, "p99", .flags = FIELD_LAT, .help = "99 of 100 took at most so long"),
	ROW(U64, max_ns, "max", .flags = FIELD_LAT, .help = "the slowest"),
	FIELD_DONE
};
/* clang-format on */

static void put_labels(const struct page_chart *c, const struct heat_scale *rows)
{
	u32 step = 1U << rows->bits, last = 0;
	char edge[FMT_NUMBER];

	while (step < rows->cells * LABEL_SHARE)
		step *= 2;
	/* The lowest and the highest edge have one, powers of two between them where there is room. */
	for (u32 i = 0; i <= rows->cells; i++) {
		bool end = !i || i == rows->cells;

		if (!end && ((rows->first + i) % step || i - last < rows->cells * LABEL_SHARE ||
			     rows->cells - i < rows->cells * LABEL_SHARE))
			continue;
		last = i;
		page_chart_label(c, rows->cells - i,
				 fmt_ns(edge,
					(double)hist_log_linear_lo(rows->first + i, rows->bits),
					" ", 0));
	}
}

/* "65.536 to 73.728 us" */
static void put_range(struct out *o, const struct heat_scale *rows, u32 row)
{
	u64 hi_ns = heat_hi(rows, row);
	char lo[64], hi[64];

	hist_text(o, heat_lo(rows, row), true, lo);
	if (hi_ns == ~0ULL)
		out_text(o, "%s %s or more", lo, hist_unit(o));
	else
		out_text(o, "%s to %s %s", lo, hist_text(o, hi_ns, true, hi), hist_unit(o));
}

static void put_column(const struct page_chart *c, const struct map_figure *f, u32 column)
{
	const struct heat_grid *grid = &f->grid;
	const struct hist h = heat_map_column(f->map, column);
	char from[PAGE_TIME], share[FMT_NUMBER];
	u64 counts[HEAT_CELLS];

	heat_count(&grid->rows, &h, counts);
	page_time(f->r, grid->start_ns + column * grid->step_ns, c->span_ns, from);
	for (u32 row = 0; row < grid->rows.cells; row++) {
		if (!counts[row])
			continue;
		out_text(
			c->o,
			"<rect class=\"h%u\" x=\"%u\" y=\"%u\" width=\"1\" height=\"1\"><title>%s, ",
			heat_shade(&f->shades, counts[row]), column, grid->rows.cells - 1 - row,
			from);
		put_range(c->o, &grid->rows, row);
		out_text(c->o, ": %llu command%s, %s %%</title></rect>\n",
			 (unsigned long long)counts[row], plural(counts[row]),
			 fmt_number(share, (double)counts[row] * 100 / (double)h.count, 1));
	}
}

static void put_legend(struct out *o, const struct heat_shades *shades)
{
	char number[HEAT_COUNT];

	out_text(o, "<div class=\"legend\"><span>commands, at least:</span>");
	for (u32 level = 1; level < HEAT_LEVELS; level++)
		out_text(
			o,
			"<span><svg viewBox=\"0 0 12 12\" xmlns=\"http://www.w3.org/2000/svg\" "
			"aria-hidden=\"true\"><rect class=\"h%u\" width=\"12\" height=\"12\"/></svg>"
			"%s</span>",
			level, heat_count_text(shades->from[level], number));
	out_text(o, "</div>\n");
}

static void put_table(const struct map_figure *f)
{
	const struct heat_grid *grid = &f->grid;
	struct html_table t;
	char name[400];

	page_details(f->r->o, "Table: latency over time");
	snprintf(name, sizeof(name), "%s, each column of the picture", f->name);
	html_table_begin(&t, f->r->o, name, map_fields, "ts,count,p50,p99,max");
	for (u32 i = 0; i < grid->columns; i++) {
		const struct hist h = heat_map_column(f->map, i);
		struct map_row row = {
			.wall_ns = session_wall_ns(f->r->s, grid->start_ns + i * grid->step_ns),
			.count = h.count,
			.p50_ns = hist_percentile(&h, 50 * HIST_PERCENT),
			.p99_ns = hist_percentile(&h, 99 * HIST_PERCENT),
			.max_ns = h.max_ns,
		};

		if (h.count)
			html_table_row(&t, &row);
	}
	html_table_end(&t);
	page_details_end(f->r->o);
}

static void put_caption(const struct map_figure *f)
{
	const struct heat_grid *grid = &f->grid;
	char step[UNITS_TEXT], count[PAGE_COUNT], part[24] = "";

	if (grid->rows.bits)
		snprintf(part, sizeof(part), "1/%u of ", 1U << grid->rows.bits);
	out_text(f->r->o, "<figcaption>");
	page_badge(f->r, f->side);
	html_text(f->r->o, f->name);
	if (!f->map) {
		out_text(f->r->o, "</figcaption>\n");
		return;
	}
	out_text(
		f->r->o,
		" <span>%s command%s; a column is %s, a row %sa power of two</span></figcaption>\n",
		page_count(grid->count, count), plural(grid->count),
		units_time_apart(grid->step_ns, step), part);
}

void map_arrange(struct map_figure *figures, u32 n, u32 most)
{
	struct heat_grid grids[REPORT_SIDES];
	struct heat_map *maps[REPORT_SIDES];
	u64 end_ns[REPORT_SIDES], span_ns = 0, max = 0;
	u32 used = 0;

	for (u32 i = 0; i < n; i++) {
		if (!figures[i].map)
			continue;
		maps[used] = figures[i].map;
		end_ns[used++] = figures[i].r->side[figures[i].side].end_ns;
	}
	if (used)
		heat_map_grids(maps, end_ns, grids, used, most);
	for (u32 i = 0, at = 0; i < n; i++) {
		u64 own_ns, own_max = 0;

		if (figures[i].map) {
			figures[i].grid = grids[at++];
			own_max = heat_map_fullest(figures[i].map, &figures[i].grid.rows);
		}
		max = own_max > max ? own_max : max;
		own_ns = figures[i].grid.columns * figures[i].grid.step_ns;
		own_ns = own_ns > figures[i].span_ns ? own_ns : figures[i].span_ns;
		span_ns = own_ns > span_ns ? own_ns : span_ns;
	}
	for (u32 i = 0; i < n; i++) {
		figures[i].span_ns = span_ns;
		figures[i].shades = heat_shades_of(max);
	}
}

static void put_missing(const struct map_figure *f)
{
	out_text(f->r->o, "<figure>");
	put_caption(f);
	if (f->r->side[f->side].n_maps == REPORT_MAPS)
		out_text(f->r->o,
			 "<p>It is not among the first %u devices and opcodes that were seen, "
			 "which have pictures.</p>",
			 REPORT_MAPS);
	else
		out_text(f->r->o, "<p>No command completed.</p>");
	out_text(f->r->o, "</figure>\n");
}

void map_draw(const struct map_figure *f)
{
	const struct heat_grid *grid = &f->grid;
	char name[400], side[8] = "";
	struct page_chart c = { .o = f->r->o,
				.r = f->r,
				.kind = f->kind,
				.name = name,
				.height = grid->rows.cells,
				.start_ns = grid->start_ns,
				.span_ns = f->span_ns };

	if (!f->map) {
		put_missing(f);
		return;
	}
	if (f->r->sides > 1)
		snprintf(side, sizeof(side), " of %c", PAGE_LETTER(f->side));
	snprintf(name, sizeof(name), "Heat map%s: %s over time", side, f->name);
	c.width = (double)c.span_ns / (double)grid->step_ns;
	out_text(c.o, "<figure>");
	put_caption(f);
	page_chart_begin(&c);
	put_labels(&c, &grid->rows);
	page_chart_picture(&c);
	for (u32 i = 0; i < grid->columns; i++)
		put_column(&c, f, i);
	page_chart_end(&c);
	put_legend(c.o, &f->shades);
	put_table(f);
	out_text(c.o, "</figure>\n");
}
