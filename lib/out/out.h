// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The interface of this room, for commands; README.md names its files.
 *
 * stdout (or -w FILE) carries data only. Rows gather in a buffer that out_flush() passes to the
 * kernel; a write error is kept and returned by out_error(). Text from the kernel or a drive (names
 * of processes, disks, models) is escaped by the formats, never by a command.
 *
 * A slow or stopped reader never blocks the caller: beyond 4 MiB of backlog whole rows are dropped
 * and counted (out_dropped()), unless out_patient() was called.
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
	u32 format; /* OUT_TEXT etc., or a command's own from OUT_FORMAT_OWN on */
	const char *format_word; /* as typed; formats differ by command: common_check() */
	const char *file; /* -w */
	bool for_owner; /* nobody else may read the file: common_check() */
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
	FIELD_F64, /* _pct and rates: two decimals at most, nine with FIELD_FINE */
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
	FIELD_ABSENT = 1 << 7, /* in no format (a key not asked for) until out_show() */
	FIELD_NO_JSON = 1 << 8, /* text and CSV only: JSON has the value elsewhere */
	FIELD_BOLD = 1 << 9, /* text in colour: stands out */
	FIELD_FINE =
		1 << 11, /* FIELD_F64 that may be far below 1: machine formats have nine decimals */
	FIELD_FOLD = 1 << 10, /* with FIELD_LAST: goes on in lines below where it is too long */
	FIELD_COSTLY =
		1 << 12, /* out_needs() has its needs where it is asked for by option or name */
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
	JSON_VALUES, /* an object of numbers, strings, booleans and null */
};

/*
 * One field. `name` identifies it in JSON, CSV and --columns (case ignored) and is never renamed.
 * `head` is the heading in text; NULL: the name in capitals. `width` is the width in text; a
 * negative one aligns left. text(), if there is one, writes the text form to buf (size bytes)
 * instead of the plain value; bad(), if there is one, returns whether coloured text shows it in
 * red.
 *
 * A line of text is never longer than the terminal that shows it. Values of columns with `least`
 * are cut to that many columns or more, with a `~` at their end. Where that is not enough, columns
 * are left out: first those with the highest `rank`, all of one rank together, at the end those
 * without, from the right.
 */
struct field {
	const char *name;
	enum field_type type;
	u32 at;
	const char *head;
	int width;
	u8 least, rank;
	unsigned flags;
	const char *help;
	u32 needs; /* what has to be gathered for it, in bits of the caller's */
	const char *with; /* letters of options that show it, for out_show_with() */
	void (*text)(const struct out *o, const void *row, char *buf, size_t size);
	void (*emit)(struct json *j, const void *row);
	void (*csv)(const void *row, char *buf, size_t size);
	bool (*bad)(const void *row);
	enum field_json json; /* FIELD_CALL with emit() */
	const struct field *members; /* of objects, ended by FIELD_DONE */
};

/* -T shows a FIELD_TIME that is FIELD_HIDDEN, as time of day. FIELD_F64 has one decimal in text. */
#define FIELD_OF(t, row, m, nm, ...)                                                               \
	{                                                                                          \
		.type = t, .at = offsetof(row, m), .name = nm, __VA_ARGS__                         \
	}
/* The integer beside a FIELD_TIME of the same member, for programs: nanoseconds since 1970. */
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

/* The JSON writer: it adds commas, nesting and escapes. Keys are NULL inside arrays. */
void json_object(struct json *j, const char *key);
void json_array(struct json *j, const char *key);
void json_end(struct json *j); /* ends the innermost object or array */
void json_u64(struct json *j, const char *key, u64 value);
void json_s64(struct json *j, const char *key, s64 value);
void json_f64(struct json *j, const char *key, double value); /* not finite: null */
void json_bool(struct json *j, const char *key, bool value);
void json_null(struct json *j, const char *key);
void json_str(struct json *j, const char *key, const char *value); /* NULL: null */
void json_hex(struct json *j, const char *key, u64 value);

