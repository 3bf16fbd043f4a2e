// SPDX-License-Identifier: GPL-2.0-or-later
/* Latency, throughput, queue depth and troubles on one axis of time. */
#include "cmd/report/report_maps.h"
#include "cmd/report/page.h"

#include "lib/base/fmt.h"
#include "lib/base/str.h"

#define CELLS_ALL 3600 /* of the heat maps of all commands together */
#define HEIGHT	  100.0 /* units of a chart */

enum { RATE, THROUGHPUT, DEPTH, CHARTS };

/* A column as a row of the table. */
struct time_row {
	u64 wall_ns, count, troubles[ERRORS_TYPES];
	double value[CHARTS];
};

#define ROW(type, m, nm, ...) FIELD_OF(FIELD_##type, struct time_row, m, nm, __VA_ARGS__)
/* clang-format off */
static const struct field time_fields[] = {
	ROW(TIME, wall_ns, "ts", .head = "FROM", .width = -15, .help = "begin of the column"),
	ROW(U64, count, "count", .help = "commands that completed"),
	ROW(F64, value[RATE], "iops", .help = "commands per second"),
	ROW(F64, value[THROUGHPUT], "mb_per_s", .head = "MB/s", .help = "millions of bytes per second"),
	ROW(F64, value[DEPTH], "qd", .head = "QD", .help = "mean number of commands in flight"),
	ROW(U64, troubles[ERRORS_ERROR], "failed", .flags = FIELD_NULL_ONES, .help = "commands that failed"),
	ROW(U64, troubles[ERRORS_TIMEOUT], "timeouts", .flags = FIELD_NULL_ONES, .help = "timeouts"),
	ROW(U64, troubles[ERRORS_ABORT], "aborts", .flags = FIELD_NULL_ONES, .help = "Abort commands"),
	ROW(U64, troubles[ERRORS_RESET], "resets", .flags = FIELD_NULL_ONES, .help = "controller resets"),
	ROW(U64, troubles[ERRORS_AER], "events", .flags = FIELD_NULL_ONES, .help = "asynchronous events"),
	FIELD_DONE
};
/* clang-format on */

static const char *const chart_names[CHARTS] = {
	[RATE] = "Commands per second",
	[THROUGHPUT] = "MB/s",
	[DEPTH] = "Commands in flight, on average",
};

static const struct {
	enum errors_type type;
	const char *name;
} kinds[] = {
	{ ERRORS_ERROR, "failed" }, { ERRORS_TIMEOUT, "timeouts" }, { ERRORS_ABORT, "aborts" },
	{ ERRORS_RESET, "resets" }, { ERRORS_AER, "events" },
};

static struct time_row row_of(const struct report *r, u32 side, u32 i)
{
	const struct series *s = &r->side[side].series;
	const struct series_point *p = &s->at[i];
	double seconds = (double)s->step_ns / 1e9;
	struct time_row row = { .wall_ns = session_wall_ns(r->s, s->start_ns + i * s->step_ns),
				.count = p->count,
				.value = { (double)p->count / seconds,
					   (double)p->bytes / seconds / 1e6,
					   (double)p->busy_ns / (double)s->step_ns } };

	for (u32 type = 0; type < ERRORS_TYPES; type++)
		row.troubles[type] = report_sees(r, side, type) ? p->troubles[type] : ~0ULL;
	return row;
}

/* The smallest of 1, 2, 5, 10, 20 and so on that is not below @most. */
static double round_up(double most)
{
	double at = 0.001;

	for (u32 i = 0; at < most; i++)
		at *= i % 3 == 1 ? 2.5 : 2;
	return at;
}

/* The upper end of a chart's axis, which is the same for all recordings. */
static double most_of(const struct report *r, u32 chart)
{
	double most = 0;

	for (u32 side = 0; side < r->sides; side++) {
		const struct series *s = &r->side[side].series;

		for (u32 i = 0; i < s->n; i++) {
			struct time_row row = row_of(r, side, i);

			most = row.value[chart] > most ? row.value[chart] : most;
		}
	}
	return round_up(most);
}

