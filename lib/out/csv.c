// SPDX-License-Identifier: GPL-2.0-or-later
/* CSV, RFC 4180: one header, lines end in CR LF, quotes where needed. */
#include "lib/base/escape.h"
#include "lib/base/fmt.h"
#include "lib/base/str.h"
#include "lib/out/out_impl.h"

/* Padded for fmt_copy(). */
static const char true_word[16] = "true", false_word[16] = "false";

static void put_char(struct out *o, char c)
{
	char *p = sink_room(&o->sink, 1);

	if (!p)
		return;
	*p = c;
	o->sink.end++;
}

/*
 * Writes a string that needs neither escapes nor quotes, as most do: copies while it looks. False
 * if it needs some; nothing is written then.
 */
static bool put_plain(struct out *o, const char *s, size_t len)
{
	char *p = sink_room(&o->sink, len);
	size_t i;

	if (!p || !len)
		return true;
	if (s[0] == ' ' || s[len - 1] == ' ')
		return false;
	for (i = 0; i < len; i++) {
		if (!escape_plain((unsigned char)s[i]) || s[i] == ',' || s[i] == '"')
			return false;
		p[i] = s[i];
	}
	o->sink.end += len;
	return true;
}

/* Writes a string with escapes; in quotes if it has a comma, a quote, or a blank at either end. */
static void put_string(struct out *o, const char *s)
{
	size_t len = strlen(s), room = len * 4 + 1, n, i, quotes = 0;
	bool quote;
	char *p, *text;

	if (put_plain(o, s, len))
		return;
	p = sink_reserve(&o->sink, room * 2 + 2);
	if (!p)
		return;
	text = p + room + 2; /* so far behind that writing never overtakes reading */
	n = escape_text(s, text, room);
	for (i = 0; i < n; i++)
		quotes += text[i] == '"';
	quote = quotes || memchr(text, ',', n) || (n && (text[0] == ' ' || text[n - 1] == ' '));
	if (!quote) {
		memmove(p, text, n);
		o->sink.end += n;
		return;
	}
	put_char(o, '"');
	for (i = 0; i < n; i++) {
		if (text[i] == '"')
			put_char(o, '"');
		put_char(o, text[i]);
	}
	put_char(o, '"');
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
		return v ? fmt_copy(p, true_word, 4) : fmt_copy(p, false_word, 5);
	case FIELD_TIME:
		return out_put_time(&o->utc, true, v, p);
	default:
		return fmt_u64(p, v);
	}
}

static void put_value(struct out *o, const struct field *f, const char *row)
{
	char text[512];
	const char *s;
	char *p;
	bool null;
	u64 v;

	if (f->csv) {
		text[0] = '\0';
		f->csv(row, text, sizeof(text));
		put_string(o, text);
		return;
	}
	if (f->type == FIELD_STR || f->type == FIELD_CHARS) {
		s = out_string(f, row);
		if (s)
			put_string(o, s);
		return;
	}
	p = sink_room(&o->sink, FMT_FIXED_MAX);
	if (!p)
		return;
	if (f->type == FIELD_F64) {
		if (__builtin_isfinite(out_double(f, row)))
			p = fmt_double(p, out_double(f, row), out_decimals(f), true);
	} else {
		v = out_load(f, row, &null);
		if (!null)
			p = put_number(o, f, v, p);
	}
	o->sink.end = (size_t)(p - o->sink.buf);
}

static void put_header(struct out *o)
{
	unsigned int i;

	if (o->header_done || !o->opts->header)
		return;
	o->header_done = true;
	if (o->n_plans > 1)
		out_put(o, "type,", o->n_heads ? 5 : 4);
	for (i = 0; i < o->n_heads; i++) {
		put_string(o, o->heads[i]);
		if (i + 1 < o->n_heads)
			put_char(o, ',');
	}
	out_put(o, "\r\n", 2);
}

static void csv_row(struct out *o, struct plan *p, const void *row)
{
	unsigned int i;

	put_header(o);
	if (o->n_plans > 1) {
		out_put(o, p->type_text, p->type_len);
		if (o->n_heads)
			put_char(o, ',');
	}
	for (i = 0; i < o->n_heads; i++) {
		if (p->place[i] >= 0)
			put_value(o, p->columns[p->place[i]].field, row);
		if (i + 1 < o->n_heads)
			put_char(o, ',');
	}
	out_put(o, "\r\n", 2);
}

static bool csv_prints(const struct field *f)
{
	return !(f->flags & FIELD_ONLY_TEXT) && (f->type != FIELD_CALL || f->csv);
}

static void csv_heading(const struct out *o, struct column *c)
{
	(void)o;
	snprintf(c->key, sizeof(c->key), "%s", c->field->name);
}

/* Writes the heading if no row has done so. */
static void csv_end(struct out *o)
{
	if (o->settled)
		put_header(o);
}

const struct out_format out_format_csv = {
	.all_fields = true,
	.prints = csv_prints,
	.heading = csv_heading,
	.type_begin = "",
	.type_end = "",
	.open = out_share_heading,
	.row = csv_row,
	.end = csv_end,
};
