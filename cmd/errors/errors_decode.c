// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Explains status values. A value has two rows where it means something else for fabrics commands.
 */
#include "cmd/errors/errors_decode.h"

#include <inttypes.h>
#include <stdlib.h>

#include "lib/base/array.h"
#include "lib/base/err.h"
#include "lib/base/str.h"
#include "cmd/errors/logline.h"

/* Statuses of events are not known: all bits set, and NULL. */
struct decode_row {
	u64 count;
	u32 status, sct, sc, crd;
	u8 more, dnr;
	const char *source, *type, *set, *name, *meaning, *reading, *remedy;
};

/* NVM Base 2.1, figure 101. */
static const char *const types[8] = {
	[0] = "Generic Command Status",
	[1] = "Command Specific Status",
	[2] = "Media and Data Integrity Errors",
	[3] = "Path Related Status",
	[7] = "Vendor Specific",
};

static void text_status(const struct out *o, const void *p, char *buf, size_t size)
{
	const struct decode_row *row = p;

	(void)o;
	if (row->status == UNKNOWN32)
		snprintf(buf, size, "-");
	else
		nvme_status_format(buf, size, (u16)row->status);
}

static void text_value(const struct out *o, const void *p, char *buf, size_t size)
{
	const struct decode_row *row = p;

	(void)o;
	if (row->status == UNKNOWN32)
		snprintf(buf, size, "-");
	else
		snprintf(buf, size, "0x%04x", row->status);
}

#define ROW(type, m, ...) FIELD_OF(FIELD_##type, struct decode_row, m, #m, __VA_ARGS__)
/* clang-format off */
static const struct field fields[] = {
	ROW(U64, count, .width = 6, .flags = FIELD_ABSENT, .rank = 1, .help = "lines that say so; with --decode -"),
	ROW(STR, source, .width = -8, .flags = FIELD_ABSENT, .least = 8, .rank = 45, .help = "program that prints such a line; only where a line was given"),
	ROW(U32, status, .head = "VALUE", .width = -6, .flags = FIELD_NULL_ONES, .text = text_value,
	    .help = "the 15 bits of the status"),
	{ .type = FIELD_CALL, .name = "sct_sc", .head = "SCT/SC", .width = -6, .flags = FIELD_ONLY_TEXT,
	  .text = text_status, .rank = 32, .help = "status code type and status code in hexadecimal" },
	ROW(U32, sct, .flags = FIELD_NO_TEXT | FIELD_NULL_ONES, .help = "status code type"),
	ROW(U32, sc, .flags = FIELD_NO_TEXT | FIELD_NULL_ONES, .help = "status code"),
	ROW(BOOL, dnr, .width = 3, .flags = FIELD_NULL_ONES, .rank = 36, .help = "the Do Not Retry bit"),
	ROW(BOOL, more, .width = 4, .flags = FIELD_NULL_ONES, .rank = 55, .help = "the More bit: the error log has more information"),
	ROW(U32, crd, .width = 3, .flags = FIELD_NULL_ONES, .rank = 60, .help = "index of the command retry delay"),
	ROW(STR, set, .width = -8, .least = 6, .rank = 38, .help = "kind of commands, where the meaning depends on it"),
	ROW(STR, type, .head = "TYPE", .width = -23, .flags = FIELD_ONLY_TEXT, .least = 10, .rank = 62, .help = "name of the status code type"),
	FIELD_OF(FIELD_STR, struct decode_row, type, "sct_name", .flags = FIELD_NO_TEXT,
		 .help = "name of the status code type"),
	FIELD_OF(FIELD_STR, struct decode_row, name, "status_name", .head = "NAME", .width = -28, .least = 28, .rank = 5,
		 .help = "name of the status, event or errno"),
	ROW(STR, meaning, .width = -48, .flags = FIELD_ABSENT, .least = 16, .rank = 34, .help = "meaning of the line; only where a line was given"),
	ROW(STR, reading, .width = -48, .flags = FIELD_ABSENT, .least = 16, .rank = 42,
	    .help = "why a value is read so, where it has two readings; the likelier is first"),
	ROW(STR, remedy, .flags = FIELD_LAST | FIELD_FOLD, .help = "what to do"),
	FIELD_DONE,
};
/* clang-format on */

const struct schema errors_decode_schema = { "decode", fields,
					     "the meaning of a status (--decode)" };

/* Equal lines are counted once, in the order in which the first of each came. */
struct seen {
	struct logline line;
	u64 count;
};

/* How a line of one kind and value may be read: by its first reading, or by the set of its name. */
#define VARIANTS 4

struct decode {
	struct seen *seen;
	u32 n, room;
	u64 lines, unknown; /* of stdin, blank ones not counted */
	u64 empty; /* entries of error logs that are not in use */
	/* Index in `seen` and 1, by kind, variant and value: as much memory as there are kinds. */
	u32 *index[LOGLINES + 1][VARIANTS];
	struct logline held; /* an entry of nvme-cli's log until the next line comes */
	bool holds, opened, counts; /* opened: the next line has the value of LOGLINE_OPEN */
};

