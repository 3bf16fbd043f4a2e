// SPDX-License-Identifier: GPL-2.0-or-later
/* The picture: two lines about the whole, a line about the keys, the rows. */
#include "cmd/top/top_live.h"

#include <stdarg.h>

#include "lib/base/err.h"
#include "lib/base/fmt.h"
#include "lib/base/str.h"
#include "lib/base/units.h"
#include "lib/event/counters.h"

#define HEAD_LINES 5 /* above the rows, with their heading, and one for the cursor */

int top_live_open(struct top_live *live, struct session_request *ask)
{
	int err = screen_open(&live->screen);

	if (!err)
		ask->screen_fd = screen_fd(live->screen);
	return err;
}

/* Has the picture fit the screen. 0 or -errno, reported. */
static int fit(struct top_live *live)
{
	struct out *o = session_out(live->report.view.group.s);
	u32 lines;

	screen_size(live->screen, &lines, &live->columns);
	live->lines = lines;
	live->report.limit = lines > HEAD_LINES ? lines - HEAD_LINES : 1;
	if (live->rows && live->rows < live->report.limit)
		live->report.limit = live->rows;
	out_mark_column(o, top_sort_columns[live->report.sort]);
	return out_replan(o);
}

int top_live_begin(struct top_live *live)
{
	int err;

	progress_clear();
	screen_enter(live->screen);
	err = fit(live);
	if (!err)
		top_live_draw(live);
	return err;
}

void top_live_close(struct top_live *live)
{
	screen_close(live->screen);
	live->screen = NULL;
}

/* Adds all rows up. */
static struct top_row sum_up(const struct top_report *r)
{
	struct top_row all = { 0 };

	for (u32 i = 0; i < r->n; i++) {
		const struct top_sum *row = group_table_at(r->shown, i);

		all.done.count += row->done.count;
		latency_cell_add(&all.done.sum, &row->done.sum);
		all.inflight += row->end.count;
		if (row->end.oldest_ns > all.oldest_ns)
			all.oldest_ns = row->end.oldest_ns;
	}
	return all;
}

/* A line above the rows. It is never folded, so that the rows stay on the screen. */
struct head_line {
	struct out *o;
	u32 columns, used;
};

/* Prints a part of the line, if all of it fits. */
__attribute__((format(printf, 3, 4))) static void add(struct head_line *line, enum out_hue hue,
						      const char *fmt, ...)
{
	u32 gap = line->used ? 2 : 0;
	char part[256];
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(part, sizeof(part), fmt, args);
	va_end(args);
	if (n < 0 || (u32)n >= sizeof(part) || line->used + gap + (u32)n > line->columns)
		return;
	line->used += gap + (u32)n;
	out_text(line->o, "%*s%s%s%s", (int)gap, "", hue ? out_hue(line->o, hue) : "", part,
		 hue ? out_hue(line->o, HUE_PLAIN) : "");
}

static void draw_sums(struct out *o, const struct top_live *live)
{
	const struct top_report *r = &live->report;
	double seconds = (double)(r->view.group.end_ns - r->view.group.start_ns) / 1e9;
	u64 lost = counters_lost(session_counters(r->view.group.s));
	struct head_line line = { o, live->columns, 0 };
	struct top_row all = sum_up(r);
	char number[FMT_NUMBER];

	add(&line, HUE_PLAIN, "IO/s %s", fmt_rate(number, (double)all.done.count / seconds));
	add(&line, HUE_PLAIN, "MB/s %s",
	    fmt_rate(number, (double)all.done.sum.bytes / seconds / 1e6));
	add(&line, HUE_PLAIN, "errors %llu", (unsigned long long)all.done.sum.errors);
	if (lost)
		add(&line, HUE_BAD, "lost so far: %llu", (unsigned long long)lost);
	if (top_report_known(r) == TOP_ALL)
		add(&line, HUE_PLAIN, "in flight %llu, oldest %s s",
		    (unsigned long long)all.inflight,
		    fmt_number(number, (double)all.oldest_ns / 1e9, 3));
	out_text(o, "\n");
}

static void draw_keys(struct out *o, const struct top_live *live)
{
	const struct top_report *r = &live->report;
	struct head_line line = { o, live->columns, 0 };

	if (live->unknown)
		add(&line, HUE_BAD, "no such key");
	add(&line, HUE_PLAIN, "h help  q quit  s sort  v view  o operations  p pause");
	if (r->view.group.end_ns)
		add(&line, HUE_PLAIN, "rows %u-%u of %u", r->n ? r->first + 1 : 0,
		    top_report_end(r), r->n);
	out_text(o, "\n");
}

static void draw_head(struct out *o, const struct top_live *live)
{
	const struct top_report *r = &live->report;
	struct head_line line = { o, live->columns, 0 };
	char length[FMT_NUMBER], keys[128];
	struct out_stamp at;

	out_stamp(&at, r->view.group.wall_ns, out_opts(o)->utc, 0);
	out_text(o, "%s", screen_clear);
	add(&line, HUE_PLAIN, "nvmetool top");
	add(&line, HUE_PLAIN, "%s", at.time);
	add(&line, HUE_PLAIN, "%s s",
	    fmt_number(length, (double)(r->view.group.end_ns - r->view.group.start_ns) / 1e9, 2));
	if (live->paused)
		add(&line, HUE_PLAIN, "PAUSED");
	add(&line, HUE_PLAIN, "by %s%s, sorted by %s", top_view_name(live->by, keys, sizeof(keys)),
	    live->together ? " without op" : "", top_sort_words[r->sort].word);
	out_text(o, "\n");
	draw_sums(o, live);
	draw_keys(o, live);
}

