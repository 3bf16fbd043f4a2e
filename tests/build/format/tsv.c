// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tab-separated values: the columns of CSV. Strings are escaped, so that none holds a tab. The
 * format that tests/build adds.
 */
#include <stdio.h>

#include "lib/base/escape.h"
#include "lib/base/fmt.h"
#include "lib/out/out_impl.h"

static void put_string(struct out *o, const char *s)
{
	size_t room = strlen(s) * 4 + 1;
	char *p = sink_reserve(&o->sink, room);

	if (p)
		o->sink.end += escape_text(s, p, room);
}

static char *put_integer(struct out *o, const struct field *f, u64 v, char *p)
{
	if (f->type == FIELD_TIME)
		return out_put_time(&o->utc, true, v, p);
	if (f->type == FIELD_BOOL)
		return stpcpy(p, v ? "true" : "false");
	if (f->type == FIELD_HEX32 || f->type == FIELD_HEX64)
		return fmt_hex(p, v);
	return f->type == FIELD_S32 || f->type == FIELD_S64 ? fmt_s64(p, (s64)v) : fmt_u64(p, v);
}

static void put_value(struct out *o, const struct field *f, const char *row)
{
	char text[512] = "", *end = text;
	bool null = false;
	u64 v;

	if (f->csv) {
		f->csv(row, text, sizeof(text));
		put_string(o, text);
	} else if (f->type == FIELD_STR || f->type == FIELD_CHARS) {
		put_string(o, out_string(f, row) ? out_string(f, row) : "");
	} else if (f->type == FIELD_F64) {
		if (__builtin_isfinite(out_double(f, row)))
			end = fmt_double(text, out_double(f, row), 2, true);
		out_put(o, text, (size_t)(end - text));
	} else {
		v = out_load(f, row, &null);
		if (!null)
			end = put_integer(o, f, v, text);
		out_put(o, text, (size_t)(end - text));
	}
}

/* The heading, unless it is there already. */
static void tsv_end(struct out *o)
{
	if (!o->settled || o->header_done || !o->opts->header)
		return;
	o->header_done = true;
	put_string(o, o->n_plans > 1 ? "type" : "");
	for (unsigned int i = 0; i < o->n_heads; i++) {
		out_put(o, "\t", i || o->n_plans > 1);
		put_string(o, o->heads[i]);
	}
	out_put(o, "\n", 1);
}

static void tsv_row(struct out *o, struct plan *p, const void *row)
{
	tsv_end(o);
	put_string(o, o->n_plans > 1 ? p->type_text : "");
	for (unsigned int i = 0; i < o->n_heads; i++) {
		out_put(o, "\t", i || o->n_plans > 1);
		if (p->place[i] >= 0)
			put_value(o, p->columns[p->place[i]].field, row);
	}
	out_put(o, "\n", 1);
}

static bool tsv_prints(const struct field *f)
{
	return !(f->flags & FIELD_ONLY_TEXT) && (f->type != FIELD_CALL || f->csv);
}

static void tsv_heading(const struct out *o, struct column *c)
{
	(void)o;
	snprintf(c->key, sizeof(c->key), "%s", c->field->name);
}

const struct out_format out_format_tsv = {
	.all_fields = true,
	.prints = tsv_prints,
	.heading = tsv_heading,
	.type_begin = "",
	.type_end = "",
	.open = out_share_heading,
	.row = tsv_row,
	.end = tsv_end,
};
