// SPDX-License-Identifier: GPL-2.0-or-later
/* Shared by the files of this room: the columns of this run, and the struct of a format. */
#ifndef NVT_OUT_IMPL_H
#define NVT_OUT_IMPL_H

#include "lib/base/str.h"
#include "lib/out/out.h"
#include "lib/out/sink.h"

#define OUT_COLUMNS  96 /* columns of one record */
#define OUT_SHOWS    64 /* names given to out_show() */
#define OUT_NAME_MAX 32 /* name of a field */
#define JSON_DEPTH   16
#define JSON_KEPT    4 /* texts that records may have in common */

/* A field that is printed, and values of it that are computed once. */
struct column {
	const struct field *field;
	unsigned int width; /* text: width of the widest value so far */
	unsigned int fit; /* text: its width on the terminal, 0: left out; lib/out/fit.c */
	bool left;
	unsigned int key_len;
	char key[OUT_NAME_MAX + 16]; /* JSON: `,"name":`; text and CSV: the heading */
};

struct plan {
	const struct schema *schema;
	const struct field *fields;
	struct column *columns;
	unsigned int n;
	bool header_done; /* text */
	bool grown; /* text: a column has grown since the heading */
	u32 fitted; /* text: the width of the terminal that `fit` of the columns is for */
	u32 lines; /* text: rows since the heading */
	s16 place[OUT_COLUMNS]; /* index in columns of each of out->heads, -1: none */
	unsigned int type_len;
	char type_text[OUT_NAME_MAX + 16]; /* JSON: `{"type":"io"`; CSV: `io` */
};

/* See json_keep(). */
struct json_kept {
	u8 key[JSON_KEPT_KEY];
	u32 len;
	char text[JSON_KEPT_TEXT + 16]; /* padded for fmt_copy() */
};

struct json {
	struct out *o;
	bool failed; /* out of memory: the record is dropped as a whole */
	size_t record; /* where the record begins in the sink's buffer, from start */
	unsigned int depth;
	bool empty[JSON_DEPTH];
	char closer[JSON_DEPTH];
	size_t keep_from; /* offset in the record */
	struct json_kept kept[JSON_KEPT];
};

#define OUT_HELD (32U << 10) /* bytes of rows that wait for the width of their columns */

/* Rows of text, of one plan, that are not in the sink yet; see out_lay_out(). */
struct held {
	char *buf; /* room for OUT_HELD and a row more */
	size_t used, row; /* row: offset of the last row */
	struct plan *plan;
};

/* The text of the second that was printed last: "2026-11-21T06:59:43." */
struct clock_text {
	u64 sec;
	char text[40];
	unsigned int len;
	char zone[8];
};

/*
 * A format: lib/out/NAME.c exports one, lib/out/format.def lists them. A command's own format uses
 * that of text. Members that may be NULL say so.
 */
struct out_format {
	bool all_fields; /* without --columns it prints all that it can, not what text shows */
	bool free_text; /* out_text() and its kind print */
	/* True if the format can print the field. */
	bool (*prints)(const struct field *f);
	/* Fills in `key` of a column; text also `width` and `left`. */
	void (*heading)(const struct out *o, struct column *c);
	const char *type_begin, *type_end; /* around the type of a record, which comes first */
	/* Called when the columns are known. 0 or -ENOMEM. May be NULL. */
	int (*open)(struct out *o);
	void (*row)(struct out *o, struct plan *p, const void *row);
	/* Serve out_report() and out_ends(). May be NULL. */
	void (*report)(struct out *o);
	void (*end)(struct out *o);
	/* Puts rows that it holds into the sink. May be NULL. */
	void (*lay_out)(struct out *o);
	/* Puts an out_mark() behind a row that is held; false if none is held. May be NULL. */
	bool (*mark)(struct out *o);
	/* Serve out_json_begin() and out_json_end(). NULL: the format has no such records. */
	struct json *(*begin_record)(struct out *o, const char *type);
	void (*end_record)(struct out *o);
};

#define FORMAT(id, word, help) extern const struct out_format out_format_##word;
#include "lib/out/format.def"
#undef FORMAT

struct out {
	const struct out_format *format;
	struct sink sink;
	struct held held;
	const struct output_opts *opts;
	struct json json;
	struct plan plans[OUT_SCHEMAS];
	unsigned int n_plans;
	unsigned int n_heads; /* see out_share_heading() */
	const char *heads[OUT_COLUMNS];
	struct {
		const char *name;
		bool visible;
	} shows[OUT_SHOWS];
	unsigned int n_shows;
	struct clock_text utc, local;
	u64 records;
	bool settled, header_done, skip_text;
	const char *marked; /* see out_mark_column() */
	bool colored;
	u32 screen; /* lines of the terminal that shows the text, 0: none */
	u32 room; /* its columns, 0: no terminal, so lines may have any length */
	char *line; /* with room: free text of a line that has not ended, OUT_LINE bytes */
	size_t line_len;
	u32 fold_at; /* see out_fold_at() */
	bool gap; /* text: an empty line comes before what is printed next */
	bool blank, begun; /* text: the last line was empty; there was one */
};

