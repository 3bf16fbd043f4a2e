// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Output: a record is described once, by a table of fields, which each format walks. A format is a
 * struct of functions in a file of its own and a line in format.def; columns.c chooses the columns,
 * sink.c writes, hist.c draws histograms.
 *
 * stdout (or -w FILE) carries data only. Rows gather in a buffer that out_flush() pushes to the
 * kernel; write errors are kept and returned by out_error(). Whatever comes from the kernel or a
 * drive (process, disk, model names) is escaped by the writers, never by a command.
 *
 * A reader that is slow or stopped never blocks the caller: past 4 MiB of backlog whole rows are
 * dropped and counted (out_dropped()), unless out_patient() was called.
 */
#ifndef NVT_OUT_OUT_H
#define NVT_OUT_OUT_H

#include "lib/base/types.h"

struct out;
struct json;

/* Formats of lib/out/format.def, then those of a command's own (-f kernel, perf, folded). */
enum {
#define FORMAT(id, word, help) OUT_##id,
#include "lib/out/format.def"
#undef FORMAT
	OUT_FORMAT_OWN
};

enum out_color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };
enum out_unit { UNIT_US, UNIT_NS, UNIT_MS, UNIT_S };

struct output_opts {
	u32 format; /* OUT_TEXT ..., or a command's own from OUT_FORMAT_OWN on */
	const char *format_word; /* as typed; formats differ by command: common_check() */
	const char *file; /* -w */
	bool timestamp, utc, quiet;
	bool header, meta; /* default true */
	u32 unit; /* enum out_unit, text only */
	u32 color; /* enum out_color, text only */
	const char *columns;
};

enum field_type {
	FIELD_END_OF_TABLE,
	FIELD_U8,
	FIELD_U16,
	FIELD_U32,
	FIELD_U64,
	FIELD_S32,
	FIELD_S64,
	FIELD_BOOL,
	FIELD_F64, /* _pct and rates: two decimals at most */
	FIELD_STR, /* const char *; NULL is null */
	FIELD_CHARS, /* char[width] inside the row, NUL-terminated */
	FIELD_TIME, /* u64 wall-clock nanoseconds: RFC 3339, UTC, nine digits; 0 is null */
	FIELD_HEX32,
	FIELD_HEX64, /* "0x2a" as a string */
	FIELD_CALL, /* not scalar: emit() writes the value; absent from CSV unless `csv` is given */
};

enum field_flag {
	FIELD_NULL_ONES =
		1 << 0, /* all bits set means unknown: null, empty in CSV and "-" in text */
	FIELD_NULL_ZERO = 1 << 1, /* 0 means unknown */
	FIELD_NO_TEXT = 1 << 2, /* machine formats only */
	FIELD_ONLY_TEXT = 1 << 3,
	FIELD_HIDDEN =
		1 << 4, /* text: only when asked for with --columns, -W, or a command's option */
	FIELD_LAT = 1 << 5, /* nanoseconds: text shows it in --unit, head gets "(us)" */
	FIELD_LAST = 1 << 6, /* text: last column, may run over, not padded */
	FIELD_ABSENT = 1 << 7, /* left out of every format (a key not asked for) until out_show() */
	FIELD_NO_JSON = 1 << 8, /* text and CSV only: JSON has the value elsewhere */
	FIELD_BOLD = 1 << 9, /* text in colour: stands out */
};

/* The JSON type that emit() writes, for JSON Schema; with FIELD_NULL_ONES it may be null. */
enum field_json {
	JSON_ANY,
	JSON_BOOL,
	JSON_STRING,
	JSON_STRINGS, /* an array of strings */
	JSON_NUMBERS, /* an array of numbers, null where one is not known */
	JSON_COUNTS, /* an object of integers */
	JSON_BUCKETS, /* an array of [lo, hi, count], an edge null where the range is open */
	JSON_OBJECT, /* an object of `members` */
	JSON_OBJECTS, /* an array of these */
	JSON_NAMED_OBJECTS, /* an object of these */
};

/*
 * One field. `name` is its interface in JSON and CSV and for --columns (case ignored): never
 * renamed. `head` is the text heading, NULL: same as name in capitals; `width` the text width,
 * negative flushes left. text(), when given, writes the text form into buf (size bytes) in place of
 * the plain value; bad(), when given, says whether text in colour shows it in red.
 */
