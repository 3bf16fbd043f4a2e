// SPDX-License-Identifier: GPL-2.0-or-later
/* Text: columns with headings, numbers flush right, one blank between columns. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/env.h"
#include "lib/base/escape.h"
#include "lib/base/fmt.h"
#include "lib/base/str.h"
#include "lib/out/out_impl.h"

#define CELL_MAX OUT_VALUE_TEXT
#define HUE_MAX	 8 /* bytes of an escape sequence */

/* Writes nanoseconds in --unit: us with one decimal, ms with three, s with six. */
static char *put_latency(u32 unit, u64 ns, char *p)
{
	switch (unit) {
	case UNIT_NS:
		return fmt_u64(p, ns);
	case UNIT_MS:
		return fmt_fixed(p, ns, 1000000, 3);
	case UNIT_S:
		return fmt_fixed(p, ns, 1000000000, 6);
	default:
		return fmt_fixed(p, ns, 1000, 1);
	}
}

static char *put_number(struct out *o, const struct field *f, u64 v, char *p)
{
	switch (f->type) {
	case FIELD_S32:
	case FIELD_S64:
		return fmt_s64(p, (s64)v);
	case FIELD_HEX32:
	case FIELD_HEX64:
		return fmt_hex(p, v);
	case FIELD_BOOL:
		*p = v ? 'y' : 'n';
		return p + 1;
	case FIELD_TIME:
		return out_put_time_of_day(o->opts->utc ? &o->utc : &o->local, o->opts->utc, v, 6,
					   p);
	default:
		return f->flags & FIELD_LAT ? put_latency(o->opts->unit, v, p) : fmt_u64(p, v);
	}
}

static char *put_unknown(char *p)
{
	*p = '-';
	return p + 1;
}

char *out_value_text(struct out *o, const struct field *f, const void *row, char *p,
		     unsigned int *width)
{
	char *end, foreign[CELL_MAX / 4];
	const char *s;
	bool null;
	u64 v;

	if (f->text || f->type == FIELD_STR || f->type == FIELD_CHARS) {
		s = foreign;
		if (f->text) {
			foreign[0] = '\0';
			f->text(o, row, foreign, sizeof(foreign));
		} else {
			s = out_string(f, row);
		}
		/* An empty cell would shift those behind it. */
		end = s && *s ? p + escape_text(s, p, CELL_MAX) : put_unknown(p);
		*end = '\0';
		*width = escape_width(p);
		return end;
	}
	if (f->type == FIELD_F64) {
		if (__builtin_isfinite(out_double(f, row)))
			end = fmt_double(p, out_double(f, row), 1, false);
		else
			end = put_unknown(p);
	} else {
		v = out_load(f, row, &null);
		end = null ? put_unknown(p) : put_number(o, f, v, p);
	}
	*width = (unsigned int)(end - p);
	return end;
}

/*
 * In struct held each row has this head, then its cells, each with its text padded for fmt_copy().
 */
struct held_row {
	u32 marks; /* how many out_mark() follow it */
};

struct held_cell {
	u16 len, width, hue;
};

const char *out_hue(const struct out *o, enum out_hue hue)
{
	static const char *const codes[] = { "\033[0m", "\033[1m", "\033[1;31m" };

	return o->colored ? codes[hue] : "";
}

/*
 * Cuts the value @text to what @columns of a terminal hold together with a mark at its end. Changes
 * len and width of @cell.
 */
static void cut(struct held_cell *cell, const char *text, unsigned int columns)
{
	unsigned int at = 0, width = 0, n, wide;

	while (at < cell->len) {
		wide = escape_char_width(text + at, &n);
		if (width + wide >= columns)
			break;
		width += wide;
		at += n;
	}
	cell->len = (u16)at;
	cell->width = (u16)(width + 1);
}

/*
 * Prints one cell, padded to the width of its column unless it is the @last of the line. @text is
 * padded for fmt_copy().
 */