static void put_bars(const struct page_chart *c, u32 side, u32 chart, double most)
{
	const struct series *s = &c->r->side[side].series;
	char height[FMT_NUMBER], y[FMT_NUMBER], value[FMT_NUMBER], time[PAGE_TIME];

	for (u32 i = 0; i < s->n; i++) {
		struct time_row row = row_of(c->r, side, i);
		double high = row.value[chart] * HEIGHT / most;

		if (high <= 0)
			continue;
		out_text(c->o,
			 "<rect class=\"bar\" x=\"%u\" y=\"%s\" width=\"1\" height=\"%s\">"
			 "<title>%s: %s</title></rect>\n",
			 i, fmt_number(y, HEIGHT - high, 2), fmt_number(height, high, 2),
			 page_time(c->r, s->start_ns + i * s->step_ns, c->span_ns, time),
			 fmt_number(value, row.value[chart], 1));
	}
}

static void put_chart(const struct report *r, u32 side, u32 chart, u64 span_ns)
{
	const struct series *s = &r->side[side].series;
	double most = most_of(r, chart);
	char text[FMT_NUMBER], name[128];
	struct page_chart c = { .o = r->o,
				.r = r,
				.kind = "line",
				.name = name,
				.width = (double)span_ns / (double)s->step_ns,
				.height = HEIGHT,
				.start_ns = s->start_ns,
				.span_ns = span_ns };

	snprintf(name, sizeof(name), "%s over time, at most %s", chart_names[chart],
		 fmt_rate(text, most));
	out_text(r->o, "<figure><figcaption>%s</figcaption>\n", chart_names[chart]);
	page_chart_begin(&c);
	page_chart_label(&c, 0, fmt_number(text, most, most < 1 ? 2 : 0));
	page_chart_label(&c, HEIGHT / 2,
			 fmt_number(text, most / 2,
				    most < 1	? 2
				    : most < 10 ? 1
						: 0));
	page_chart_label(&c, HEIGHT, "0");
	page_chart_picture(&c);
	out_text(r->o, "<path class=\"grid\" d=\"M0 50H%u\"/>\n", (u32)c.width + 1);
	put_bars(&c, side, chart, most);
	page_chart_end(&c);
	out_text(r->o, "</figure>\n");
}

/* A lane that is not known is hatched: it does not say that nothing happened. */
static void put_unknown(const struct page_chart *c, u32 kind)
{
	u32 width = (u32)c->width + 1, strokes = 80;

	out_text(c->o,
		 "<g class=\"unknown\"><title>%s: unknown</title>"
		 "<rect y=\"%u\" width=\"%u\" height=\"20\"/><path d=\"",
		 kinds[kind].name, kind * 20, width);
	for (u32 i = 0; i < strokes; i++)
		out_text(c->o, "M%.2f %ul%.2f -20", (double)width * i / strokes, kind * 20 + 20,
			 (double)width / strokes);
	out_text(c->o, "\"/></g>\n");
}

static void put_marks(const struct page_chart *c, u32 side, u32 kind)
{
	const struct series *s = &c->r->side[side].series;
	char time[PAGE_TIME];

	if (!report_sees(c->r, side, kinds[kind].type))
		put_unknown(c, kind);
	out_text(c->o, "<path class=\"grid\" d=\"M0 %uH%u\"/>\n", kind * 20 + 20,
		 (u32)c->width + 1);
	for (u32 i = 0; i < s->n; i++) {
		u64 count = s->at[i].troubles[kinds[kind].type];

		if (!count)
			continue;
		out_text(c->o,
			 "<rect class=\"mark\" x=\"%u\" y=\"%u\" width=\"1\" height=\"14\">"
			 "<title>%s: %llu %s</title></rect>\n",
			 i, kind * 20 + 4,
			 page_time(c->r, s->start_ns + i * s->step_ns, c->span_ns, time),
			 (unsigned long long)count, kinds[kind].name);
	}
}