static void put_status(struct decode_row *row, u16 status, enum nvme_set set)
{
	row->status = status;
	row->sct = nvme_sct(status);
	row->sc = nvme_sc(status);
	row->crd = nvme_crd(status);
	row->more = nvme_more(status);
	row->dnr = nvme_dnr(status);
	row->type = types[row->sct] ? types[row->sct] : "Reserved";
	row->name = nvme_status_name(status, set);
	if (nvme_status_remedy(status, set))
		row->remedy = nvme_status_remedy(status, set);
}

static struct decode_row row_of(const struct seen *seen)
{
	const struct logline_kind *kind = logline_kind(&seen->line);
	struct decode_row row = {
		.count = seen->count,
		.status = UNKNOWN32,
		.sct = UNKNOWN32,
		.sc = UNKNOWN32,
		.crd = UNKNOWN32,
		.more = 0xff,
		.dnr = 0xff,
	};

	if (!kind)
		return row;
	row.source = kind->source;
	row.name = kind->name;
	row.meaning = kind->meaning;
	row.remedy = kind->remedy;
	return row;
}

static void put(struct out *o, const struct seen *seen, const struct logline_reading *reading,
		enum nvme_set set, const char *set_name)
{
	struct decode_row row = row_of(seen);

	row.reading = reading->why;
	row.set = set_name;
	put_status(&row, reading->status, set);
	out_row(o, &errors_decode_schema, &row);
}

/* One row, or two where the status means something else for fabrics commands. */
static void explain_status(struct out *o, const struct seen *seen,
			   const struct logline_reading *reading)
{
	const char *io = nvme_status_name(reading->status, NVME_SET_IO);
	const char *fabrics = nvme_status_name(reading->status, NVME_SET_FABRICS);
	bool differ = io && fabrics ? !streq(io, fabrics) : io != fabrics;
	bool named = seen->line.named;

	if (!differ)
		put(o, seen, reading, NVME_SET_IO, NULL);
	if (differ && io && (!named || seen->line.set == NVME_SET_IO))
		put(o, seen, reading, NVME_SET_IO, "io");
	if (differ && fabrics && (!named || seen->line.set == NVME_SET_FABRICS))
		put(o, seen, reading, NVME_SET_FABRICS, "fabrics");
}

static void explain(struct out *o, const struct seen *seen)
{
	if (!seen->line.n) {
		struct decode_row row = row_of(seen);
		u16 value = seen->line.value;
		char error[80];

		snprintf(error, sizeof(error), "errno %u, %s", value, strerror(value));
		if (seen->line.is_errno)
			row.name = error;
		out_row(o, &errors_decode_schema, &row);
	}
	for (u32 i = 0; i < seen->line.n; i++)
		explain_status(o, seen, &seen->line.reading[i]);
}

static bool is_stdin(const char *word)
{
	return streq(word, "-");
}

static int check_words(const char *const *words, u32 n)
{
	struct logline line = { 0 };

	for (u32 i = 0; i < n; i++) {
		int err = is_stdin(words[i]) ? 0 : logline_read(words[i], &line);

		if (!err && logline_is_part(&line))
			err = -EINVAL;
		if (err)
			return fail_usage(
				err == -ERANGE
					? "it is too large: a status has 15 bits, SCT has 3 and SC has 8"
					: "no status has this name",
				"write SCT/SC as 2/81, a number as 0x4281, a name, a line of dmesg, or - for "
				"lines on stdin",
				"--decode '%s'", words[i]);
	}
	return 0;
}

static struct seen *append(struct decode *d, const struct logline *l)
{
	void *seen = d->seen;

	if (!array_grow(&seen, d->n, &d->room, sizeof(*d->seen)))
		return NULL;
	d->seen = seen;
	d->seen[d->n] = (struct seen){ .line = *l };
	return &d->seen[d->n++];
}

static u32 variant_of(const struct logline *l)
{
	if (l->is_errno)
		return 1;
	if (l->id == LOGLINE_NAME)
		return l->named ? 1 + (l->set == NVME_SET_FABRICS) : 0;
	return l->n > 1 ? 1 + (l->reading[0].status == l->value) : 0;
}

/* Counts a line of stdin. */
static int count_line(struct decode *d, const struct logline *l)
{
	u32 **index = &d->index[l->id][variant_of(l)];
	struct seen *seen;

	if (logline_is_empty(l)) {
		d->empty++;
		return 0;
	}
	if (!*index)
		*index = calloc(UINT16_MAX + 1, sizeof(**index));
	if (!*index)
		return -ENOMEM;
	if ((*index)[l->value])
		seen = &d->seen[(*index)[l->value] - 1];
	else
		seen = append(d, l);
	if (!seen)
		return -ENOMEM;
	(*index)[l->value] = (u32)(seen - d->seen) + 1;
	seen->count++;
	return 0;
}