static void put_cell(struct out *o, const struct column *c, struct held_cell cell, const char *text,
		     bool last)
{
	bool whole = !o->room || cell.width <= c->fit;
	unsigned int pad;
	char *p;

	if (!whole)
		cut(&cell, text, c->fit);
	pad = cell.width < c->fit && !(c->field->flags & FIELD_LAST) ? c->fit - cell.width : 0;
	p = sink_room(&o->sink, cell.len + pad + 2 + 2 * HUE_MAX);
	if (!p)
		return;
	if (!c->left) {
		memset(p, ' ', pad);
		p += pad;
	}
	if (cell.hue)
		p = stpcpy(p, out_hue(o, cell.hue));
	p = fmt_copy(p, text, cell.len);
	if (!whole)
		*p++ = '~';
	if (cell.hue)
		p = stpcpy(p, out_hue(o, HUE_PLAIN));
	if (c->left && !last) {
		memset(p, ' ', pad);
		p += pad;
	}
	*p++ = last ? '\n' : ' ';
	o->sink.end = (size_t)(p - o->sink.buf);
}

/* Prints the last cell of a line over as many lines as it takes, below each other. */
static void put_folded(struct out *o, const struct column *c, struct held_cell cell,
		       const char *text)
{
	unsigned int indent = o->room > c->fit ? o->room - c->fit : 0;
	char copy[CELL_MAX + 1], blank[] = " ";
	const char *at = copy, *rest;
	bool first = true;
	size_t n;

	memcpy(copy, text, cell.len);
	copy[cell.len] = '\0';
	for (; at; at = rest, first = false) {
		n = fit_line(at, c->fit, &rest);
		for (unsigned int i = 0; !first && i < indent; i++)
			out_put(o, blank, 1);
		out_put(o, out_hue(o, cell.hue), cell.hue ? strlen(out_hue(o, cell.hue)) : 0);
		out_put(o, at, n);
		out_put(o, out_hue(o, HUE_PLAIN), cell.hue ? strlen(out_hue(o, HUE_PLAIN)) : 0);
		out_put(o, "\n", 1);
	}
}

/* The column that ends the line. */
static unsigned int last_column(const struct plan *p)
{
	unsigned int last = p->n;

	while (last > 1 && !p->columns[last - 1].fit)
		last--;
	return last - 1;
}

static void put_header(struct out *o, struct plan *p)
{
	const struct column *c;
	struct held_cell cell;
	unsigned int i, last = last_column(p);

	p->header_done = true;
	p->grown = false;
	p->lines = 0;
	if (!o->opts->header)
		return;
	for (i = 0; i < p->n; i++) {
		c = &p->columns[i];
		cell = (struct held_cell){ (u16)c->key_len, (u16)c->key_len, HUE_PLAIN };
		if (c->fit)
			put_cell(o, c, cell, c->key, i == last);
	}
}

/* The columns of the terminal that shows the text; 0: it is not one, or the format is another. */
static u32 room_of(const struct out *o)
{
	return o->opts->format == OUT_TEXT ? terminal_columns(o->sink.fd) : 0;
}

static void look_at_terminal(struct out *o)
{
	const char *no_color = env_look("NO_COLOR"), *term = env_look("TERM");
	bool plain = (no_color && *no_color) || (term && streq(term, "dumb"));
	bool terminal = isatty(o->sink.fd);
	struct winsize size = { 0 };

	o->colored = o->opts->color == COLOR_ALWAYS ||
		     (o->opts->color == COLOR_AUTO && terminal && !plain);
	if (terminal && !ioctl(o->sink.fd, TIOCGWINSZ, &size))
		o->screen = size.ws_row;
	o->room = room_of(o);
}

static int text_open(struct out *o)
{
	const size_t row =
		sizeof(struct held_row) + OUT_COLUMNS * (sizeof(struct held_cell) + CELL_MAX + 16);

	look_at_terminal(o);
	if (!o->held.buf)
		o->held.buf = malloc(OUT_HELD + row);
	if (o->room && !o->line)
		o->line = malloc(OUT_LINE);
	return o->held.buf && (o->line || !o->room) ? 0 : -ENOMEM;
}

