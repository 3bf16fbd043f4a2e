// SPDX-License-Identifier: GPL-2.0-or-later
/* Gathers the columns of heat maps, and draws them. */
#include "lib/out/map.h"

#include "lib/base/fmt.h"
#include "lib/base/str.h"
#include "lib/base/units.h"
#include "lib/out/out_hist.h"
#include "lib/out/svg.h"

#define HEAD	   104 /* pixels above the cells: title, legend */
#define FOOT	   36 /* below them: times */
#define LEFT	   76 /* beside them: latencies */
#define PLOT	   ((double)(SVG_WIDTH - LEFT - SVG_MARGIN))
#define HEIGHT	   432 /* of the cells, about */
#define ROW_MAX	   24
#define LABEL_ROWS 18 /* pixels from one label to the next, at least */
#define TIMES	   7 /* below the cells, at most */

struct heat_map {
	const struct hist_cfg *cfg;
	u64 start_ns, step_ns; /* step: of heat_map_add() */
	u32 n, calls, calls_in_last; /* columns; calls of heat_map_take() that make a column */
	u64 end_ns[HEAT_COLUMNS];
	struct hist_extremes extremes[HEAT_COLUMNS]; /* of heat_map_add() */
	u64 *total; /* cfg->slots, then as many for each column */
	struct heat_grid grid;
};

struct heat_map *heat_map_open(const struct hist_cfg *cfg)
{
	struct heat_map *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->cfg = cfg;
	m->step_ns = NSEC_PER_MSEC;
	m->calls = 1;
	m->total = calloc((size_t)cfg->slots * (1 + HEAT_COLUMNS), sizeof(u64));
	if (m->total)
		return m;
	heat_map_close(m);
	return NULL;
}

void heat_map_begin(struct heat_map *m, u64 start_ns)
{
	m->start_ns = start_ns;
}

void heat_map_close(struct heat_map *m)
{
	if (m)
		free(m->total);
	free(m);
}

static u64 *buckets_of(const struct heat_map *m, u32 column)
{
	return m->total + (size_t)m->cfg->slots * (1 + column);
}

static struct hist hist_of(const struct heat_map *m, const u64 *buckets)
{
	struct hist h = { .cfg = m->cfg, .buckets = buckets };

	for (u32 slot = 0; slot < m->cfg->slots; slot++)
		h.count += buckets[slot];
	return h;
}

/* Adds the extremes of column @from, which has none after that, to those of column @to. */
static void move_extremes(struct heat_map *m, u32 to, u32 from)
{
	struct hist_extremes e = m->extremes[from];

	m->extremes[from] = (struct hist_extremes){ 0 };
	hist_widen(&m->extremes[to], e.max_ns, e.max_inv_ns);
}

/* Makes each two columns one. */
static void halve(struct heat_map *m)
{
	u32 slots = m->cfg->slots;

	for (u32 i = 0; i < m->n; i++) {
		m->end_ns[i / 2] = m->end_ns[i];
		move_extremes(m, i / 2, i);
		if (i)
			for (u32 slot = 0; slot < slots; slot++) {
				u64 count = buckets_of(m, i)[slot];

				if (!count)
					continue; /* memory that was never written takes none */
				buckets_of(m, i)[slot] = 0;
				buckets_of(m, i / 2)[slot] += count;
			}
	}
	m->n = (m->n + 1) / 2;
}

/* Opens the columns of a grid up to the one that @ts_ns is in, and returns that one. */
static u32 column_at(struct heat_map *m, u64 ts_ns)
{
	u64 past_ns = ts_ns > m->start_ns ? ts_ns - m->start_ns : 0;
	u64 column;

	for (;;) {
		column = past_ns / m->step_ns;
		while (m->n <= column && m->n < HEAT_COLUMNS) {
			m->n++;
			m->end_ns[m->n - 1] = m->start_ns + m->n * m->step_ns;
		}
		if (column < HEAT_COLUMNS)
			return (u32)column;
		halve(m);
		m->step_ns *= 2;
	}
}

void heat_map_add(struct heat_map *m, u64 ts_ns, u64 lat_ns)
{
	u32 slot = hist_slot(m->cfg, lat_ns), column = column_at(m, ts_ns);

	buckets_of(m, column)[slot]++;
	m->total[slot]++;
	hist_widen(&m->extremes[column], lat_ns, ~lat_ns);
}