/* The longest form of a string of @len bytes: each becomes \xHH with its backslash doubled. */
#define JSON_STRING_ROOM(len) ((len)*5 + 3)

/*
 * Writes @s of @n bytes, escaped as by escape_text(), as a string of JSON: in quotes, without a NUL.
 * @p has room for JSON_STRING_ROOM(n) bytes; returns the end.
 */
char *json_string(char *p, const char *s, size_t n);

/*
 * Keeps text that successive records share. json_keep() keeps the text written since
 * json_keep_from() under JSON_KEPT_KEY bytes of @key, unless it is longer than JSON_KEPT_TEXT.
 * json_put_kept() writes it again; false if it is not kept. There are few slots: @slot is taken
 * modulo their number, and each keeps its latest text. Not for the first value of an object or
 * array. This cuts the replay of a million reads and writes to JSON from 1.02 s to 0.76 s, on one
 * core of a busy machine.
 */
#define JSON_KEPT_KEY  20
#define JSON_KEPT_TEXT 240
void json_keep_from(struct json *j);
void json_keep(struct json *j, u32 slot, const void *key);
bool json_put_kept(struct json *j, u32 slot, const void *key);

/*
 * Opens stdout or opts->file (O_NOFOLLOW, a regular file to be replaced, a FIFO or device written
 * as it is) for records of @schemas, at most OUT_SCHEMAS. 0 or -errno after a
 * message. @opts must outlive it.
 */
#define OUT_SCHEMAS 8
int out_open(struct out **o, const struct output_opts *opts, const struct schema *const *schemas);

/*
 * To be called before out_settle(). out_show() makes a column visible or not, for -Q, -R, -P and
 * the keys of --by; 0 or -ENOENT. out_show_with() shows those of option @letter, if that is @given.
 * out_fields() replaces the fields of @schema by @fields, for
 * columns that are known only at run time (p99_ns); @fields must outlive @o. out_only() leaves no
 * records but those of @schema, one of out_open(): CSV needs no column `type` then.
 */
int out_show(struct out *o, const char *field, bool visible);
void out_show_with(struct out *o, char letter, bool given);
void out_fields(struct out *o, const struct schema *schema, const struct field *fields);
void out_only(struct out *o, const struct schema *schema);

/*
 * Fixes the columns: once, after the command's start() and before anything is attached. 0, or a
 * usage error that lists the columns when --columns names an unknown one.
 */
int out_settle(struct out *o);

/*
 * For text that is redrawn on a screen: chooses the columns again, after calls of out_show() or
 * out_fields(). From now on the heading is printed once for each out_report(), however long that
 * is. As out_settle().
 */
int out_replan(struct out *o);

/*
 * Marks the heading of column @name in text with a star from the next out_settle() or out_replan()
 * on; such a column is not left out. NULL: none is marked. @name is a constant.
 */
void out_mark_column(struct out *o, const char *name);

/*
 * Calls out_settle() unless that was done, and empties the file that is replaced: from now on there
 * is output worth it. 0 or -errno after a message.
 */
int out_begin(struct out *o);

/*
 * Prints one record and, in text and CSV, the heading before the first one of its kind. For errors
 * see out_error(). Rows of text wait for the next out_flush(), so that columns have the width of
 * their widest value from the heading on.
 */
void out_row(struct out *o, const struct schema *schema, const void *row);

/*
 * Begins a record for JSON only (meta, lost, summary); it is filled in until out_json_end(). NULL
 * if the format is not JSON.
 */
struct json *out_json_begin(struct out *o, const char *type);
void out_json_end(struct out *o);

enum out_hue { HUE_PLAIN, HUE_BOLD, HUE_BAD };

/* The escape sequence that begins @hue in text; "" where text has no colour. */
const char *out_hue(const struct out *o, enum out_hue hue);

/*
 * Text only, for tables other than rows (histograms). printf-like and not escaped: for numbers and
 * literals.
 */
__attribute__((format(printf, 2, 3))) void out_text(struct out *o, const char *fmt, ...);

/*
 * Text only: lines that do not fit a terminal go on below from column @column on; 0: a little further
 * right than they began.
 */