/*
 * True if the heading is due: on a terminal also before it scrolls away, and when a column has
 * grown.
 */
static bool needs_header(const struct out *o, const struct plan *p)
{
	return !p->header_done || (o->screen && (p->grown || p->lines + 2 > o->screen));
}

static const char *put_held_row(struct out *o, struct plan *p, const char *at)
{
	unsigned int i, last = last_column(p);
	struct held_cell cell;
	struct held_row row;

	if (needs_header(o, p))
		put_header(o, p);
	p->lines++;
	memcpy(&row, at, sizeof(row));
	at += sizeof(row);
	for (i = 0; i < p->n; i++) {
		memcpy(&cell, at, sizeof(cell));
		at += sizeof(cell);
		if (o->room && i == last && p->columns[i].field->flags & FIELD_FOLD)
			put_folded(o, &p->columns[i], cell, at);
		else if (p->columns[i].fit)
			put_cell(o, &p->columns[i], cell, at, i == last);
		at += cell.len;
	}
	while (row.marks--)
		sink_mark(&o->sink);
	return at;
}

/* Prints the empty line that out_report() asked for. */
static void put_gap(struct out *o)
{
	if (o->gap && !o->blank)
		out_put(o, "\n", 1);
	o->gap = false;
}

/*
 * Prints the rows that wait. They wait until a flush, or until something else is printed, so that a
 * column has the width of its widest value from the heading on.
 */
static void text_lay_out(struct out *o)
{
	const char *at = o->held.buf, *end;

	if (!o->held.used)
		return;
	end = at + o->held.used;
	o->room = o->room ? room_of(o) : 0;
	fit_columns(o, o->held.plan);
	put_gap(o);
	o->begun = true;
	o->blank = false;
	while (at < end)
		at = put_held_row(o, o->held.plan, at);
	o->held.used = 0;
}

static bool text_mark(struct out *o)
{
	struct held_row row;

	if (!o->held.used)
		return false;
	memcpy(&row, o->held.buf + o->held.row, sizeof(row));
	row.marks++;
	memcpy(o->held.buf + o->held.row, &row, sizeof(row));
	return true;
}

static u16 hue_of(const struct field *f, const void *row)
{
	if (f->bad && f->bad(row))
		return HUE_BAD;
	return f->flags & FIELD_BOLD ? HUE_BOLD : HUE_PLAIN;
}

static void text_row(struct out *o, struct plan *p, const void *row)
{
	struct held *held = &o->held;
	struct held_row head = { 0 };
	struct held_cell cell;
	unsigned int i, width;
	struct column *c;
	char *at, *end;

	if (held->plan != p)
		text_lay_out(o);
	held->plan = p;
	held->row = held->used;
	at = memcpy(held->buf + held->used, &head, sizeof(head));
	at += sizeof(head);
	for (i = 0; i < p->n; i++) {
		c = &p->columns[i];
		end = out_value_text(o, c->field, row, at + sizeof(cell), &width);
		cell = (struct held_cell){ (u16)((size_t)(end - at) - sizeof(cell)), (u16)width,
					   hue_of(c->field, row) };
		memcpy(at, &cell, sizeof(cell));
		at = end;
		if (width > c->width && !(c->field->flags & FIELD_LAST)) {
			c->width = width;
			p->grown = true;
		}
	}
	held->used = (size_t)(at - held->buf);
	if (held->used >= OUT_HELD)
		text_lay_out(o);
}

/*
 * True if the last byte in the buffer ended a line. Bytes written before are taken for whole lines.
 */
static bool ends_line(const struct out *o)
{
	return o->sink.end == o->sink.start || o->sink.buf[o->sink.end - 1] == '\n';
}

/* Begins a line of text, which is printed or dropped as a whole although it may come in pieces. */
static bool text_begins(struct out *o)
{
	if (o->skip_text)
		return false;
	return !ends_line(o) || sink_line(&o->sink, 0);
}