/* The string of a field, or NULL. */
static inline const char *out_string(const struct field *f, const char *row)
{
	const char *s;

	if (f->type == FIELD_CHARS)
		return row + f->at;
	__builtin_memcpy(&s, row + f->at, sizeof(s));
	return s;
}

/* True if out_mark_column() has marked the column. */
static inline bool out_is_marked(const struct out *o, const struct field *f)
{
	return o->marked && streq(o->marked, f->name);
}

/* The most decimals of a FIELD_F64 in machine formats. */
static inline unsigned int out_decimals(const struct field *f)
{
	return f->flags & FIELD_FINE ? 9 : 2;
}

static inline double out_double(const struct field *f, const char *row)
{
	double v;

	__builtin_memcpy(&v, row + f->at, sizeof(v));
	return v;
}

/* The integer of a field, sign-extended; *null if its flags say that this value means unknown. */
static inline u64 out_load(const struct field *f, const void *row, bool *null)
{
	const char *p = (const char *)row + f->at;
	u64 v, ones;

	switch (f->type) {
	case FIELD_U8:
	case FIELD_BOOL:
		v = *(const u8 *)p;
		ones = 0xff;
		break;
	case FIELD_U16:
		v = *(const u16 *)p;
		ones = 0xffff;
		break;
	case FIELD_U32:
	case FIELD_HEX32:
		v = *(const u32 *)p;
		ones = 0xffffffff;
		break;
	case FIELD_S32:
		v = (u64)(s64) * (const s32 *)p;
		ones = ~0ULL;
		break;
	default:
		v = *(const u64 *)p;
		ones = ~0ULL;
		break;
	}
	*null = (f->flags & FIELD_NULL_ONES && v == ones) ||
		((f->flags & FIELD_NULL_ZERO || f->type == FIELD_TIME) && !v);
	return v;
}

/* Writes RFC 3339 with nine digits, at most 40 bytes; returns the end and writes no NUL. */
char *out_put_time(struct clock_text *c, bool utc, u64 wall_ns, char *p);
/*
 * Writes the time of day with @decimals (up to 9) of the second, at most 32 bytes; returns the end
 * and writes no NUL.
 */
char *out_put_time_of_day(struct clock_text *c, bool utc, u64 wall_ns, u32 decimals, char *p);

/* Copies @n bytes into the sink. */
void out_put(struct out *o, const char *s, size_t n);

/* Chooses the columns by format and --columns; 0 or a usage error. lib/out/columns.c */
int out_plan(struct out *o);

/*
 * For open() of a format with one heading for records of all types, `type` in front. Makes `heads`
 * the union of their columns, in the order in which they come first. Returns 0. lib/out/columns.c
 */
int out_share_heading(struct out *o);

/* Puts the rows that the format holds into the sink, before anything else is printed. */
static inline void out_lay_out(struct out *o)
{
	if (o->format->lay_out)
		o->format->lay_out(o);
}

/*
 * Writes the text of a field of @row, escaped, to @p (OUT_VALUE_TEXT bytes). Returns its end, and
 * its columns in *width. lib/out/text.c
 */
#define OUT_VALUE_TEXT 1024
char *out_value_text(struct out *o, const struct field *f, const void *row, char *p,
		     unsigned int *width);

/* Writes @len bytes of @s with those of the characters &<>" that are in @special as entities. */
void out_xml(struct out *o, const char *s, size_t len, const char *special);

/* Prints a piece of free text, which may end lines. lib/out/text.c */
void out_text_piece(struct out *o, const char *s, size_t n);

/*
 * Has the line of @p fit o->room, and says in p->grown whether columns have another width than
 * before. Without a terminal each column is as wide as its widest value. lib/out/fit.c
 */
void fit_columns(const struct out *o, struct plan *p);

/*
 * Bytes of the line that begins at @s which fit @columns, broken at a blank where there is one;
 * *rest is where the next line begins, NULL: nowhere. A word that is longer than a line is broken.
 * Escape sequences take no columns. lib/out/fit.c
 */
size_t fit_line(const char *s, unsigned int columns, const char **rest);

#define OUT_LINE 4096

#endif
