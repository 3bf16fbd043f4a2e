// SPDX-License-Identifier: GPL-2.0-or-later
/* JSON: one object per line, UTF-8, written straight into the output buffer. */
#include "lib/base/escape.h"
#include "lib/base/fmt.h"
#include "lib/base/str.h"
#include "lib/out/out_impl.h"

/* Padded for fmt_copy(). */
static const char null_word[16] = "null", true_word[16] = "true", false_word[16] = "false";

static char *room(struct json *j, size_t n)
{
	char *p = sink_room(&j->o->sink, n);

	if (!p)
		j->failed = true;
	return p;
}

static void written(struct json *j, const char *end)
{
	j->o->sink.end = (size_t)(end - j->o->sink.buf);
}

/* Writes the escaped form of a byte (lib/base/escape.h), with its backslashes escaped for JSON. */
static char *put_escaped(char *p, unsigned char c)
{
	*p++ = '\\';
	*p++ = '\\';
	if (c == '\\') {
		*p++ = '\\';
		*p++ = '\\';
		return p;
	}
	*p++ = 'x';
	*p++ = "0123456789abcdef"[c >> 4];
	*p++ = "0123456789abcdef"[c & 15];
	return p;
}

/* The bytes that need no escape: those of escape_plain() without the quote. */
static const bool is_plain[256] = {
	[' ' ... '!'] = true,
	['#' ... '['] = true,
	[']' ... '~'] = true,
};

#define EACH_BYTE(byte) ((byte)*0x0101010101010101ULL)

/* True only if none of the eight bytes needs an escape. */
static bool plain_word(u64 w)
{
	u64 odd = w | (w + EACH_BYTE(1)) | (w - EACH_BYTE(' '));

	odd |= (w ^ EACH_BYTE('"')) - EACH_BYTE(1);
	odd |= (w ^ EACH_BYTE('\\')) - EACH_BYTE(1);
	return !(odd & EACH_BYTE(0x80));
}

char *json_string(char *p, const char *s, size_t n)
{
	const char *words = s + n;
	unsigned int len;
	u64 w;

	*p++ = '"';
	for (; words - s >= 8; s += 8, p += 8) {
		memcpy(&w, s, 8);
		if (!plain_word(w))
			break;
		memcpy(p, &w, 8);
	}
	for (;;) {
		while (is_plain[(unsigned char)*s])
			*p++ = *s++;
		if (!*s)
			break;
		len = *s == '"' ? 0 : escape_utf8(s);
		if (*s == '"') {
			*p++ = '\\';
			*p++ = *s++;
		} else if (len) {
			while (len--)
				*p++ = *s++;
		} else {
			p = put_escaped(p, (unsigned char)*s++);
		}
	}
	*p++ = '"';
	return p;
}

/* Writes comma and key before a value of at most @n bytes; NULL when there is no room. */
static char *begin_value(struct json *j, const char *key, size_t n)
{
	size_t key_len = key ? strlen(key) : 0;
	char *p = room(j, n + 2 + JSON_STRING_ROOM(key_len));

	if (!p)
		return NULL;
	if (!j->empty[j->depth])
		*p++ = ',';
	j->empty[j->depth] = false;
	if (key) {
		p = json_string(p, key, key_len);
		*p++ = ':';
	}
	return p;
}

static void open_nested(struct json *j, const char *key, char opener, char closer)
{
	char *p = begin_value(j, key, 1);

	if (!p || j->depth + 1 >= JSON_DEPTH) {
		j->failed = true;
		return;
	}
	*p++ = opener;
	written(j, p);
	j->depth++;
	j->empty[j->depth] = true;
	j->closer[j->depth] = closer;
}

void json_object(struct json *j, const char *key)
{
	open_nested(j, key, '{', '}');
}

void json_array(struct json *j, const char *key)
{
	open_nested(j, key, '[', ']');
}

void json_end(struct json *j)
{
	char *p = room(j, 1);

	if (!p || !j->depth) {
		j->failed = true;
		return;
	}
	*p++ = j->closer[j->depth--];
	written(j, p);
}

void json_u64(struct json *j, const char *key, u64 value)
{
	char *p = begin_value(j, key, FMT_U64_MAX);

	if (p)
		written(j, fmt_u64(p, value));
}

void json_s64(struct json *j, const char *key, s64 value)
{
	char *p = begin_value(j, key, FMT_U64_MAX + 1);

	if (p)
		written(j, fmt_s64(p, value));
}

void json_f64(struct json *j, const char *key, double value)
{
	char *p = begin_value(j, key, FMT_FIXED_MAX);

	if (!p)
		return;
	if (__builtin_isfinite(value))
		p = fmt_double(p, value, 2, true);
	else
		p = fmt_copy(p, null_word, 4);
	written(j, p);
}

void json_bool(struct json *j, const char *key, bool value)
{
	char *p = begin_value(j, key, 5);

	if (p)
		written(j, value ? fmt_copy(p, true_word, 4) : fmt_copy(p, false_word, 5));
}

void json_null(struct json *j, const char *key)
{
	char *p = begin_value(j, key, 4);

	if (p)
		written(j, fmt_copy(p, null_word, 4));
}

void json_str(struct json *j, const char *key, const char *value)
{
	size_t len;
	char *p;

	if (!value) {
		json_null(j, key);
		return;
	}
	len = strlen(value);
	p = begin_value(j, key, JSON_STRING_ROOM(len));
	if (p)
		written(j, json_string(p, value, len));
}

/* The bytes of the record that are written. */
static size_t so_far(const struct json *j)
{
	return j->o->sink.end - j->o->sink.start - j->record;
}