void heat_map_take(struct heat_map *m, u64 end_ns, const struct hist *h)
{
	u64 *to;

	if (!m->n || m->calls_in_last == m->calls) {
		if (m->n == HEAT_COLUMNS) {
			halve(m);
			m->calls *= 2;
		}
		m->n++;
		m->calls_in_last = 0;
	}
	m->calls_in_last++;
	m->end_ns[m->n - 1] = end_ns;
	to = buckets_of(m, m->n - 1);
	for (u32 slot = 0; h->count && slot < m->cfg->slots; slot++) {
		to[slot] += h->buckets[slot] - m->total[slot];
		m->total[slot] = h->buckets[slot];
	}
}

/* The finest rows, at most HEAT_ROWS and 2^@bits for a power of two, that all commands are in. */
static struct heat_scale rows_of(struct heat_map *const maps[], u32 n, u32 bits)
{
	struct heat_scale rows = { .bits = bits };
	const struct hist_cfg *cfg = maps[0]->cfg;
	u32 first = cfg->slots, last = 0, end;

	for (u32 i = 0; i < n; i++)
		for (u32 slot = 0; slot < cfg->slots; slot++)
			if (maps[i]->total[slot]) {
				first = slot < first ? slot : first;
				last = slot > last ? slot : last;
			}
	if (first > last)
		return rows;
	for (;; rows.bits--) {
		rows.first = hist_log_linear(hist_lo(cfg, first), rows.bits);
		end = hist_log_linear(hist_lo(cfg, last), rows.bits) + 1;
		rows.cells = end - rows.first;
		if (rows.cells <= HEAT_ROWS || !rows.bits)
			return rows;
	}
}

/* Ends the last column of a map that heat_map_add() filled with the run. */
static void finish(struct heat_map *m, u64 end_ns)
{
	if (m->calls_in_last || end_ns <= m->start_ns)
		return;
	column_at(m, end_ns - 1);
	m->end_ns[m->n - 1] = end_ns;
}

/* How many cells have commands. */
static u32 cells_used(const struct heat_map *m, const struct heat_scale *rows)
{
	u64 counts[HEAT_CELLS];
	u32 used = 0;

	for (u32 i = 0; i < m->n; i++) {
		const struct hist h = hist_of(m, buckets_of(m, i));

		heat_count(rows, &h, counts);
		for (u32 row = 0; row < rows->cells; row++)
			used += counts[row] > 0;
	}
	return used;
}

/* The most cells that one of the maps uses. */
static u32 most_used(struct heat_map *const maps[], u32 n, const struct heat_scale *rows)
{
	u32 most = 0;

	for (u32 i = 0; i < n; i++) {
		u32 used = cells_used(maps[i], rows);

		most = used > most ? used : most;
	}
	return most;
}

/* Joins columns of all maps until each is at least @step_ns long. */
static void widen_columns(struct heat_map *const maps[], u32 n, u64 step_ns)
{
	for (u32 i = 0; i < n; i++)
		for (; maps[i]->step_ns < step_ns; maps[i]->step_ns *= 2)
			halve(maps[i]);
}

/* Whether columns can be joined any more. */
static bool has_columns(struct heat_map *const maps[], u32 n)
{
	for (u32 i = 0; i < n; i++)
		if (maps[i]->n > 1)
			return true;
	return false;
}

/* How many commands the fullest cell of a map has. */
static u64 fullest(const struct heat_map *m, const struct heat_scale *rows)
{
	u64 counts[HEAT_CELLS], max = 0;

	for (u32 column = 0; column < m->n; column++) {
		const struct hist h = heat_map_column(m, column);

		heat_count(rows, &h, counts);
		for (u32 row = 0; row < rows->cells; row++)
			max = counts[row] > max ? counts[row] : max;
	}
	return max;
}

/* Returns how many columns the longest map has. */
static u32 set_grids(struct heat_map *const maps[], u32 n, const struct heat_scale *rows)
{
	u32 columns = 0;
	u64 max = 0, own;

	for (u32 i = 0; i < n; i++) {
		own = fullest(maps[i], rows);
		max = own > max ? own : max;
		columns = maps[i]->n > columns ? maps[i]->n : columns;
	}
	for (u32 i = 0; i < n; i++)
		maps[i]->grid =
			(struct heat_grid){ .rows = *rows,
					    .shades = heat_shades_of(max),
					    .columns = maps[i]->n,
					    .step_ns = maps[i]->step_ns,
					    .count = hist_of(maps[i], maps[i]->total).count };
	return columns;
}