/* Draws the picture before the first report. */
static void draw_begin(struct out *o, const struct top_live *live)
{
	char interval[UNITS_TEXT];

	out_text(o, "%snvmetool top\nattached; the first figures come after %s\n", screen_clear,
		 units_time_apart(session_common(live->report.view.group.s)->run.interval_ns,
				  interval));
	draw_keys(o, live);
}

static void draw_line(struct out *o, const struct top_live *live, const char *left,
		      const char *text)
{
	u32 columns = live->columns > 16 ? live->columns - 16 : 1;

	out_text(o, "  %-12s  %.*s\n", left, (int)columns, text);
}

static const char *heading_of(const char *column)
{
	const struct field *f = top_schema.fields;

	while (f->type && !streq(f->name, column))
		f++;
	return f->head;
}

/* Draws the page about keys and columns. It is cut where the screen ends. */
static void draw_help(struct out *o, const struct top_live *live)
{
	static const char *const keys[][2] = {
		{ "s, right", "sort by the next column, it has a star; left: by the one before" },
		{ "v", "next view: processes, cgroups, devices, controllers, queues" },
		{ "o", "reads, writes and other operations in one row, or a row each" },
		{ "up, down", "scroll" },
		{ "p", "hold the picture, and go on" },
		{ "h, ?", "this page; any key leaves it" },
		{ "q", "quit" },
	};
	u32 left = live->lines > ARRAY_SIZE(keys) + 4 ? live->lines - ARRAY_SIZE(keys) - 4 : 0;

	out_text(o, "%snvmetool top: keys\n", screen_clear);
	for (u32 i = 0; i < ARRAY_SIZE(keys); i++)
		draw_line(o, live, keys[i][0], keys[i][1]);
	out_text(o, "columns\n");
	draw_line(o, live, "KB", "mean size of a command, KiB");
	for (u32 i = 0; i < live->report.sorts && left; i++, left--)
		draw_line(o, live, heading_of(top_sort_columns[i]), top_sort_words[i].help);
}

void top_live_draw(struct top_live *live)
{
	struct top_report *r = &live->report;
	struct out *o = session_out(r->view.group.s);

	if (live->help) {
		draw_help(o, live);
		out_flush(o);
		return;
	}
	if (!r->view.group.end_ns) { /* nothing was reported yet */
		draw_begin(o, live);
		out_flush(o);
		return;
	}
	if (r->first >= r->n)
		r->first = r->n ? r->n - 1 : 0;
	out_report(o);
	draw_head(o, live);
	top_report_print(r);
	out_flush(o);
}

/* Shows the view by the keys @by. Its rows are made of the same figures as those of the last view. */
static int show_view(struct top_live *live, u32 by, const struct top_parts *parts)
{
	struct top_report *r = &live->report;

	if (out_opts(session_out(r->view.group.s))->columns) /* those of this view */
		return 0;
	live->by = by;
	top_report_view(r, r->view.group.s, live->together ? by & ~(1U << KEY_OPCODE) : by);
	r->first = 0;
	top_busy_view(live->busy, r->view.group.by);
	top_report_make(r, parts);
	return fit(live);
}

/* Does what @key asks for. 0 or -errno, reported. */
static int press(struct top_live *live, int key, const struct top_parts *parts)
{
	struct top_report *r = &live->report;

	live->unknown = false;
	if (live->help && key != 'q' && key != SCREEN_GONE) {
		live->help = key == SCREEN_REDRAW;
		return fit(live);
	}
	switch (key) {
	case 'h':
	case '?':
		live->help = true;
		break;
	case 's':
	case SCREEN_RIGHT:
		r->sort = (r->sort + 1) % r->sorts;
		return fit(live);
	case SCREEN_LEFT:
		r->sort = (r->sort + r->sorts - 1) % r->sorts;
		return fit(live);
	case SCREEN_UP:
		r->first -= r->first > 0;
		break;
	case SCREEN_DOWN:
		r->first++;
		break;
	case 'p':
		live->paused = !live->paused;
		break;
	case 'v':
		return show_view(live, top_view_next(live->by, live->own, live->all), parts);
	case 'o':
		live->together = !live->together;
		return show_view(live, live->by, parts);
	case SCREEN_REDRAW:
		return fit(live);
	case 'q':
	case SCREEN_GONE:
		session_end(r->view.group.s);
		break;
	default:
		live->unknown = true;
	}
	return 0;
}

int top_live_keys(struct top_live *live, const struct top_parts *parts)
{
	bool any = false;
	int key, err = 0;

	while (!err && !session_ending(live->report.view.group.s) &&
	       (key = screen_key(live->screen)) != SCREEN_NONE) {
		err = press(live, key, parts);
		any = true;
	}
	if (any && !err && !session_ending(live->report.view.group.s))
		top_live_draw(live);
	return err;
}