bool json_put_kept(struct json *j, u32 slot, const void *key)
{
	const struct json_kept *kept = &j->kept[slot % JSON_KEPT];
	char *p;

	if (!kept->len || memcmp(kept->key, key, sizeof(kept->key)) != 0)
		return false;
	p = room(j, JSON_KEPT_TEXT);
	if (p)
		written(j, fmt_copy(p, kept->text, kept->len));
	return true;
}

void json_keep_from(struct json *j)
{
	j->keep_from = so_far(j);
}

void json_keep(struct json *j, u32 slot, const void *key)
{
	struct json_kept *kept = &j->kept[slot % JSON_KEPT];
	size_t len = so_far(j) - j->keep_from;

	if (j->failed || len > JSON_KEPT_TEXT)
		return;
	memcpy(kept->key, key, sizeof(kept->key));
	memcpy(kept->text, j->o->sink.buf + j->o->sink.end - len, len);
	kept->len = (u32)len;
}

void json_hex(struct json *j, const char *key, u64 value)
{
	char *p = begin_value(j, key, FMT_U64_MAX);

	if (!p)
		return;
	*p++ = '"';
	p = fmt_hex(p, value);
	*p++ = '"';
	written(j, p);
}

/* Writes the value of a number field behind its key; @p has 64 bytes. */
static char *put_number(struct out *o, const struct field *f, u64 v, char *p)
{
	switch (f->type) {
	case FIELD_S32:
	case FIELD_S64:
		return fmt_s64(p, (s64)v);
	case FIELD_BOOL:
		return v ? fmt_copy(p, true_word, 4) : fmt_copy(p, false_word, 5);
	case FIELD_HEX32:
	case FIELD_HEX64:
		*p++ = '"';
		p = fmt_hex(p, v);
		*p++ = '"';
		return p;
	case FIELD_TIME:
		*p++ = '"';
		p = out_put_time(&o->utc, true, v, p);
		*p++ = '"';
		return p;
	default:
		return fmt_u64(p, v);
	}
}

/* Writes the value of a scalar other than a string; @p has 64 bytes. */
static char *put_scalar(struct out *o, const struct field *f, const char *row, char *p)
{
	bool unknown;
	double d;
	u64 v;

	if (f->type == FIELD_F64) {
		d = out_double(f, row);
		return __builtin_isfinite(d) ? fmt_double(p, d, out_decimals(f), true)
					     : fmt_copy(p, null_word, 4);
	}
	v = out_load(f, row, &unknown);
	return unknown ? fmt_copy(p, null_word, 4) : put_number(o, f, v, p);
}

static void put_column(struct out *o, const struct column *c, const char *row)
{
	const struct field *f = c->field;
	const char *s = NULL;
	size_t len = 0;
	char *p;

	if (f->type == FIELD_CALL) {
		f->emit(&o->json, row);
		return;
	}
	if (f->type == FIELD_STR || f->type == FIELD_CHARS) {
		s = out_string(f, row);
		len = s ? strlen(s) : 0;
	}
	p = room(&o->json, c->key_len + 64 + JSON_STRING_ROOM(len));
	if (!p)
		return;
	p = fmt_copy(p, c->key, c->key_len);
	if (s)
		p = json_string(p, s, len);
	else if (f->type == FIELD_STR || f->type == FIELD_CHARS)
		p = fmt_copy(p, null_word, 4);
	else
		p = put_scalar(o, f, row, p);
	written(&o->json, p);
}

static void begin_record(struct json *j)
{
	j->failed = false;
	j->depth = 0;
	j->empty[0] = false; /* "type" stands in front */
	j->record = j->o->sink.end - j->o->sink.start;
}

/* Closes the record; removes it as a whole when memory ran out. */
static void end_record(struct json *j)
{
	char *p = room(j, 2);

	if (!p || j->failed) {
		j->o->sink.end = j->o->sink.start + j->record;
		j->o->sink.dropped++;
		return;
	}
	*p++ = '}';
	*p++ = '\n';
	written(j, p);
}

static void json_row(struct out *o, struct plan *plan, const void *row)
{
	unsigned int i;
	char *p;

	begin_record(&o->json);
	p = room(&o->json, plan->type_len);
	if (p)
		written(&o->json, fmt_copy(p, plan->type_text, plan->type_len));
	for (i = 0; i < plan->n; i++)
		put_column(o, &plan->columns[i], row);
	end_record(&o->json);
}

/* meta, lost and summary are few and must not be dropped: they may exceed the bound by this. */
#define RECORD_EXTRA (256U << 10)

static struct json *json_begin(struct out *o, const char *type)
{
	struct json *j = &o->json;
	char *p;

	if (!sink_line(&o->sink, RECORD_EXTRA))
		return NULL;
	begin_record(j);
	p = room(j, 1);
	if (p) {
		*p++ = '{';
		written(j, p);
	}
	j->empty[0] = true;
	json_str(j, "type", type);
	return j;
}

static void json_end_record(struct out *o)
{
	end_record(&o->json);
}

static bool json_prints(const struct field *f)
{
	return !(f->flags & (FIELD_ONLY_TEXT | FIELD_NO_JSON)) &&
	       (f->type != FIELD_CALL || f->emit);
}

static void json_heading(const struct out *o, struct column *c)
{
	(void)o;
	snprintf(c->key, sizeof(c->key), ",\"%s\":", c->field->name);
}

const struct out_format out_format_json = {
	.all_fields = true,
	.prints = json_prints,
	.heading = json_heading,
	.type_begin = "{\"type\":\"",
	.type_end = "\"",
	.row = json_row,
	.begin_record = json_begin,
	.end_record = json_end_record,
};
