// SPDX-License-Identifier: GPL-2.0-or-later
/* Latency, throughput, queue depth and troubles on one axis of time. */
#include "cmd/report/page.h"

#include "lib/base/fmt.h"
#include "lib/base/str.h"

#define CELLS_ALL		 3600 /* of the heat maps of all commands together */
#define HEIGHT			 100.0 /* units of a chart */
#define LANE			 20 /* of a lane of troubles */
#define STROKES			 80 /* of one that is hatched */

#define COLUMN(type, m, nm, ...) FIELD_OF(FIELD_##type, struct page_column, m, nm, __VA_ARGS__)
#define TROUBLE(type, nm, what)                                                                    \
	COLUMN(U64, troubles[ERRORS_##type], nm, .flags = FIELD_NULL_ONES, .help = what)
/* clang-format off */
const struct field page_column_fields[] = {
	COLUMN(TIME, wall_ns, "ts", .head = "FROM", .width = -15, .help = "begin of the column"),
	COLUMN(U64, count, "count", .help = "commands that completed"),
	COLUMN(U64, p50_ns, "p50", .flags = FIELD_LAT, .help = "half of them took at most so long"),
	COLUMN(U64, p99_ns, "p99", .flags = FIELD_LAT, .help = "99 of 100 took at most so long"),
	COLUMN(U64, max_ns, "max", .flags = FIELD_LAT, .help = "the slowest"),
	COLUMN(F64, value[SERIES_RATE], "iops", .help = "commands per second"),
	COLUMN(F64, value[SERIES_THROUGHPUT], "mb_per_s", .head = "MB/s", .help = "millions of bytes per second"),
	COLUMN(F64, value[SERIES_DEPTH], "qd", .head = "QD", .help = "mean number of commands in flight"),
	TROUBLE(ERROR, "failed", "commands that failed"),
	TROUBLE(TIMEOUT, "timeouts", "timeouts"),
	TROUBLE(ABORT, "aborts", "Abort commands"),
	TROUBLE(RESET, "resets", "controller resets"),
	TROUBLE(AER, "events", "asynchronous events"),
	FIELD_DONE
};
/* clang-format on */

static const char *const chart_names[SERIES_VALUES] = {
	[SERIES_RATE] = "Commands per second",
	[SERIES_THROUGHPUT] = "MB/s",
	[SERIES_DEPTH] = "Commands in flight, on average",
};

/* The smallest of 1, 2, 5, 10, 20 and so on that is not below @most. */
static double round_up(double most)
{
	double at = 0.001;

	for (u32 i = 0; at < most; i++)
		at *= i % 3 == 1 ? 2.5 : 2;
	return at;
}

static void put_line(const struct page_chart *c, u32 y)
{
	html_print(c->side->r->o, "<path class=\"grid\" d=\"M0 %uH%u\"/>\n", y, (u32)c->width + 1);
}

/* The upper end of a chart's axis, which is the same for all recordings. */
static double most_of(const struct report *r, enum series_value which)
{
	double most = 0, value;

	for (u32 i = 0; i < r->sides; i++)
		for (u32 at = 0; at < r->side[i].series.n; at++) {
			value = series_value(&r->side[i], at, which);
			most = value > most ? value : most;
		}
	return round_up(most);
}

/* A chart with the axis of times of the heat map above it. */
static struct page_chart chart_of(const struct page_map *m, const char *kind, const char *name,
				  double height)
{
	double width = (double)m->span_ns / (double)m->side->r->step_ns;

	return (struct page_chart){ m->side, kind, name, width, height, m->span_ns };
}

static const char *column_time(const struct page_chart *c, u32 column, char buf[PAGE_TIME])
{
	const struct report *r = c->side->r;

	return page_time(r, c->side->series.start_ns + column * r->step_ns, c->span_ns, buf);
}

static void put_bars(const struct page_chart *c, enum series_value which, double most)
{
	char time[PAGE_TIME];

	for (u32 i = 0; i < c->side->series.n; i++) {
		double value = series_value(c->side, i, which), height = value * HEIGHT / most;

		if (height > 0)
			html_print(c->side->r->o,
				   "<rect class=\"bar\" x=\"%u\" y=\"%.2f\" width=\"1\" "
				   "height=\"%.2f\"><title>%s: %.1f</title></rect>\n",
				   i, HEIGHT - height, height, column_time(c, i, time), value);
	}
}

static void put_chart(const struct page_map *m, enum series_value which)
{
	double most = most_of(m->side->r, which);
	char text[FMT_NUMBER], name[128];
	struct page_chart c = chart_of(m, "line", name, HEIGHT);

	snprintf(name, sizeof(name), "%s over time, at most %s", chart_names[which],
		 fmt_rate(text, most));
	html_print(m->side->r->o, "<figure><figcaption>%s</figcaption>\n", chart_names[which]);
	page_chart_begin(&c);
	page_chart_label(&c, 0, fmt_number(text, most, most < 1 ? 2 : 0));
	page_chart_label(&c, HEIGHT / 2,
			 fmt_number(text, most / 2,
				    most < 1	? 2
				    : most < 10 ? 1
						: 0));
	page_chart_label(&c, HEIGHT, "0");
	page_chart_picture(&c);
	put_line(&c, HEIGHT / 2);
	put_bars(&c, which, most);
	page_chart_end(&c);
	html_print(m->side->r->o, "</figure>\n");
}

/* A lane that is not known is hatched: it does not say that nothing happened. */
static void put_unknown(const struct page_chart *c, u32 lane)
{
	u32 width = (u32)c->width + 1;
	double stroke = (double)width / STROKES;

	html_print(c->side->r->o,
		   "<g class=\"unknown\"><title>%s: unknown</title>"
		   "<rect y=\"%u\" width=\"%u\" height=\"%u\"/><path d=\"",
		   report_troubles[lane].name, lane * LANE, width, LANE);
	for (u32 i = 0; i < STROKES; i++)
		html_print(c->side->r->o, "M%.2f %ul%.2f -%u", i * stroke, (lane + 1) * LANE,
			   stroke, LANE);
	html_print(c->side->r->o, "\"/></g>\n");
}

static void put_lane(const struct page_chart *c, u32 lane)
{
	const struct report_trouble *is = &report_troubles[lane];
	const struct series *s = &c->side->series;
	char time[PAGE_TIME];

	if (!(c->side->sees >> is->type & 1))
		put_unknown(c, lane);
	put_line(c, (lane + 1) * LANE);
	for (u32 i = 0; i < s->n; i++)
		if (s->at[i].troubles[is->type])
			html_print(c->side->r->o,
				   "<rect class=\"mark\" x=\"%u\" y=\"%u\" width=\"1\" "
				   "height=\"14\"><title>%s: %" PRIu64 " %s</title></rect>\n",
				   i, lane * LANE + 4, column_time(c, i, time),
				   s->at[i].troubles[is->type], is->name);
}

static void put_troubles(const struct page_map *m)
{
	const struct page_chart c = chart_of(m, "strip",
					     "When commands failed, timed out or were aborted, and "
					     "when controllers were reset or reported events",
					     REPORT_TROUBLE_KINDS * LANE);
	bool all = true;

	for (u32 i = 0; i < REPORT_TROUBLE_KINDS; i++)
		all = all && m->side->sees >> report_troubles[i].type & 1;
	html_print(m->side->r->o, "<figure><figcaption>Errors and resets");
	if (!all)
		html_print(m->side->r->o,
			   " <span>hatched: unknown, the recording does not tell</span>");
	html_print(m->side->r->o, "</figcaption>\n");
	page_chart_begin(&c);
	for (u32 i = 0; i < REPORT_TROUBLE_KINDS; i++)
		page_chart_label(&c, i * LANE + 11, report_troubles[i].name);
	page_chart_picture(&c);
	for (u32 i = 0; i < REPORT_TROUBLE_KINDS; i++)
		put_lane(&c, i);
	page_chart_end(&c);
	html_print(m->side->r->o, "</figure>\n");
}

static const void *fill_row(struct report_side *side, const void *of, u32 i, union page_row *room)
{
	const struct series *s = of;
	struct page_column *row = &room->column;

	row->wall_ns = session_wall_ns(side->r->s, s->start_ns + i * side->r->step_ns);
	row->count = s->at[i].count;
	for (u32 which = 0; which < SERIES_VALUES; which++)
		row->value[which] = series_value(side, i, which);
	for (u32 type = 0; type < ERRORS_TYPES; type++)
		row->troubles[type] = side->sees >> type & 1 ? s->at[i].troubles[type] : ~0ULL;
	return row;
}

static void put_side(const struct page_map *m)
{
	static const struct page_table table = {
		"Table: throughput, commands in flight, errors and resets over time",
		"ts,count,iops,mb_per_s,qd,failed,timeouts,aborts,resets,events",
		"latency -A --hist-bits 6 --by none -i", fill_row
	};
	const struct series *s = &m->side->series;

	page_side(m->side);
	if (!m->map) {
		html_print(m->side->r->o, "<p>No command completed.</p>\n");
		return;
	}
	page_map(m);
	for (u32 which = 0; which < SERIES_VALUES; which++)
		put_chart(m, which);
	put_troubles(m);
	page_table(m->side, &table, page_column_fields, s, s->n, "Each column of the charts");
}

void report_time(struct report *r)
{
	struct page_map maps[REPORT_SIDES];

	for (u32 i = 0; i < r->sides; i++) {
		struct report_side *side = &r->side[i];

		maps[i] =
			(struct page_map){ side, side->commands ? side->map : NULL, "heat",
					   "Latency of all commands", side->series.n * r->step_ns };
	}
	page_maps_settle(r, maps, CELLS_ALL / r->sides);
	html_print(r->o, r->sides > 1 ? "<div class=\"pair\">\n" : "<div>\n");
	for (u32 i = 0; i < r->sides; i++) {
		html_print(r->o, "<div>\n");
		put_side(&maps[i]);
		html_print(r->o, "</div>\n");
	}
	html_print(r->o, "</div>\n");
}