u64 heat_map_settle(struct heat_map *const maps[], const u64 end_ns[], u32 n, u32 most)
{
	u32 bits = maps[0]->cfg->bits;
	struct heat_scale rows;
	u64 step_ns = 0;

	for (u32 i = 0; i < n; i++) {
		finish(maps[i], end_ns[i]);
		step_ns = maps[i]->step_ns > step_ns ? maps[i]->step_ns : step_ns;
	}
	for (;; step_ns *= 2) {
		widen_columns(maps, n, step_ns);
		rows = rows_of(maps, n, bits);
		while (rows.bits && most_used(maps, n, &rows) > most)
			rows = rows_of(maps, n, bits = rows.bits - 1);
		if (most_used(maps, n, &rows) <= most || !has_columns(maps, n))
			break;
	}
	return set_grids(maps, n, &rows) * step_ns;
}

const struct heat_grid *heat_map_grid(const struct heat_map *m)
{
	return &m->grid;
}

struct hist heat_map_column(const struct heat_map *m, u32 column)
{
	struct hist h = hist_of(m, buckets_of(m, column));

	h.min_ns = ~m->extremes[column].max_inv_ns;
	h.max_ns = m->extremes[column].max_ns;
	return h;
}

const char *heat_map_units(const struct heat_map *m, char buf[HEAT_UNITS])
{
	u64 mean_ns = m->n ? (m->end_ns[m->n - 1] - m->start_ns) / m->n : 0;
	char width[UNITS_TEXT], mean[FMT_NUMBER], part[24] = "";

	if (m->grid.rows.bits)
		snprintf(part, sizeof(part), "1/%u of ", 1U << m->grid.rows.bits);
	snprintf(buf, HEAT_UNITS, "%s%s, a row %sa power of two", m->calls_in_last ? "about " : "",
		 m->calls_in_last ? fmt_ns(mean, (double)mean_ns, " ", 0)
				  : units_time_apart(m->step_ns, width),
		 part);
	return buf;
}

/* Prints the range of a row, exact: "65.536 to 73.728 us". */
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

/* Prints an attribute, a number of at most two decimals. */
static void put_number(struct out *o, const char *name, double value)
{
	char text[FMT_NUMBER];

	*fmt_double(text, value, 2, true) = '\0';
	out_text(o, " %s=\"%s\"", name, text);
}

void heat_map_cells(const struct heat_map *m, struct out *o, u32 column, const char *when,
		    const struct heat_place *at)
{
	const struct hist h = heat_map_column(m, column);
	const struct heat_scale *rows = &m->grid.rows;
	char share[FMT_NUMBER];
	u64 counts[HEAT_CELLS];

	heat_count(rows, &h, counts);
	for (u32 row = 0; row < rows->cells; row++) {
		if (!counts[row])
			continue;
		out_text(o, "<rect class=\"h%u\"", heat_shade(&m->grid.shades, counts[row]));
		put_number(o, "x", at->x);
		put_number(o, "y", at->y - row * at->height);
		put_number(o, "width", at->width);
		put_number(o, "height", at->height);
		out_text(o, "><title>%s, ", when);
		put_range(o, rows, row);
		out_text(o, ": %llu command%s, %s %%</title></rect>\n",
			 (unsigned long long)counts[row], plural(counts[row]),
			 fmt_number(share, (double)counts[row] * 100 / (double)h.count, 1));
	}
}

/* Dark on white, bright on black: so a single command is seen on both. */
const char heat_map_style[] =
	".h1{fill:#b5dcb2}.h2{fill:#93d3b4}.h3{fill:#6cc7b9}.h4{fill:#41b6c4}.h5{fill:#2a9fc4}\n"
	".h6{fill:#1d84b9}.h7{fill:#225ea8}.h8{fill:#253494}.h9{fill:#081d58}\n"
	".axis{fill:#4a4a4a}.end{text-anchor:end}.grid{stroke:#8884;fill:none}\n"
	"rect[class^=h]:hover{stroke:#1a1a1a}\n"
	"@media (prefers-color-scheme:dark){.axis{fill:#b8bcc4}rect[class^=h]:hover{stroke:#fff}\n"
	".h1{fill:#5a3a8e}.h2{fill:#4d5aa0}.h3{fill:#3c7ba6}.h4{fill:#2f98a5}.h5{fill:#35b394}\n"
	".h6{fill:#63cb7a}.h7{fill:#a5da5a}.h8{fill:#e3e04c}.h9{fill:#fdf6b5}}\n";

/* A map while it is drawn as a document. */
struct picture {
	const struct heat_map *map;
	const struct heat_grid *grid;
	struct out *o;
	u64 wall_offset_ns;
	u32 row; /* height of one */
};

static double x_of(const struct picture *p, u32 column)
{
	return LEFT + PLOT * column / p->map->n;
}

static u64 column_start(const struct heat_map *m, u32 column)
{
	return column ? m->end_ns[column - 1] : m->start_ns;
}

