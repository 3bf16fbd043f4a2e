// SPDX-License-Identifier: GPL-2.0-or-later
/* Shell patterns to a bit-parallel matcher. */
#include "lib/base/glob.h"

#include <ctype.h>
#include <errno.h>

#include "lib/base/str.h"

#define STATES 64

/* Bytes that one token of a pattern accepts. */
struct byteset {
	u64 bit[4];
};

static void allow(struct byteset *a, u32 byte)
{
	a->bit[byte >> 6] |= 1ULL << (byte & 63);
}

static bool allowed(const struct byteset *a, u32 byte)
{
	return a->bit[byte >> 6] >> (byte & 63) & 1;
}

/* clang-format off */
static const struct {
	const char *name;
	int (*test)(int);
} classes[] = {
	{ "alnum", isalnum }, { "alpha", isalpha }, { "blank", isblank }, { "cntrl", iscntrl },
	{ "digit", isdigit }, { "graph", isgraph }, { "lower", islower }, { "print", isprint },
	{ "punct", ispunct }, { "space", isspace }, { "upper", isupper }, { "xdigit", isxdigit },
};
/* clang-format on */

/* Takes "[:digit:]" at *@p; 1 when taken, 0 when there is none, -EINVAL for an unknown class. */
static int take_class(const char **p, struct byteset *a)
{
	const char *name = *p + 2, *end = has_prefix(*p, "[:") ? strstr(name, ":]") : NULL;

	if (!end)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(classes); i++) {
		if (strlen(classes[i].name) != (size_t)(end - name) ||
		    !has_prefix(name, classes[i].name))
			continue;
		for (int byte = 1; byte < 256; byte++) {
			if (classes[i].test(byte))
				allow(a, (u32)byte);
		}
		*p = end + 2;
		return 1;
	}
	return -EINVAL;
}

/* The byte at *@p, behind a backslash if there is one; 0 at the end. */
static u8 take_byte(const char **p)
{
	if (**p == '\\')
		(*p)++;
	return **p ? (u8) * (*p)++ : 0;
}

/* Takes "a" or "a-z"; false at the end of the pattern. */
static bool take_range(const char **p, struct byteset *a)
{
	u8 lo = take_byte(p), hi = lo;

	if (!lo)
		return false;
	if ((*p)[0] == '-' && (*p)[1] && (*p)[1] != ']') {
		(*p)++;
		hi = take_byte(p);
		if (!hi)
			return false;
	}
	for (u32 byte = lo; byte <= hi; byte++)
		allow(a, byte);
	return true;
}

static void negate(struct byteset *a)
{
	for (size_t i = 0; i < ARRAY_SIZE(a->bit); i++)
		a->bit[i] = ~a->bit[i];
}

/* Takes the set behind "[" at *@p; without its "]" it is no set and "[" stands for itself. */
static int take_set(const char **p, struct byteset *a)
{
	const char *at = *p, *first;
	bool negated = *at == '!' || *at == '^';
	int class;

	at += negated;
	for (first = at; *at != ']' || at == first;) {
		class = take_class(&at, a);
		if (class < 0)
			return class;
		if (!class && !take_range(&at, a)) {
			*a = (struct byteset){ 0 };
			allow(a, '[');
			return 0;
		}
	}
	if (negated)
		negate(a);
	*p = at + 1;
	return 0;
}

/* Takes one token, not a star. */
static int take_token(const char **p, struct byteset *a)
{
	u8 byte;

	*a = (struct byteset){ 0 };
	if (**p == '?') {
		(*p)++;
		negate(a);
		return 0;
	}
	if (**p == '[') {
		(*p)++;
		return take_set(p, a);
	}
	byte = take_byte(p);
	if (!byte)
		return -EINVAL;
	allow(a, byte);
	return 0;
}

int glob_add(struct filter *f, const char *pattern, bool out)
{
	u64 ends = f->comm_accept | f->comm_out;
	u32 base = ends ? STATES - (u32)__builtin_clzll(ends) : 0, state = base;

	while (*pattern) {
		struct byteset a;
		int err;

		if (state - base >= WIRE_COMM)
			return -ENAMETOOLONG;
		if (state >= STATES)
			return -E2BIG;
		if (*pattern == '*') {
			pattern++;
			f->comm_star |= 1ULL << state;
			continue;
		}
		err = take_token(&pattern, &a);
		if (err)
			return err;
		for (u32 byte = 1; byte < 256; byte++)
			f->comm[byte] |= (u64)allowed(&a, byte) << state;
		state++;
	}
	if (state - base >= WIRE_COMM)
		return -ENAMETOOLONG;
	if (state >= STATES)
		return -E2BIG;
	f->comm_start |= 1ULL << base;
	*(out ? &f->comm_out : &f->comm_accept) |= 1ULL << state;
	f->has_comm = 1;
	return 0;
}

bool glob_match(const char *pattern, const char *text)
{
	const char *star = NULL, *resume = text;

	while (*text) {
		if (*pattern == '*') {
			/* It stands for nothing, then for a byte more after each failure. */
			star = ++pattern;
			resume = text;
		} else if (*pattern == *text || *pattern == '?') {
			pattern++;
			text++;
		} else if (star) {
			pattern = star;
			text = ++resume;
		} else {
			return false;
		}
	}
	return !pattern[strspn(pattern, "*")];
}