struct field {
	const char *name;
	enum field_type type;
	u32 at;
	const char *head;
	int width;
	unsigned flags;
	const char *help;
	void (*text)(const struct out *o, const void *row, char *buf, size_t size);
	void (*emit)(struct json *j, const void *row);
	void (*csv)(const void *row, char *buf, size_t size);
	bool (*bad)(const void *row);
	enum field_json json; /* FIELD_CALL with emit() */
	const struct field *members; /* of objects, ended by FIELD_DONE */
};

/*
 * A FIELD_TIME that is FIELD_HIDDEN is shown by -T, as time of day. Text of FIELD_F64 has one
 * decimal.
 */
#define FIELD_OF(t, row, m, nm, ...)                                                               \
	{                                                                                          \
		.type = t, .at = offsetof(row, m), .name = nm, __VA_ARGS__                         \
	}
/* Beside a FIELD_TIME of the same member: the integer for programs, in nanoseconds since 1970. */
#define FIELD_TIME_NS(row, m)                                                                      \
	FIELD_OF(FIELD_U64, row, m, "time_ns", .flags = FIELD_NO_TEXT | FIELD_NULL_ZERO,           \
		 .help = "the same time in nanoseconds since 1970")
#define FIELD_DONE                                                                                 \
	{                                                                                          \
		.type = FIELD_END_OF_TABLE                                                         \
	}

struct schema {
	const char *type; /* JSON "type"; the CSV column when a stream has several */
	const struct field *fields; /* ended by FIELD_DONE */
	const char *help;
};

/* JSON writer: commas, nesting, escapes. Keys NULL inside arrays. */
void json_object(struct json *j, const char *key);
void json_array(struct json *j, const char *key);
void json_end(struct json *j); /* of the innermost object or array */
void json_u64(struct json *j, const char *key, u64 value);
void json_s64(struct json *j, const char *key, s64 value);
void json_f64(struct json *j, const char *key, double value); /* not finite: null */
void json_bool(struct json *j, const char *key, bool value);
void json_null(struct json *j, const char *key);
void json_str(struct json *j, const char *key, const char *value); /* NULL: null */
void json_hex(struct json *j, const char *key, u64 value);

/*
 * Text that one record after the other has in common. json_keep() keeps what was written since
 * json_keep_from() under JSON_KEPT_KEY bytes of @key, or nothing if it is longer than
 * JSON_KEPT_TEXT. json_put_kept() writes it again; false: it is not kept. Slots are few: @slot is
 * taken modulo their count, and each keeps its latest text. Not for the first value of an object
 * or array. With it one core of a busy machine replays a million reads and writes to JSON in
 * 0.76 s, without it in 1.02 s.
 */
#define JSON_KEPT_KEY  20
#define JSON_KEPT_TEXT 240
void json_keep_from(struct json *j);
void json_keep(struct json *j, u32 slot, const void *key);
bool json_put_kept(struct json *j, u32 slot, const void *key);

/*
 * Opens stdout or opts->file (mode 0600, O_NOFOLLOW, a regular file to be replaced, a FIFO or
 * device written as it is) for records of @schemas, at most OUT_SCHEMAS. 0 or -errno after a
 * message. @opts must outlive it.
 */
#define OUT_SCHEMAS 8
int out_open(struct out **o, const struct output_opts *opts, const struct schema *const *schemas);

/*
 * Before out_settle(). out_show() makes a column visible or not: used for -Q, -R, -P, keys of --by;
 * 0 or -ENOENT. out_fields() puts @fields (columns known only now, p99_ns) in place of those of
 * @schema; they must outlive @o.
 */
int out_show(struct out *o, const char *field, bool visible);
void out_fields(struct out *o, const struct schema *schema, const struct field *fields);

/*
 * Fixes the columns: once, after the command's start() and before anything is attached. 0, or a
 * usage error that lists the columns when --columns names an unknown one.
 */
int out_settle(struct out *o);

/*
 * The same if that was not done, and the file is replaced: what comes now is worth it. 0 or -errno
 * after a message.
 */
