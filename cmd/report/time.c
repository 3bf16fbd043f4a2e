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

/* The upper end of a chart's axis, which is the same for all recordings. */
static double most_of(const struct report *r, enum series_value which)
{
	double most = 0, value;

	for (u32 i = 0; i < r->sides; i++)
		for (u32 at = 0; at < r->side[i].series.n; at++) {
			value = series_value(&r->side[i].series, at, which);
			most = value > most ? value : most;
		}
	return round_up(most);
}

static struct page_chart chart_of(const struct page_map *m, const char *kind, const char *name,
				  double height)
{
	double width = (double)m->span_ns / (double)m->side->series.step_ns;

	return (struct page_chart){ m->side, kind, name, width, height, m->span_ns };
}

/* Draws a bar in a column of a chart, and begins its title with the time. */
static void put_bar(const struct page_chart *c, const char *class, u32 column, double y,
		    double height)
{
	const struct series *s = &c->side->series;
	struct out *o = c->side->r->o;
	char time[PAGE_TIME];

	out_text(o, "<rect class=\"%s\" x=\"%u\" width=\"1\"", class, column);
	svg_number(o, "y", y);
	svg_number(o, "height", height);
	out_text(o, "><title>%s: ",
		 page_time(c->side->r, s->start_ns + column * s->step_ns, c->span_ns, time));
}

static void put_line(const struct page_chart *c, u32 y)
{
	out_text(c->side->r->o, "<path class=\"grid\" d=\"M0 %uH%u\"/>\n", y, (u32)c->width + 1);
}

static void put_bars(const struct page_chart *c, enum series_value which, double most)
{
	const struct series *s = &c->side->series;
	char text[FMT_NUMBER];

	for (u32 i = 0; i < s->n; i++) {
		double value = series_value(s, i, which), height = value * HEIGHT / most;

		if (height <= 0)
			continue;
		put_bar(c, "bar", i, HEIGHT - height, height);
		out_text(c->side->r->o, "%s</title></rect>\n", fmt_number(text, value, 1));
	}
}

static void put_chart(const struct page_map *m, enum series_value which)
{
	double most = most_of(m->side->r, which);
	char text[FMT_NUMBER], name[128];
	struct page_chart c = chart_of(m, "line", name, HEIGHT);

	snprintf(name, sizeof(name), "%s over time, at most %s", chart_names[which],
		 fmt_rate(text, most));
	out_text(m->side->r->o, "<figure><figcaption>%s</figcaption>\n", chart_names[which]);
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
	out_text(m->side->r->o, "</figure>\n");
}

/* A lane that is not known is hatched: it does not say that nothing happened. */
static void put_unknown(const struct page_chart *c, u32 lane)
{
	u32 width = (u32)c->width + 1;
	struct out *o = c->side->r->o;

	out_text(o,
		 "<g class=\"unknown\"><title>%s: unknown</title>"
		 "<rect y=\"%u\" width=\"%u\" height=\"%u\"/><path d=\"",
		 report_troubles[lane].name, lane * LANE, width, LANE);
	for (u32 i = 0; i < STROKES; i++)
		out_text(o, "M%.2f %ul%.2f -%u", (double)width * i / STROKES, (lane + 1) * LANE,
			 (double)width / STROKES, LANE);
	out_text(o, "\"/></g>\n");
}

static void put_lane(const struct page_chart *c, u32 lane)
{
	const struct report_trouble *is = &report_troubles[lane];
	const struct series *s = &c->side->series;

	if (!(c->side->sees >> is->type & 1))
		put_unknown(c, lane);
	put_line(c, (lane + 1) * LANE);
	for (u32 i = 0; i < s->n; i++) {
		u64 count = s->at[i].troubles[is->type];

		if (!count)
			continue;
		put_bar(c, "mark", i, lane * LANE + 4, 14);
		out_text(c->side->r->o, "%llu %s</title></rect>\n", (unsigned long long)count,
			 is->name);
	}
}

static void put_troubles(const struct page_map *m)
{
	bool all = true;
	struct page_chart c = chart_of(m, "strip",
				       "When commands failed, timed out or were aborted, and when "
				       "controllers were reset or reported events",
				       REPORT_TROUBLE_KINDS * LANE);

	for (u32 i = 0; i < REPORT_TROUBLE_KINDS; i++)
		all = all && m->side->sees >> report_troubles[i].type & 1;
	out_text(m->side->r->o, "<figure><figcaption>Errors and resets%s</figcaption>\n",
		 all ? "" : " <span>hatched: unknown, the recording does not tell</span>");
	page_chart_begin(&c);
	for (u32 i = 0; i < REPORT_TROUBLE_KINDS; i++)
		page_chart_label(&c, i * LANE + 11, report_troubles[i].name);
	page_chart_picture(&c);
	for (u32 i = 0; i < REPORT_TROUBLE_KINDS; i++)
		put_lane(&c, i);
	page_chart_end(&c);
	out_text(m->side->r->o, "</figure>\n");
}

static const void *fill_row(const struct page_table *t, u32 i, union page_row *room)
{
	const struct series *s = &t->side->series;

	room->time = (struct page_column){
		.wall_ns = session_wall_ns(t->side->r->s, s->start_ns + i * s->step_ns),
		.count = s->at[i].count,
	};
	for (u32 which = 0; which < SERIES_VALUES; which++)
		room->time.value[which] = series_value(s, i, which);
	for (u32 type = 0; type < ERRORS_TYPES; type++)
		room->time.troubles[type] =
			t->side->sees >> type & 1 ? s->at[i].troubles[type] : ~0ULL;
	return &room->time;
}

static void put_side(const struct page_map *m)
{
	page_side(m->side);
	if (!m->map) {
		out_text(m->side->r->o, "<p>No command completed.</p>\n");
		return;
	}
	page_map(m);
	for (u32 which = 0; which < SERIES_VALUES; which++)
		put_chart(m, which);
	put_troubles(m);
	page_table(&(struct page_table){
		.details = "Table: throughput, commands in flight, errors and resets over time",
		.caption = "Each column of the charts",
		.fields = page_column_fields,
		.columns = "ts,count,iops,mb_per_s,qd,failed,timeouts,aborts,resets,events",
		.command = "latency -A --hist-bits 6 --by none",
		.row = fill_row,
		.side = m->side,
		.n = m->side->series.n });
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
	struct page_map maps[REPORT_SIDES];

	widen_columns(r);
	for (u32 i = 0; i < r->sides; i++) {
		struct report_side *side = &r->side[i];

		maps[i] = (struct page_map){ side, side->commands ? side->map : NULL, "heat",
					     "Latency of all commands",
					     side->series.n * side->series.step_ns };
	}
	page_maps_settle(maps, r->sides, CELLS_ALL / r->sides);
	out_text(r->o, "<div%s>\n", r->sides > 1 ? " class=\"pair\"" : "");
	for (u32 i = 0; i < r->sides; i++) {
		out_text(r->o, "<div>\n");
		put_side(&maps[i]);
		out_text(r->o, "</div>\n");
	}
	out_text(r->o, "</div>\n");
}