static void put_troubles(const struct report *r, u32 side, u64 span_ns)
{
	const struct series *s = &r->side[side].series;
	const u32 rows = ARRAY_SIZE(kinds);
	bool unknown = false;
	struct page_chart c = { .o = r->o,
				.r = r,
				.kind = "strip",
				.name = "When commands failed, timed out or were aborted, and when "
					"controllers were reset or reported events",
				.width = (double)span_ns / (double)s->step_ns,
				.height = 20 * rows,
				.start_ns = s->start_ns,
				.span_ns = span_ns };

	for (u32 i = 0; i < rows; i++)
		unknown |= !report_sees(r, side, kinds[i].type);
	out_text(r->o, "<figure><figcaption>Errors and resets%s</figcaption>\n",
		 unknown ? " <span>hatched: unknown, the recording does not tell</span>" : "");
	page_chart_begin(&c);
	for (u32 i = 0; i < rows; i++)
		page_chart_label(&c, (double)(i * 20 + 11), kinds[i].name);
	page_chart_picture(&c);
	for (u32 i = 0; i < rows; i++)
		put_marks(&c, side, i);
	page_chart_end(&c);
	out_text(r->o, "</figure>\n");
}

static void put_table(const struct report *r, u32 side)
{
	const struct series *s = &r->side[side].series;
	struct html_table t;

	page_details(r->o, "Table: throughput, commands in flight, errors and resets over time");
	html_table_begin(&t, r->o, "Each column of the charts", time_fields,
			 "ts,count,iops,mb_per_s,qd,failed,timeouts,aborts,resets,events");
	for (u32 i = 0; i < s->n; i++) {
		struct time_row row = row_of(r, side, i);

		html_table_row(&t, &row);
	}
	html_table_end(&t);
	page_details_end(r->o);
}

static struct map_figure figure_of(const struct report *r, u32 i)
{
	const struct report_side *side = &r->side[i];

	return (struct map_figure){ .r = r,
				    .side = i,
				    .map = side->commands ? side->map : NULL,
				    .kind = "heat",
				    .name = "Latency of all commands",
				    .span_ns = side->series.n * side->series.step_ns };
}

static void put_side(const struct report *r, const struct map_figure *figure)
{
	page_side(r, figure->side);
	if (!figure->map) {
		out_text(r->o, "<p>No command completed.</p>\n");
		return;
	}
	map_draw(figure);
	for (u32 chart = 0; chart < CHARTS; chart++)
		put_chart(r, figure->side, chart, figure->span_ns);
	put_troubles(r, figure->side, figure->span_ns);
	put_table(r, figure->side);
	page_same(r, figure->side, "latency -A --hist-bits 6 --by none");
}

/* Gives the charts of all recordings columns of the same length. */
static void widen_columns(struct report *r)
{
	u64 step_ns = 0;

	for (u32 i = 0; i < r->sides; i++)
		if (r->side[i].series.step_ns > step_ns)
			step_ns = r->side[i].series.step_ns;
	for (u32 i = 0; i < r->sides; i++)
		series_widen(&r->side[i].series, step_ns);
}

void report_time(struct report *r)
{
	struct map_figure figures[REPORT_SIDES];

	page_section(r->o, "time", "Over time",
		     "Look for bands of latency that move up, for spots far above them, and for "
		     "what happened at that moment in the charts below: more commands, more of "
		     "them in flight, errors, resets. Commands that were in flight at the end are "
		     "not counted, and the last column may be cut short.");
	widen_columns(r);
	for (u32 i = 0; i < r->sides; i++)
		figures[i] = figure_of(r, i);
	map_arrange(figures, r->sides,
		    r->sides == REPORT_SIDES ? CELLS_ALL / REPORT_SIDES : CELLS_ALL);
	page_pair_begin(r);
	for (u32 i = 0; i < r->sides; i++) {
		out_text(r->o, "<div>\n");
		put_side(r, &figures[i]);
		out_text(r->o, "</div>\n");
	}
	page_pair_end(r);
	page_section_end(r->o);
}