int out_begin(struct out *o);

/*
 * Prints one record, before the first one of a kind the header (text, CSV). Errors: see
 * out_error(). Rows of text appear with the next out_flush(): until then they wait, so that columns
 * are as wide as the widest value from the heading on.
 */
void out_row(struct out *o, const struct schema *schema, const void *row);

/*
 * A record for JSON only (meta, lost, summary): fill it between begin and end. NULL when not JSON.
 */
struct json *out_json_begin(struct out *o, const char *type);
void out_json_end(struct out *o);

enum out_hue { HUE_PLAIN, HUE_BOLD, HUE_BAD };

/* The escape sequence that begins @hue in text; "" where text has no colour. */
const char *out_hue(const struct out *o, enum out_hue hue);

/*
 * Text only, for tables that are no row lists (histograms); printf-like, not escaped: numbers and
 * literals.
 */
__attribute__((format(printf, 2, 3))) void out_text(struct out *o, const char *fmt, ...);

/*
 * A report begins: in text an empty line and the heading again set it apart from the one before, if
 * it prints anything.
 */
void out_report(struct out *o);

/* Text only, with -T: the time of day on a line of its own, above the blocks of an interval. */
void out_text_time(struct out *o, u64 wall_ns);

/* Text only: @s escaped (control characters, invalid UTF-8, backslash). */
void out_text_safe(struct out *o, const char *s);

/* A line as it is, newline added (a command's own format: -f kernel, perf, folded); escaped. */
void out_line(struct out *o, const char *line);

const struct output_opts *out_opts(const struct out *o);

/* At the end of a run that went well: the heading of CSV, if no row has brought it. */
void out_ends(struct out *o);

/* Whether any field may be printed, also one that text hides: CSV, JSON, --columns. */
bool out_tells_all(const struct out *o);

/* Whether every field is one value in a line, so that a list has to be joined: CSV. */
bool out_is_flat(const struct out *o);

/* Pushes what is buffered to the kernel as far as it takes it now, or all of it once patient.
 * 0 or -errno of the first failed write ever (-EPIPE: reader gone); the caller reports it. */
int out_flush(struct out *o);
int out_error(const struct out *o);

/*
 * The descriptor written to, for poll(): POLLOUT while out_pending(), POLLERR when the reader left.
 */
int out_fd(const struct out *o);
size_t out_pending(struct out *o); /* bytes not yet taken by the kernel */
u64 out_records(const struct out *o); /* rows and lines of formats of a command's own, so far */
u64 out_dropped(const struct out *o); /* rows not printed because the reader was too slow */

/*
 * Everything printed since the last mark is one unit, an event of several rows and lines for
 * instance. out_marks_pending(): units that the kernel has not yet taken whole; after an
 * out_drain() in vain, those that were thrown away.
 */
void out_mark(struct out *o);
u64 out_marks_pending(struct out *o);

/*
 * From now on a full buffer waits for the reader (replay, reports of aggregates) until @wake_fd (a
 * signalfd, or -1) is readable: then rows are dropped as before.
 */
void out_patient(struct out *o, int wake_fd);
/*
 * As long as CLOCK_MONOTONIC is before @ns, 0: for ever. Rows that find no room then are kept, or
 * dropped as before.
 */
void out_patient_until(struct out *o, u64 ns);
/* Undoes it, for a run that is asked to end: what then finds no room is dropped and counted. */
void out_hurry(struct out *o);

/*
 * Waits up to @timeout_ms (-1: without end, or until wake_fd is readable) for the reader to take
 * all. The rest is thrown away then and counted in out_dropped(), and so is what is printed
 * later: call it before the counters go out. 0, -ETIMEDOUT, or -errno as out_flush().
 */
int out_drain(struct out *o, int timeout_ms);

/*
 * Writes what is left unless out_drain() gave up, closes, frees. 0 or -errno as out_flush(). NULL
 * is allowed.
 */
int out_close(struct out *o);

/* Wall-clock nanoseconds as "2026-11-21T06:59:43.000000000Z" into buf (>= 32 bytes). */
void out_rfc3339(u64 wall_ns, bool utc, char *buf, size_t size);

#endif
