// SPDX-License-Identifier: GPL-2.0-or-later
/* Text: columns with headings, numbers flush right, one blank between. */
#include <time.h>

#include "lib/escape.h"
#include "lib/fmt.h"
#include "lib/out_impl.h"
#include "lib/str.h"

#define CELL_MAX 1024

/* Nanoseconds in --unit: us with one decimal, ms three, s six. */
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

/* Time of day with microseconds: 07:03:12.000123 */
static char *put_time_of_day(struct out *o, u64 wall_ns, char *p)
{
	char text[64];

	if (o->opts->utc)
		out_put_time(&o->utc, true, wall_ns, text);
	else
		out_put_time(&o->local, false, wall_ns, text);
	return (char *)memcpy(p, text + 11, 15) + 15;
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
		return put_time_of_day(o, v, p);
	default:
		return f->flags & FIELD_LAT ? put_latency(o->opts->unit, v, p) : fmt_u64(p, v);
	}
}

static char *put_unknown(char *p)
{
	*p = '-';
	return p + 1;
}

/* The text of one value into @p (CELL_MAX bytes); returns the end and its width in *width. */
static char *put_value(struct out *o, const struct field *f, const char *row, char *p,
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
		/* An empty cell would be taken for the next one. */
		end = s && *s ? p + out_escape(s, p, CELL_MAX) : put_unknown(p);
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

/* One cell, padded to its column; @last: nothing follows in the line. @text is padded for fmt_copy(). */
static void put_cell(struct out *o, const struct column *c, const char *text, size_t len,
		     unsigned int width, bool last)
{
	bool padded = width < c->width && !(c->field->flags & FIELD_LAST);
	unsigned int pad = padded ? c->width - width : 0;
	char *p = sink_room(&o->sink, len + pad + 1);

	if (!p)
		return;
	if (!c->left) {
		memset(p, ' ', pad);
		p += pad;
	}
	p = fmt_copy(p, text, len);
	if (c->left && !last) {
		memset(p, ' ', pad);
		p += pad;
	}
	*p++ = last ? '\n' : ' ';
	o->sink.end = (size_t)(p - o->sink.buf);
}

static void put_header(struct out *o, struct plan *p)
{
	const struct column *c;
	unsigned int i;

	p->header_done = true;
	if (!o->opts->header)
		return;
	for (i = 0; i < p->n; i++) {
		c = &p->columns[i];
		put_cell(o, c, c->key, c->key_len, c->key_len, i + 1 == p->n);
	}
}

void out_text_row(struct out *o, struct plan *p, const void *row)
{
	char cell[CELL_MAX + 16], *end;
	unsigned int i, width;

	if (!p->header_done)
		put_header(o, p);
	for (i = 0; i < p->n; i++) {
		end = put_value(o, p->columns[i].field, row, cell, &width);
		put_cell(o, &p->columns[i], cell, (size_t)(end - cell), width, i + 1 == p->n);
	}
}
