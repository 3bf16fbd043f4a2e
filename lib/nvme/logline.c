// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds the kind of a line by the patterns of logline.def, and the status in its numbers. */
#include "lib/nvme/logline.h"

#include <ctype.h>
#include <errno.h>
#include <strings.h>

#include "lib/base/str.h"

#define SET_FABRICS true
#define SET_ANY	    false
#define LOGLINE(id, from, form, set, pattern, name, meaning, remedy, sample, value)                \
	{ LOGFORM_##form, SET_##set, from, pattern, name, meaning, remedy, sample, value },
const struct logline_kind loglines[LOGLINES] = {
#include "lib/nvme/logline.def"
};
#undef LOGLINE

#define NUMBERS	   8
#define FIELD_MAX  0xffff /* a status with its phase bit */
#define CODES_MASK 0x7ff

static const char with_phase[] =
	"with the phase bit, as smartctl's error log and old nvme-cli print";
static const char without_phase[] = "without the phase bit, as most programs print";

/* A line and the numbers that a pattern found in it. */
struct found {
	const char *line, *end; /* end: behind what the pattern matched */
	u64 number[NUMBERS];
	u32 n;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static const char *keep(struct found *f, const char *end, u64 number)
{
	if (f->n < NUMBERS)
		f->number[f->n++] = number;
	return end;
}

/* A number, which is kept unless @base is 0; a larger one than fits is as large as can be. */
static const char *match_number(struct found *f, const char *at, u32 base)
{
	static const char digits[] = "0123456789abcdef";
	const char *begin = at, *digit;
	u64 n = 0;

	if (base == 16 && !strncmp(at, "0x", 2) && isxdigit((unsigned char)at[2]))
		begin = at += 2;
	for (; *at && (digit = strchr(digits, tolower((unsigned char)*at))); at++) {
		if (digit - digits >= (base == 16 ? 16 : 10))
			break;
		if (__builtin_mul_overflow(n, base ? base : 10, &n) ||
		    __builtin_add_overflow(n, (u64)(digit - digits), &n))
			n = UINT64_MAX;
	}
	if (at == begin)
		return NULL;
	return base ? keep(f, at, n) : at;
}

/* `2/81` between blanks. */
static const char *match_codes(struct found *f, const char *at)
{
	char sct = at[0];

	if ((at > f->line && !is_blank(at[-1])) || sct < '0' || sct > '7' || at[1] != '/' ||
	    !isxdigit((unsigned char)at[2]) || !isxdigit((unsigned char)at[3]) ||
	    (at[4] && !is_blank(at[4])))
		return NULL;
	keep(f, at, (u64)(sct - '0'));
	return match_number(f, at + 2, 16);
}

static const char *match_word(const char *at)
{
	size_t len = strcspn(at, " \t:");

	return len ? at + len : NULL;
}

static const char *match_one(struct found *f, char what, const char *at)
{
	const char *end;

	switch (what) {
	case 'x':
		return match_number(f, at, 16);
	case 'd':
		return match_number(f, at, 10);
	case 'f':
		end = match_number(f, at, 16);
		return end && f->number[f->n - 1] & 2 ? end : NULL;
	case 'n':
		return match_number(f, at, 0);
	case 'w':
		return match_word(at);
	default:
		return match_codes(f, at);
	}
}

/* True if @at goes on as @pattern says, which has no %* in it. */
static bool match_plain(struct found *f, const char *pattern, const char *at)
{
	u32 n = f->n;

	for (; *pattern && at; pattern++) {
		if (*pattern == '%' && pattern[1] == '*')
			break;
		if (*pattern == '%')
			at = match_one(f, *++pattern, at);
		else if (*pattern == ' ')
			at += strspn(at, " \t");
		else if (*pattern == '$')
			at = *at ? NULL : at;
		else
			at = tolower((unsigned char)*at) == tolower((unsigned char)*pattern)
				     ? at + 1
				     : NULL;
	}
	if (at)
		f->end = at;
	else
		f->n = n;
	return at;
}

/* True if @pattern is found at @at or, where it does not begin with ^, behind it. */
static bool match(struct found *f, const char *pattern, const char *at)
{
	bool fixed = *pattern == '^';
	const char *rest;

	for (;;) {
		rest = strstr(pattern + fixed, "%*");
		for (; !match_plain(f, pattern + fixed, at); at++)
			if (fixed || !*at)
				return false;
		if (!rest)
			return true;
		/* The shortest text that lets the next part match is the right one: no part has two. */
		pattern = rest + 2;
		fixed = false;
		at = f->end;
	}
}

/* The kernel writes MORE and DNR behind the codes; SPDK's and our CSV's are numbers. */
static u16 codes_flags(const struct found *f)
{
	const char *at = f->end;
	u16 flags = 0;

	if (f->n == 4)
		return (u16)((f->number[2] == 1) << 13 | (f->number[3] == 1) << 14);
	at += *at == ')';
	if (!strncmp(at, " MORE", 5)) {
		flags |= 1 << 13;
		at += 5;
	}
	if (!strncmp(at, " DNR", 4))
		flags |= 1 << 14;
	return flags;
}

/* Reads `DNR,MORE,CRD1`, the column FLAGS of errors; -1 if @word is not of that kind. */
static int flags_of(const char *word, size_t len)
{
	static const struct {
		const char *word;
		u16 bits;
	} known[] = { { "DNR", 1 << 14 },
		      { "MORE", 1 << 13 },
		      { "CRD1", 1 << 11 },
		      { "CRD2", 2 << 11 },
		      { "CRD3", 3 << 11 } };
	const char *end = word + len;
	int flags = 0;

	while (word < end) {
		size_t n = strcspn(word, ", \t");
		u32 i = 0;

		while (i < ARRAY_SIZE(known) &&
		       (strlen(known[i].word) != n || strncmp(word, known[i].word, n) != 0))
			i++;
		if (i == ARRAY_SIZE(known))
			return -1;
		flags |= known[i].bits;
		word += n + 1;
	}
	return flags;
}

/* Flags in a row of errors: the word behind RETRY, which is `0` or `1+`, and before LAT. */
static u16 row_flags(const char *at)
{
	bool retry = false;

	for (at += strspn(at, " \t"); *at; at += strspn(at, " \t")) {
		size_t len = strcspn(at, " \t"), digits = strspn(at, "0123456789");
		int flags = retry ? flags_of(at, len) : -1;

		if (flags >= 0 && at[len + strspn(at + len, " \t")])
			return (u16)flags;
		retry = digits && (digits == len || (digits + 1 == len && at[digits] == '+'));
		at += len;
	}
	return 0;
}

static int read_codes(struct logline *l, const struct found *f, u16 flags)
{
	if (f->number[0] > 7 || f->number[1] > 0xff)
		return -ERANGE;
	l->value = (u16)(f->number[0] << 8 | f->number[1] | flags);
	l->reading[l->n++].status = l->value;
	return 0;
}

/* The fields status, sct, sc and sct_sc, of which the first says the rest. */
static int read_table(struct logline *l, const struct found *f)
{
	const u64 *n = f->number;

	if (n[0] > NVME_STATUS_MASK || (n[0] & CODES_MASK) != (n[1] << 8 | n[2]) || n[1] != n[3] ||
	    n[2] != n[4])
		return -EINVAL;
	l->value = (u16)n[0];
	l->reading[l->n++].status = l->value;
	return 0;
}

static void add_reading(struct logline *l, u32 status, const char *why)
{
	l->reading[l->n++] = (struct logline_reading){ (u16)status, why };
}

/* True if it is an error that has a name; all others are no likely second reading. */
static bool is_likely(u32 status)
{
	return status & CODES_MASK && nvme_status_name((u16)status, NVME_SET_IO);
}

static int read_either(struct logline *l, u64 number)
{
	u32 shifted = (u32)number >> 1;

	if (number > FIELD_MAX)
		return -ERANGE;
	if (number > NVME_STATUS_MASK && !(shifted & CODES_MASK))
		return -ERANGE;
	l->value = (u16)number;
	if (number <= NVME_STATUS_MASK)
		add_reading(l, (u32)number, without_phase);
	if (!l->n || is_likely(shifted))
		add_reading(l, shifted, with_phase);
	if (l->n == 1)
		l->reading[0].why = NULL;
	return 0;
}

/* True if the text in parentheses at @at, as nvme-cli writes it, names @status. */
static bool is_named(const char *at, u32 status)
{
	size_t len = *at == '(' ? strcspn(at + 1, ":)") : 0;
	struct nvme_status_match m;
	char name[80];

	if (!len || len >= sizeof(name))
		return false;
	memcpy(name, at + 1, len);
	name[len] = '\0';
	return !nvme_status_find(name, &m) && m.status == (status & CODES_MASK);
}

/*
 * Old versions of nvme-cli print the status with its phase bit, and no name or that of the status;
 * since phase_tag is a line of its own, without. One line alone does not tell, but by the name.
 */
static int read_logged(struct logline *l, u64 number, const char *behind)
{
	u32 shifted = (u32)number >> 1;

	if (number > FIELD_MAX)
		return -ERANGE;
	l->value = (u16)number;
	if (number > NVME_STATUS_MASK || !number) {
		add_reading(l, shifted, NULL);
	} else if (is_named(behind, (u32)number)) {
		add_reading(l, (u32)number, "the name beside it is this one's");
		add_reading(l, shifted, with_phase);
	} else if (is_named(behind, shifted)) {
		add_reading(l, shifted, "the name beside it is this one's");
		add_reading(l, (u32)number, "without the phase bit, as new nvme-cli prints");
	} else {
		add_reading(l, shifted, "with the phase bit: no line phase_tag follows");
		add_reading(l, (u32)number, "without the phase bit, as new nvme-cli prints");
	}
	return 0;
}

void logline_without_phase(struct logline *l)
{
	if (l->value > NVME_STATUS_MASK)
		return;
	l->n = 0;
	add_reading(l, l->value, NULL);
}

static int read_numbers(struct logline *l, const struct found *f)
{
	u64 max = loglines[l->id].form == LOGFORM_FIELD ? FIELD_MAX : NVME_STATUS_MASK;

	switch (loglines[l->id].form) {
	case LOGFORM_EITHER:
		return read_either(l, f->number[0]);
	case LOGFORM_LOGGED:
		return read_logged(l, f->number[0], f->end);
	case LOGFORM_CODES:
		return read_codes(l, f, codes_flags(f));
	case LOGFORM_ROW:
		return read_codes(l, f, row_flags(f->end));
	case LOGFORM_TABLE:
		return read_table(l, f);
	case LOGFORM_OK:
		l->n = 1;
		return 0;
	case LOGFORM_EVENT:
	case LOGFORM_PHASE:
		return 0;
	default:
		if (f->number[0] > max)
			return -ERANGE;
		l->value = (u16)(f->number[0] >> (max == FIELD_MAX));
		add_reading(l, l->value, NULL);
		return 0;
	}
}

static int read_name(const char *line, struct logline *l)
{
	struct nvme_status_match m;
	int err = nvme_status_find(line, &m);

	if (err)
		return err;
	l->id = LOGLINE_NAME;
	l->value = m.status;
	l->named = m.named;
	l->set = m.set;
	add_reading(l, l->value, NULL);
	return 0;
}

int logline_read(const char *line, struct logline *l)
{
	char text[LOGLINE_MAX];
	int err;

	snprintf(text, sizeof(text), "%s", line);
	for (u32 i = 0; i < LOGLINES; i++) {
		struct found f = { .line = text };

		*l = (struct logline){ .id = i, .named = loglines[i].fabrics };
		l->set = loglines[i].fabrics ? NVME_SET_FABRICS : NVME_SET_IO;
		if (!match(&f, loglines[i].pattern, text))
			continue;
		err = read_numbers(l, &f);
		if (err != -EINVAL)
			return err;
	}
	*l = (struct logline){ 0 };
	return read_name(text, l);
}
