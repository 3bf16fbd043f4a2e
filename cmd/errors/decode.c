// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Explains status values. A value has two rows where it means something else for fabrics commands.
 */
#include "cmd/errors/decode.h"

#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/nvme/spec.h"

struct decode_row {
	u64 count;
	u32 status, sct, sc, crd;
	bool more, dnr;
	const char *type, *set, *name, *remedy;
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
	nvme_status_format(buf, size, (u16)row->status);
}

static void text_value(const struct out *o, const void *p, char *buf, size_t size)
{
	const struct decode_row *row = p;

	(void)o;
	snprintf(buf, size, "0x%04x", row->status);
}

#define ROW(type, m, ...) FIELD_OF(FIELD_##type, struct decode_row, m, #m, __VA_ARGS__)
/* clang-format off */
static const struct field fields[] = {
	ROW(U64, count, .width = 6, .flags = FIELD_ABSENT, .help = "lines with this status; with --decode -"),
	ROW(U32, status, .head = "VALUE", .width = -6, .text = text_value, .help = "the 15 bits of the status"),
	{ .type = FIELD_CALL, .name = "sct_sc", .head = "SCT/SC", .width = -6, .flags = FIELD_ONLY_TEXT,
	  .text = text_status, .help = "status code type and status code in hexadecimal" },
	ROW(U32, sct, .flags = FIELD_NO_TEXT, .help = "status code type"),
	ROW(U32, sc, .flags = FIELD_NO_TEXT, .help = "status code"),
	ROW(BOOL, dnr, .width = 3, .help = "the Do Not Retry bit"),
	ROW(BOOL, more, .width = 4, .help = "the More bit: the error log has more information"),
	ROW(U32, crd, .width = 3, .help = "index of the command retry delay"),
	ROW(STR, set, .width = -8, .help = "kind of commands, where the meaning depends on it"),
	ROW(STR, type, .head = "TYPE", .width = -23, .flags = FIELD_ONLY_TEXT, .help = "name of the status code type"),
	FIELD_OF(FIELD_STR, struct decode_row, type, "sct_name", .flags = FIELD_NO_TEXT,
		 .help = "name of the status code type"),
	FIELD_OF(FIELD_STR, struct decode_row, name, "status_name", .head = "NAME", .width = -28,
		 .help = "name of the status"),
	ROW(STR, remedy, .flags = FIELD_LAST, .help = "what to do"),
	FIELD_DONE,
};
/* clang-format on */

const struct schema errors_decode_schema = { "decode", fields,
					     "the meaning of a status (--decode)" };

/* A status that lines of a log name, and how many do; kept in the order of the first line. */
struct seen {
	struct nvme_status_match match;
	u64 count;
};

static void put(struct out *o, const struct seen *seen, enum nvme_set set, const char *set_name)
{
	u16 status = seen->match.status;
	struct decode_row row = {
		.count = seen->count,
		.status = status,
		.sct = nvme_sct(status),
		.sc = nvme_sc(status),
		.crd = nvme_crd(status),
		.more = nvme_more(status),
		.dnr = nvme_dnr(status),
		.type = types[nvme_sct(status)] ? types[nvme_sct(status)] : "Reserved",
		.set = set_name,
		.name = nvme_status_name(status, set),
		.remedy = nvme_status_remedy(status, set),
	};

	out_row(o, &errors_decode_schema, &row);
}

static void explain(struct out *o, const struct seen *seen)
{
	u16 status = seen->match.status;
	const char *io = nvme_status_name(status, NVME_SET_IO);
	const char *fabrics = nvme_status_name(status, NVME_SET_FABRICS);
	bool differ = io && fabrics ? !streq(io, fabrics) : io != fabrics;
	bool named = seen->match.named;

	if (!differ)
		put(o, seen, NVME_SET_IO, NULL);
	if (differ && io && (!named || seen->match.set == NVME_SET_IO))
		put(o, seen, NVME_SET_IO, "io");
	if (differ && fabrics && (!named || seen->match.set == NVME_SET_FABRICS))
		put(o, seen, NVME_SET_FABRICS, "fabrics");
}

static bool is_stdin(const char *word)
{
	return streq(word, "-");
}

static int check_words(const char *const *words, u32 n)
{
	struct nvme_status_match match;

	for (u32 i = 0; i < n; i++) {
		int err = is_stdin(words[i]) ? 0 : nvme_status_read(words[i], &match);

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

/* There are no more rows than status values, so that a log without end needs bounded memory. */
#define SEEN_MAX (NVME_STATUS_MASK + 1)

static void note_line(struct seen *seen, u32 *n, const char *line)
{
	struct nvme_status_match match;
	u32 i = 0;

	if (nvme_status_read(line, &match))
		return;
	while (i < *n && (seen[i].match.status != match.status ||
			  seen[i].match.named != match.named || seen[i].match.set != match.set))
		i++;
	if (i == SEEN_MAX)
		return;
	*n += i == *n;
	seen[i].match = match;
	seen[i].count++;
}

/* Explains the statuses in the lines of stdin. A line that names none is some other message. */
static int explain_stdin(struct out *o)
{
	struct seen *seen = calloc(SEEN_MAX, sizeof(*seen));
	char *line = NULL;
	size_t size = 0;
	u32 n = 0;

	if (!seen)
		return fail(-ENOMEM, NULL, NULL, "cannot read standard input");
	while (getline(&line, &size, stdin) >= 0) {
		line[strcspn(line, "\r\n")] = '\0';
		note_line(seen, &n, line);
	}
	for (u32 i = 0; i < n; i++)
		explain(o, &seen[i]);
	free(line);
	free(seen);
	if (ferror(stdin))
		return fail(-EIO, NULL, NULL, "cannot read standard input");
	if (n)
		return 0;
	return fail(EXIT_AS(EXIT_NOTHING), "no line has a status",
		    "pipe the output of dmesg; the driver logs '(sct 0x2 / sc 0x81)'",
		    "standard input");
}

static int explain_word(struct out *o, const char *word)
{
	struct seen seen = { .count = 1 };

	if (is_stdin(word))
		return explain_stdin(o);
	nvme_status_read(word, &seen.match);
	explain(o, &seen);
	return 0;
}

struct words {
	const char *const *word;
	u32 n;
};

static int print(struct out *o, const void *ctx)
{
	const struct words *words = ctx;
	int err;

	for (u32 i = 0; i < words->n; i++)
		if (is_stdin(words->word[i]))
			out_show(o, "count", true);
	err = out_begin(o);
	for (u32 i = 0; !err && i < words->n; i++)
		err = explain_word(o, words->word[i]);
	return err;
}

int errors_decode(const struct invocation *inv, const char *const *words, u32 n)
{
	static const struct schema *const schemas[] = { &errors_decode_schema, NULL };
	int err = check_words(words, n);

	return err ? err : cmd_print(inv, schemas, print, &(struct words){ words, n });
}