void out_fold_at(struct out *o, u32 column);

/* Begins a report. If it prints anything, text sets it apart by an empty line and a heading. */
void out_report(struct out *o);

/*
 * Text only, with -T: prints the time of day on a line of its own, above the blocks of an interval.
 */
void out_text_time(struct out *o, u64 wall_ns);

/* Text only: prints @s with escapes (control characters, invalid UTF-8, backslash). */
void out_text_safe(struct out *o, const char *s);

/* Prints a line, escaped, in a command's own format (-f kernel, perf, folded); adds the newline. */
void out_line(struct out *o, const char *line);

/*
 * Puts @n bytes as they are, in a command's own format; dropped as a whole where there is no room.
 */
void out_bytes(struct out *o, const void *data, size_t n);

const struct output_opts *out_opts(const struct out *o);

/* To be called at the end of a run that went well. CSV prints its heading if no row has done so. */
void out_ends(struct out *o);

/* The needs of all fields that will be printed. */
u32 out_needs(const struct out *o);

/* True if a field is one value in a line, so that a list has to be joined: CSV. */
bool out_is_flat(const struct out *o);

/*
 * Passes the buffer to the kernel: as much as it takes now, or all of it once patient. 0 or -errno
 * of the first write that ever failed (-EPIPE: the reader is gone), which the caller reports.
 */
int out_flush(struct out *o);
int out_error(const struct out *o);

/*
 * The output descriptor, for poll(): POLLOUT while out_pending(), POLLERR when the reader has left.
 */
int out_fd(const struct out *o);
size_t out_pending(struct out *o); /* bytes not yet taken by the kernel */
u64 out_records(const struct out *o); /* rows so far, and lines of a command's own format */
u64 out_dropped(const struct out *o); /* rows not printed because the reader was too slow */

/*
 * Makes one unit of all that was printed since the last mark, for instance the rows of one event.
 * out_marks_pending(): the units that the kernel has not taken as a whole; after an out_drain()
 * that failed, those that were discarded.
 */
void out_mark(struct out *o);
u64 out_marks_pending(struct out *o);

/*
 * From now on a full buffer waits for the reader (replay, reports of aggregates) until @wake_fd, a
 * signalfd or -1, is readable; then rows are dropped as before.
 */
void out_patient(struct out *o, int wake_fd);
/*
 * Limits that waiting: it ends when CLOCK_MONOTONIC reaches @ns; 0: no limit. Rows that find no
 * room after that are kept, or dropped as before.
 */
void out_patient_until(struct out *o, u64 ns);
/*
 * Ends the waiting, for a run that is asked to end: rows that find no room are dropped and counted.
 */
void out_hurry(struct out *o);

/*
 * Waits for the reader to take all, for up to @timeout_ms (-1: no limit) or until wake_fd is
 * readable. Then it discards the rest and counts it in out_dropped(), as it does with all later
 * output: call it before the counters are printed. 0, -ETIMEDOUT, or -errno as out_flush().
 */
int out_drain(struct out *o, int timeout_ms);

/*
 * Writes the rest unless out_drain() gave up, closes and frees. 0 or -errno as out_flush(). @o may
 * be NULL.
 */
int out_close(struct out *o);

/*
 * Columns of the terminal behind @fd; where it does not tell, those that COLUMNS says, else 80. 0: it
 * is no terminal.
 */
u32 terminal_columns(int fd);

/* Wall-clock nanoseconds as "2026-11-21T06:59:43.000000000Z" into buf (>= 32 bytes). */
void out_rfc3339(u64 wall_ns, bool utc, char *buf, size_t size);

/* The parts of a wall-clock time, for people; the time with @decimals (up to 9) of the second. */
struct out_stamp {
	char date[16]; /* 2026-11-21 */
	char time[32]; /* 06:59:43.000 */
	char zone[8]; /* +02:00; Z for UTC */
};

void out_stamp(struct out_stamp *stamp, u64 wall_ns, bool utc, u32 decimals);

#endif