static void put_piece(struct out *o, const char *s, size_t n)
{
	bool ends = n && s[n - 1] == '\n';

	text_lay_out(o);
	if (!text_begins(o)) {
		o->skip_text = !ends;
		return;
	}
	put_gap(o);
	o->blank = ends && (n == 1 ? o->begun && ends_line(o) : s[n - 2] == '\n');
	o->begun = true;
	out_put(o, s, n);
}

/* How far right a line goes on that did not fit. */
static u32 indent_of(const char *line)
{
	size_t blanks = strspn(line, " ") + 2;

	return blanks < 20 ? (u32)blanks : 20;
}

/*
 * Prints the line that was gathered; what does not fit goes on below, further right. Maps and
 * histograms are never narrower than FOLD_LEAST.
 */
#define FOLD_LEAST 60U
static void put_line(struct out *o)
{
	u32 indent = 0, below = o->fold_at ? o->fold_at : indent_of(o->line), room;
	const char *at = o->line, *rest;
	char text[OUT_LINE + 64];
	size_t n;

	o->line[o->line_len] = '\0';
	o->line_len = 0;
	o->room = room_of(o);
	for (; at; at = rest, indent = below) {
		room = o->room > FOLD_LEAST ? o->room : FOLD_LEAST;
		n = fit_line(at, o->room ? room - indent : ~0U, &rest);
		snprintf(text, sizeof(text), "%*s%.*s\n", (int)indent, "", (int)n, at);
		put_piece(o, text, strlen(text));
	}
}

void out_fold_at(struct out *o, u32 column)
{
	o->fold_at = column;
}

void out_text_piece(struct out *o, const char *s, size_t n)
{
	if (!o->line)
		return put_piece(o, s, n);
	for (; n--; s++) {
		if (*s != '\n')
			o->line[o->line_len++] = *s;
		if (*s == '\n' || o->line_len == OUT_LINE - 1)
			put_line(o);
	}
}

static void text_report(struct out *o)
{
	unsigned int i;

	text_lay_out(o);
	if (!o->opts->header)
		return;
	o->gap = o->begun;
	for (i = 0; i < o->n_plans; i++)
		o->plans[i].header_done = false;
}

static bool text_prints(const struct field *f)
{
	return f->type != FIELD_CALL || f->text;
}

static const char *unit_word(u32 unit)
{
	static const char *const words[] = { "us", "ns", "ms", "s" };

	return words[unit < ARRAY_SIZE(words) ? unit : 0];
}

/* Makes the heading, like LAT(us): from field->head, else from the name. */
static void text_heading(const struct out *o, struct column *c)
{
	const struct field *f = c->field;
	size_t n = strlen(f->head ? f->head : f->name), i;

	snprintf(c->key, sizeof(c->key), "%s", f->head ? f->head : f->name);
	if (!f->head) {
		for (i = 0; c->key[i]; i++)
			c->key[i] = (char)toupper((unsigned char)c->key[i]);
		if (f->flags & FIELD_LAT && n > 3 && n < sizeof(c->key) &&
		    streq(c->key + n - 3, "_NS"))
			n -= 3;
	}
	if (f->flags & FIELD_LAT && n + 8 < sizeof(c->key))
		snprintf(c->key + n, sizeof(c->key) - n, "(%s)", unit_word(o->opts->unit));
	n = strlen(c->key);
	if (out_is_marked(o, f) && n + 1 < sizeof(c->key)) {
		memmove(c->key + 1, c->key, n + 1);
		c->key[0] = '*';
	}
	c->left = f->width < 0;
	c->width = (unsigned int)(f->width < 0 ? -f->width : f->width);
	if (c->width < strlen(c->key))
		c->width = (unsigned int)strlen(c->key);
}

const struct out_format out_format_text = {
	.free_text = true,
	.prints = text_prints,
	.heading = text_heading,
	.type_begin = "",
	.type_end = "",
	.open = text_open,
	.row = text_row,
	.report = text_report,
	.lay_out = text_lay_out,
	.mark = text_mark,
};