static int count_held(struct decode *d)
{
	int err = d->holds ? count_line(d, &d->held) : 0;

	d->holds = false;
	return err;
}

/* An entry of nvme-cli's log is held until the next line says how it is to be read. */
static int take_line(struct decode *d, const char *text)
{
	const struct logline_kind *kind;
	char joined[LOGLINE_MAX];
	struct logline line;
	int err;

	if (!text[strspn(text, " \t")])
		return 0;
	d->lines++;
	snprintf(joined, sizeof(joined), "%s%s", d->opened ? LOGLINE_OPEN : "", text);
	d->opened = false;
	if (logline_read(joined, &line)) {
		d->unknown++;
		return count_held(d);
	}
	if (d->holds && line.id == LOGLINE_PHASE)
		logline_without_phase(&d->held);
	err = count_held(d);
	d->opened = line.id == LOGLINE_SMARTCTL_OPEN;
	if (err || logline_is_part(&line))
		return err;
	kind = logline_kind(&line);
	if (!kind || kind->form != LOGFORM_LOGGED)
		return count_line(d, &line);
	d->held = line;
	d->holds = true;
	return 0;
}

/* JSON has several entries of an error log in a line: takes each of them as one. */
static int take_entries(struct decode *d, char *text)
{
	static const char name[] = "\"status_field\"";
	char *next;
	int err;

	do {
		next = strstr(text, name);
		next = next ? strstr(next + 1, name) : NULL;
		if (next)
			*next = '\0';
		err = take_line(d, text);
		if (next)
			*next = name[0];
		text = next;
	} while (text && !err);
	return err;
}

/* Says why nothing of stdin is shown. */
static int nothing(const struct decode *d)
{
	const char *remedy = "pipe the output of dmesg, nvme error-log or smartctl -l error";
	char why[80] = "no line has a status";

	if (d->empty) {
		snprintf(why, sizeof(why), "entries of an error log, all empty: %" PRIu64,
			 d->empty);
		remedy = "the drive has logged no error";
	} else if (d->unknown) {
		snprintf(why, sizeof(why), "none of %" PRIu64 " line%s is known", d->unknown,
			 &"s"[d->unknown == 1]);
	}
	return fail(EXIT_AS(EXIT_NOTHING), why, remedy, "standard input");
}

/* Reads the lines of stdin, and counts those that are not understood. */
static int read_stdin(struct decode *d)
{
	u32 before = d->n;
	char *text = NULL;
	size_t size = 0;
	int err = 0;

	d->counts = true;
	while (!err && getline(&text, &size, stdin) >= 0) {
		text[strcspn(text, "\r\n")] = '\0';
		err = take_entries(d, text);
	}
	free(text);
	if (!err)
		err = count_held(d);
	if (err || ferror(stdin))
		return fail(err ? err : -EIO, NULL, NULL, "cannot read standard input");
	if (d->n > before)
		return 0;
	return nothing(d);
}

static int read_words(struct decode *d, const char *const *words, u32 n)
{
	struct logline line;
	int err = 0;

	for (u32 i = 0; !err && i < n; i++) {
		if (is_stdin(words[i])) {
			err = read_stdin(d);
			continue;
		}
		err = logline_read(words[i], &line);
		if (!err && !append(d, &line))
			err = fail(-ENOMEM, NULL, NULL, "cannot keep the values");
	}
	return err;
}

static void show_columns(struct out *o, const struct decode *d)
{
	bool lines = d->counts, two = false;

	for (u32 i = 0; i < d->n; i++) {
		const struct logline_kind *kind = logline_kind(&d->seen[i].line);

		lines |= kind && kind->source;
		two |= d->seen[i].line.n > 1;
	}
	out_show(o, "count", d->counts);
	out_show(o, "source", lines);
	out_show(o, "meaning", lines);
	out_show(o, "reading", two);
}

static int print(struct out *o, const void *ctx)
{
	const struct decode *d = ctx;
	int err;

	show_columns(o, d);
	err = out_begin(o);
	for (u32 i = 0; !err && i < d->n; i++)
		explain(o, &d->seen[i]);
	if (!err && d->unknown)
		note("not understood: %llu of %llu lines", (unsigned long long)d->unknown,
		     (unsigned long long)d->lines);
	return err;
}

static void decode_close(struct decode *d)
{
	for (u32 i = 0; i < ARRAY_SIZE(d->index); i++)
		for (u32 k = 0; k < VARIANTS; k++)
			free(d->index[i][k]);
	free(d->seen);
}

int errors_decode(const struct invocation *inv, const char *const *words, u32 n)
{
	struct decode d = { 0 };
	int err = check_words(words, n);

	if (!err)
		err = read_words(&d, words, n);
	if (!err)
		err = cmd_print(inv, print, &d);
	decode_close(&d);
	return err;
}
