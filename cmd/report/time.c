// SPDX-License-Identifier: GPL-2.0-or-later
/* Pictures over time: heat maps, from the cells of lib/out/map.h, and charts on the same axis. */
#include <math.h>

#include "cmd/report/page.h"

#include "lib/base/fmt.h"
#include "lib/base/str.h"
#include "lib/base/units.h"

#define CELLS_ALL   3600 /* of the heat maps of all commands together */
#define CELLS_PARTS 4200 /* of those of devices and opcodes */
#define LABEL_SHARE 0.075 /* of the height, from one label to the next */
#define HEIGHT	    100.0 /* units of a chart */
#define LANE	    20 /* of a lane of troubles */

/* Charts of a series. */
enum { RATE, THROUGHPUT, DEPTH, CHARTS };
static const char *const chart_names[CHARTS] = {
	[RATE] = "Commands per second",
	[THROUGHPUT] = "MB/s",
	[DEPTH] = "Commands in flight, on average",
};

#define COLUMN(type, m, nm, ...) FIELD_OF(FIELD_##type, struct page_column, m, nm, __VA_ARGS__)
#define TROUBLE(type, nm, what)                                                                    \
	COLUMN(U64, troubles[ERRORS_##type], nm, .flags = FIELD_NULL_ONES, .help = (what))
/* clang-format off */
static const struct field column_fields[] = {
	COLUMN(TIME, wall_ns, "ts", .head = "FROM", .width = -15, .help = "begin of the column"),
	COLUMN(U64, count, "count", .help = "commands that completed"),
	COLUMN(U64, p50_ns, "p50", .flags = FIELD_LAT, .help = "half of them took at most so long"),
	COLUMN(U64, p99_ns, "p99", .flags = FIELD_LAT, .help = "99 of 100 took at most so long"),
	COLUMN(U64, max_ns, "max", .flags = FIELD_LAT, .help = "the slowest"),
	COLUMN(F64, value[RATE], "iops", .help = "commands per second"),
	COLUMN(F64, value[THROUGHPUT], "mb_per_s", .head = "MB/s", .help = "millions of bytes per second"),
	COLUMN(F64, value[DEPTH], "qd", .head = "QD", .help = "mean number of commands in flight"),
	TROUBLE(ERROR, "failed", "commands that failed"),
	TROUBLE(TIMEOUT, "timeouts", "timeouts"),
	TROUBLE(ABORT, "aborts", "Abort commands"),
	TROUBLE(RESET, "resets", "controller resets"),
	TROUBLE(AER, "events", "asynchronous events"),
	FIELD_DONE
};

/* Markup of a chart: labels at the left, with their height in percent; the picture, with its class, units and name. */
#define CHART_LABELS "<div class=\"chart\"><div class=\"y\" aria-hidden=\"true\">"
#define CHART_LABEL  "<span style=\"top:%.2f%%\">%s</span>"
#define CHART_PICTURE \
	"</div>\n<svg class=\"%s\" viewBox=\"0 0 %.4f %.0f\" preserveAspectRatio=\"none\" " \
	"xmlns=\"http://www.w3.org/2000/svg\" shape-rendering=\"crispEdges\" role=\"img\" aria-label=\"%s\">\n"
/* clang-format on */

/* A heat map; and the axis of times of the charts below it. */
struct map {
	struct report_side *side;
	struct heat_map *map; /* NULL: there is none, so it has no axes */
	const char *kind; /* class of the picture */
	const char *name; /* foreign text */
	u64 span_ns; /* of the axis; settle() may raise it */
};

/* Time of day of @ns, with milliseconds unless the axis is long. */
#define TIME 40
static const char *time_of(const struct map *m, u64 ns, char buf[TIME])
{
	const struct report *r = m->side->r;
	u32 decimals = m->span_ns < 20 * NSEC_PER_SEC ? 3 : 0;
	struct out_stamp stamp;

	out_stamp(&stamp, session_wall_ns(r->s, ns), out_opts(r->o)->utc, decimals);
	snprintf(buf, TIME, "%s", stamp.time);
	return buf;
}

/* Ends a picture, and writes times below it. */
static void put_times(const struct map *m)
{
	const struct report *r = m->side->r;
	u64 start_ns = m->side->series.start_ns;
	char text[TIME];

	html_print(r->o, "</svg>\n<div class=\"x\" aria-hidden=\"true\">");
	for (u32 i = 0; i <= 4; i++)
		html_print(r->o, i % 2 ? "<span class=\"more\">%s</span>" : "<span>%s</span>",
			   time_of(m, start_ns + m->span_ns / 4 * i, text));
	html_print(r->o, "</div></div>\n");
}

static void put_caption(const struct map *m)
{
	u64 count = m->map ? heat_map_grid(m->map)->count : 0;
	char units[HEAT_UNITS];

	html_print(m->side->o, "<figure><figcaption>");
	page_badge(m->side);
	html_print(m->side->o, "%s", m->name);
	if (m->map)
		html_print(m->side->o, " <span>%" PRIu64 " command%s; a column is %s</span>", count,
			   plural(count), heat_map_units(m->map, units));
	html_print(m->side->o, "</figcaption>\n");
}

static void put_labels(struct out *o, const struct heat_scale *rows)
{
	char edge[FMT_NUMBER];

	for (u32 i = 0; i <= rows->cells; i++) {
		double ns = (double)hist_log_linear_lo(rows->first + i, rows->bits);

		if (heat_labels(rows, i, rows->cells * LABEL_SHARE))
			html_print(o, CHART_LABEL, 100.0 * (rows->cells - i) / rows->cells,
				   fmt_ns(edge, ns, " ", 0));
	}
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

static u64 column_ns(const struct map *m, u32 column)
{
	return m->side->series.start_ns + column * heat_map_grid(m->map)->step_ns;
}

static void put_picture(const struct map *m)
{
	const struct heat_grid *grid = heat_map_grid(m->map);
	const struct report *r = m->side->r;
	char name[400], of[8] = "", from[TIME];

	if (r->sides > 1)
		snprintf(of, sizeof(of), " of %c", PAGE_LETTER(m->side->number));
	snprintf(name, sizeof(name), "Heat map%s: %s over time", of, m->name);
	html_print(r->o, CHART_LABELS);
	put_labels(r->o, &grid->rows);
	html_print(r->o, CHART_PICTURE, m->kind, (double)m->span_ns / (double)grid->step_ns,
		   (double)grid->rows.cells, name);
	for (u32 i = 0; i < grid->columns; i++)
		heat_map_cells(m->map, r->o, i, time_of(m, column_ns(m, i), from),
			       &(struct heat_place){ i, grid->rows.cells - 1, 1, 1 });
	put_times(m);
	put_legend(r->o, &grid->shades);
}

static const void *fill_map_row(struct report_side *side, const void *of, u32 i,
				union page_row *room)
{
	const struct map *m = of;
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

/* Draws a map with its legend and its table. */
static void put_map(const struct map *m)
{
	static const struct page_table table = { "Table: latency over time", "ts,count,p50,p99,max",
						 NULL, fill_map_row };
	struct out *o = m->side->o;
	char caption[400];

	put_caption(m);
	if (m->map) {
		put_picture(m);
		snprintf(caption, sizeof(caption), "%s, each column of the picture", m->name);
		page_table(m->side, &table, column_fields, m, heat_map_grid(m->map)->columns,
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

/*
 * Gives the maps of all recordings the same axes and shades, and at most @most cells with commands.
 * Called once for a map.
 */
static void settle(const struct report *r, struct map maps[REPORT_SIDES], u32 most)
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
	own_ns = n ? heat_map_settle(settled, end_ns, n, most) : 0;
	span_ns = own_ns > span_ns ? own_ns : span_ns;
	for (u32 i = 0; i < r->sides; i++)
		maps[i].span_ns = span_ns;
}

/* Orders maps: the most commands first. */
static int compare_maps(const void *a, const void *b, void *group)
{
	const struct report_map *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return group_compare(x, y, group);
}

/* The maps of a device and opcode, one of each recording. */
static void put_maps(struct report *r, const struct group_key *key, u32 most)
{
	struct map maps[REPORT_SIDES];
	struct group_row keys;
	char name[400];

	group_row_fill(&keys, &r->view[REPORT_OPS].group, key);
	snprintf(name, sizeof(name), "%s %s", keys.dev ? keys.dev : "-", keys.op ? keys.op : "");
	for (u32 i = 0; i < r->sides; i++) {
		const struct report_map *at = group_table_find(r->side[i].maps, key);

		maps[i] = (struct map){ &r->side[i], at ? at->map : NULL, "small", name, 0 };
	}
	settle(r, maps, most);
	for (u32 i = 0; i < r->sides; i++)
		put_map(&maps[i]);
}

/* Each device and opcode that a recording has, the most frequent first; those of B alone last. */
void report_maps(struct report *r)
{
	struct group *group = &r->view[REPORT_OPS].group;
	u32 n[REPORT_SIDES] = { 0 }, all = 0;
	bool full = false;

	for (u32 i = 0; i < r->sides; i++) {
		n[i] = group_table_sort(r->side[i].maps, compare_maps, group);
		n[i] -= r->side[i].maps_full; /* "(other)" is the last */
		full |= r->side[i].maps_full;
		all += n[i];
	}
	html_print(r->o, "<div class=\"pair\">\n");
	for (u32 i = 0; i < r->sides; i++)
		for (u32 at = 0; at < n[i]; at++) {
			const struct group_key *key = group_table_at(r->side[i].maps, at);

			if (!i || !group_table_find(r->side[0].maps, key))
				put_maps(r, key, CELLS_PARTS / all);
		}
	html_print(r->o, "</div>\n");
	if (full)
		html_print(r->o,
			   "<p class=\"soft\">There are pictures of the first %u devices and "
			   "opcodes that were seen.</p>\n",
			   REPORT_MAPS);
}

static struct page_column column_at(const struct report_side *side, u32 i)
{
	const struct series_point *p = &side->series.at[i];
	u64 step_ns = side->r->step_ns;
	double seconds = (double)step_ns / 1e9;
	struct page_column row = {
		.wall_ns = session_wall_ns(side->r->s, side->series.start_ns + i * step_ns),
		.count = p->count,
		.value = { (double)p->count / seconds, (double)p->bytes / seconds / 1e6,
			   (double)p->busy_ns / (double)step_ns },
	};

	for (u32 type = 0; type < ERRORS_TYPES; type++)
		row.troubles[type] = side->sees >> type & 1 ? p->troubles[type] : ~0ULL;
	return row;
}

static const void *fill_row(struct report_side *side, const void *of, u32 i, union page_row *room)
{
	(void)of;
	room->column = column_at(side, i);
	return &room->column;
}

/* Begins a bar of a chart: its time is the begin of its title. */
static void put_bar(const struct map *m, u32 column, const char *class, double y, double height)
{
	const struct report *r = m->side->r;
	u64 ns = m->side->series.start_ns + column * r->step_ns;
	char time[TIME];

	html_print(r->o,
		   "<rect class=\"%s\" x=\"%u\" y=\"%.2f\" width=\"1\" height=\"%.2f\"><title>%s: ",
		   class, column, y, height, time_of(m, ns, time));
}

/* How many columns of a series an axis has. */
static double width_of(const struct map *m)
{
	return (double)m->span_ns / (double)m->side->r->step_ns;
}

static void put_line(const struct map *m, u32 y)
{
	html_print(m->side->o, "<path class=\"grid\" d=\"M0 %uH%u\"/>\n", y, (u32)width_of(m) + 1);
}

/*
 * The upper end of a chart's axis, which is the same for all recordings: the smallest of 1, 2, 5, 10,
 * 20 and so on that no value is above.
 */
static double most_of(const struct report *r, u32 chart)
{
	double most = 0, end = 0.001;

	for (u32 side = 0; side < r->sides; side++)
		for (u32 i = 0; i < r->side[side].series.n; i++)
			most = fmax(most, column_at(&r->side[side], i).value[chart]);
	for (u32 i = 0; end < most; i++)
		end *= i % 3 == 1 ? 2.5 : 2;
	return end;
}

static void put_chart(const struct map *m, u32 chart)
{
	struct out *o = m->side->o;
	double most = most_of(m->side->r, chart);
	u32 decimals = most < 1 ? 2 : 0, more = most < 1 ? 2 : most < 10 ? 1 : 0;
	char name[128], text[FMT_NUMBER], half[FMT_NUMBER];

	snprintf(name, sizeof(name), "%s over time, at most %s", chart_names[chart],
		 fmt_rate(text, most));
	html_print(o,
		   "<figure><figcaption>%s</figcaption>\n" CHART_LABELS CHART_LABEL CHART_LABEL
			   CHART_LABEL CHART_PICTURE,
		   chart_names[chart], 0.0, fmt_number(text, most, decimals), 50.0,
		   fmt_number(half, most / 2, more), 100.0, "0", "line", width_of(m), HEIGHT, name);
	put_line(m, HEIGHT / 2);
	for (u32 i = 0; i < m->side->series.n; i++) {
		double value = column_at(m->side, i).value[chart], height = value * HEIGHT / most;

		if (height <= 0)
			continue;
		put_bar(m, i, "bar", HEIGHT - height, height);
		html_print(o, "%.1f</title></rect>\n", value);
	}
	put_times(m);
	html_print(o, "</figure>\n");
}

static void put_lane(const struct map *m, u32 lane)
{
	const struct report_trouble *is = &report_troubles[lane];
	const struct series *s = &m->side->series;

	/* A lane that is not known is hatched: it does not say that nothing happened. */
	if (!(m->side->sees >> is->type & 1))
		html_print(m->side->o,
			   "<g class=\"unknown\"><title>%s: unknown</title><rect y=\"%u\" "
			   "width=\"%.2f\" height=\"%u\"/><path d=\"M0 %uh%.2f\"/></g>\n",
			   is->name, lane * LANE, width_of(m), LANE, lane * LANE + LANE / 2,
			   width_of(m));
	put_line(m, (lane + 1) * LANE);
	for (u32 i = 0; i < s->n; i++) {
		u64 count = s->at[i].troubles[is->type];

		if (!count)
			continue;
		put_bar(m, i, "mark", lane * LANE + 4, LANE - 6);
		html_print(m->side->o, "%" PRIu64 " %s</title></rect>\n", count, is->name);
	}
}

static void put_troubles(const struct map *m)
{
	struct out *o = m->side->o;
	bool all = true;

	for (u32 i = 0; i < REPORT_TROUBLE_KINDS; i++)
		all = all && m->side->sees >> report_troubles[i].type & 1;
	html_print(o, "<figure><figcaption>Errors and resets");
	if (!all)
		html_print(o, " <span>hatched: unknown, the recording does not tell</span>");
	html_print(o, "</figcaption>\n" CHART_LABELS);
	for (u32 i = 0; i < REPORT_TROUBLE_KINDS; i++)
		html_print(o, CHART_LABEL, (i * LANE + 11) * 100.0 / (REPORT_TROUBLE_KINDS * LANE),
			   report_troubles[i].name);
	html_print(o, CHART_PICTURE, "strip", width_of(m), (double)REPORT_TROUBLE_KINDS * LANE,
		   "When commands failed, timed out or were aborted, and when controllers were "
		   "reset or reported events");
	for (u32 i = 0; i < REPORT_TROUBLE_KINDS; i++)
		put_lane(m, i);
	put_times(m);
	html_print(o, "</figure>\n");
}

static void put_side(const struct map *m)
{
	static const struct page_table table = {
		"Table: throughput, commands in flight, errors and resets over time",
		"ts,count,iops,mb_per_s,qd,failed,timeouts,aborts,resets,events",
		"latency -A --hist-bits 6 --by none -i", fill_row
	};

	page_side(m->side);
	if (!m->map) {
		html_print(m->side->o, "<p>No command completed.</p>\n");
		return;
	}
	put_map(m);
	for (u32 chart = 0; chart < CHARTS; chart++)
		put_chart(m, chart);
	put_troubles(m);
	page_table(m->side, &table, column_fields, NULL, m->side->series.n,
		   "Each column of the charts");
}

void report_time(struct report *r)
{
	struct map maps[REPORT_SIDES];

	for (u32 i = 0; i < r->sides; i++) {
		struct report_side *side = &r->side[i];

		maps[i] = (struct map){ side, side->commands ? side->map : NULL, "heat",
					"Latency of all commands", side->series.n * r->step_ns };
	}
	settle(r, maps, CELLS_ALL / r->sides);
	html_print(r->o, r->sides > 1 ? "<div class=\"pair\">\n" : "<div>\n");
	for (u32 i = 0; i < r->sides; i++) {
		html_print(r->o, "<div>\n");
		put_side(&maps[i]);
		html_print(r->o, "</div>\n");
	}
	html_print(r->o, "</div>\n");
}
