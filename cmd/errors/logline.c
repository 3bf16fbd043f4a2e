// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds the kind of a line by the patterns of logline.def, and the status in its numbers. */
#include "cmd/errors/logline.h"

#include <ctype.h>
#include <errno.h>
#include <strings.h>

#include "lib/base/str.h"

#define SET_FABRICS true
#define SET_ANY	    false
#define LOGLINE(id, from, form, set, pattern, name, meaning, remedy, sample, value)                \
	{ LOGFORM_##form, SET_##set, from, pattern, name, meaning, remedy, sample, value },
const struct logline_kind loglines[LOGLINES] = {
#include "cmd/errors/logline.def"
};
#undef LOGLINE

#define NUMBERS	    8
#define FIELD_MAX   0xffff /* a status with its phase bit */
#define CODES_MASK  0x7ff
#define LETTER_CASE 0x20 /* the bit in which letters of two cases differ */
#define ERRNO_MAX   4095 /* of the kernel */
/* Bits of CSTS. NVM Base 2.1, figure 43: failed; a reset of the NVM subsystem occurred. */
#define CSTS_CFS   (1 << 1)
#define CSTS_NSSRO (1 << 4)

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

/* The same for what a call of the kernel returned: an errno is negative. */
static const char *match_result(struct found *f, const char *at)
{
	bool negative = *at == '-';
	const char *end = match_number(f, at + negative, 10);

	if (end && negative)
		f->number[f->n - 1] = -f->number[f->n - 1];
	return end;
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
	case 'i':
		return match_result(f, at);
	case 'f':
	case 'o':
		end = match_number(f, at, 16);
		return end && f->number[f->n - 1] & (what == 'f' ? CSTS_CFS : CSTS_NSSRO) ? end
											  : NULL;
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

	for (; *pattern && *pattern != '|' && at; pattern++) {
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

/* Where @pattern goes on behind its first %*; NULL: it has none. */
static const char *behind_any(const char *pattern)
{
	for (; *pattern && *pattern != '|'; pattern++)
		if (pattern[0] == '%' && pattern[1] == '*')
			return pattern + 2;
	return NULL;
}

/* The next place where @pattern may be: most begin with a letter, and most places with another one. */
static const char *next_place(const char *pattern, const char *at)
{
	if (isalpha((unsigned char)*pattern))
		while (*at && ((*at ^ *pattern) & ~LETTER_CASE))
			at++;
	return at;
}

/* True if @pattern is found at @at or, where it does not begin with ^, behind it. */
static bool match(struct found *f, const char *pattern, const char *at)
{
	bool fixed = *pattern == '^';
	const char *rest;

	for (;;) {
		rest = behind_any(pattern + fixed);
		at = fixed ? at : next_place(pattern, at);
		for (; !match_plain(f, pattern + fixed, at); at = next_place(pattern, at + 1))
			if (fixed || !*at)
				return false;
		if (!rest)
			return true;
		/* The shortest text that lets the next part match is the right one: no part has two. */
		pattern = rest;
		fixed = false;
		at = f->end;
	}
}

/* The same for one of several patterns, between which there are bars. */
static bool match_any(struct found *f, const char *patterns, const char *line)
{
	for (;;) {
		f->n = 0;
		if (match(f, patterns, line))
			return true;
		patterns = strchr(patterns, '|');
		if (!patterns++)
			return false;
	}
}

/* The kernel writes MORE and DNR behind the codes; SPDK's and FreeBSD's are numbers. */
static u16 codes_flags(const struct found *f)
{
	const char *at = f->end;
	u16 flags = 0;

	if (f->n >= 4) {
		const u64 *last = &f->number[f->n - 2], crd = f->n == 5 ? f->number[2] & 3 : 0;

		return (u16)(crd << 11 | (last[0] == 1) << 13 | (last[1] == 1) << 14);
	}
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

static int read_status(struct logline *l, u64 number, u32 shift)
{
	if (number >> shift > NVME_STATUS_MASK)
		return -ERANGE;
	l->value = (u16)(number >> shift);
	add_reading(l, l->value, NULL);
	return 0;
}

/*
 * What a command of the driver came to. An errno has 32 bits where it is printed in hexadecimal, and
 * lacks the bit of DNR where the driver leaves that out.
 */
static int read_result(struct logline *l, u64 number)
{
	s64 n = number <= UINT32_MAX ? (s32)number : (s64)number;

	if (n >= 0)
		return read_status(l, number, 0);
	n = -(n | 1 << 14);
	if (n > ERRNO_MAX)
		return -ERANGE;
	l->value = (u16)n;
	l->is_errno = true;
	return 0;
}

void logline_without_phase(struct logline *l)
{
	if (l->value > NVME_STATUS_MASK)
		return;
	l->n = 0;
	add_reading(l, l->value, NULL);
}

bool logline_is_empty(const struct logline *l)
{
	const struct logline_kind *kind = logline_kind(l);

	return kind && !l->value &&
	       (kind->form == LOGFORM_LOGGED || kind->form == LOGFORM_FIELD ||
		kind->form == LOGFORM_ENTRY);
}

bool logline_is_part(const struct logline *l)
{
	const struct logline_kind *kind = logline_kind(l);

	return kind && kind->form == LOGFORM_PART;
}

static int read_numbers(struct logline *l, const struct found *f)
{
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
	case LOGFORM_RESULT:
		return read_result(l, f->number[0]);
	case LOGFORM_FIXED:
		return read_status(l, loglines[l->id].value, 0);
	case LOGFORM_FIELD:
		return read_status(l, f->number[0], 1);
	case LOGFORM_OK:
		l->n = 1;
		return 0;
	case LOGFORM_EVENT:
	case LOGFORM_PART:
		return 0;
	default:
		return read_status(l, f->number[0], 0);
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

/* Bytes of the no-break space at @at, as web pages and mails have them; 0: it is none. */
static size_t no_break(const char *at)
{
	return has_prefix(at, "\u00a0") ? 2 : has_prefix(at, "\u202f") ? 3 : 0;
}

/* Copies a line with plain blanks in it. */
static void copy_line(char text[LOGLINE_MAX], const char *line)
{
	size_t n = 0;

	while (*line && n < LOGLINE_MAX - 1) {
		size_t len = no_break(line);

		text[n] = *line;
		if (len)
			text[n] = ' ';
		n++;
		line += len ? len : 1;
	}
	text[n] = '\0';
}

int logline_read(const char *line, struct logline *l)
{
	char text[LOGLINE_MAX];
	int err;

	copy_line(text, line);
	for (u32 i = 0; i < LOGLINES; i++) {
		struct found f = { .line = text };

		*l = (struct logline){ .id = i, .named = loglines[i].fabrics };
		l->set = loglines[i].fabrics ? NVME_SET_FABRICS : NVME_SET_IO;
		if (!match_any(&f, loglines[i].pattern, text))
			continue;
		err = read_numbers(l, &f);
		if (err != -EINVAL)
			return err;
	}
	*l = (struct logline){ 0 };
	return read_name(text, l);
}