static const char *time_text(const struct picture *p, u64 ns, char buf[40])
{
	struct out_stamp stamp;

	out_stamp(&stamp, ns + p->wall_offset_ns, out_opts(p->o)->utc, 3);
	snprintf(buf, 40, "%s", stamp.time);
	return buf;
}

static void draw_legend(const struct picture *p)
{
	struct out *o = p->o;
	char number[HEAT_COUNT];
	u32 x = LEFT;

	out_text(o, "<text class=\"axis end\" x=\"%u\" y=\"%u\">latency</text>\n", LEFT - 8,
		 HEAD - 10); /* above its axis */
	for (u32 level = 1; level < HEAT_LEVELS; level++, x += 64) {
		out_text(o,
			 "<rect class=\"k%u h%u\" x=\"%u\" y=\"70\" width=\"12\" height=\"12\"/>"
			 "<text class=\"axis\" x=\"%u\" y=\"80\">%s</text>\n",
			 level, level, x, x + 17,
			 heat_count_text(p->grid->shades.from[level], number));
	}
	out_text(o, "<text class=\"axis\" x=\"%u\" y=\"80\">commands in a cell, or more</text>\n",
		 x);
}

static void draw_latencies(const struct picture *p)
{
	const struct heat_scale *rows = &p->grid->rows;
	char edge[FMT_NUMBER];
	u32 y;

	for (u32 i = 0; i <= rows->cells && p->grid->count; i++) {
		if (!heat_labels(rows, i, (double)LABEL_ROWS / p->row))
			continue;
		y = HEAD + (rows->cells - i) * p->row;
		out_text(p->o,
			 "<text class=\"axis end\" x=\"%u\" y=\"%u\">%s</text>"
			 "<path class=\"grid\" d=\"M%u %uH%u\"/>\n",
			 LEFT - 8, y + 4,
			 fmt_ns(edge, (double)hist_log_linear_lo(rows->first + i, rows->bits), " ",
				0),
			 LEFT, y, SVG_WIDTH - SVG_MARGIN);
	}
}

static void draw_times(const struct picture *p)
{
	u32 y = HEAD + p->grid->rows.cells * p->row, step = (p->map->n + TIMES - 1) / TIMES;
	char text[40];

	for (u32 i = 0; i < p->map->n && p->grid->count; i += step)
		out_text(p->o,
			 "<path class=\"grid\" d=\"M%.2f %uv6\"/>"
			 "<text class=\"axis\" x=\"%.2f\" y=\"%u\">%s</text>\n",
			 x_of(p, i), y, x_of(p, i), y + 20,
			 time_text(p, column_start(p->map, i), text));
}

static void draw_column(const struct picture *p, u32 column)
{
	const struct heat_map *m = p->map;
	char when[100], from[40], to[40];

	snprintf(when, sizeof(when), "%s to %s", time_text(p, column_start(m, column), from),
		 time_text(p, m->end_ns[column], to));
	heat_map_cells(m, p->o, column, when,
		       &(struct heat_place){ .x = x_of(p, column),
					     .y = HEAD + (p->grid->rows.cells - 1) * p->row,
					     .width = PLOT / m->n,
					     .height = p->row });
}

static void begin(const struct picture *p, const char *where)
{
	const struct heat_map *m = p->map;
	char about[400], units[HEAT_UNITS];

	if (p->grid->count)
		snprintf(
			about, sizeof(about),
			"%llu command%s. A column is %s. Look for bands that move up, and for spots "
			"far above them.",
			(unsigned long long)p->grid->count, plural(p->grid->count),
			heat_map_units(m, units));
	else
		snprintf(about, sizeof(about), "Nothing was seen.");
	svg_begin(
		p->o, HEAD + p->grid->rows.cells * p->row + FOOT,
		&(struct svg_head){ "How long NVMe commands took", where, about, heat_map_style });
}

void heat_map_draw(struct heat_map *m, struct out *o, u64 end_ns, u64 wall_offset_ns,
		   const char *where)
{
	struct picture p = { .map = m, .grid = &m->grid, .o = o, .wall_offset_ns = wall_offset_ns };

	heat_map_settle(&m, &end_ns, 1, ~0U);
	p.row = HEIGHT / (m->grid.rows.cells ? m->grid.rows.cells : 1);
	p.row = p.row < ROW_MAX ? p.row : ROW_MAX;
	begin(&p, where);
	draw_legend(&p);
	draw_latencies(&p);
	for (u32 column = 0; column < m->n; column++)
		draw_column(&p, column);
	draw_times(&p);
	svg_end(o);
}
