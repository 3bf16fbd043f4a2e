// SPDX-License-Identifier: GPL-2.0-or-later
/* Makes strings from the kernel, a drive or a recording safe to print, reversibly. */
#include "lib/base/escape.h"
#include "lib/base/str.h"

struct code_range {
	u32 lo, hi;
};

/*
 * General category Cf of Unicode 15, the line separators, and the noncharacters at the end of the
 * BMP.
 */
static const struct code_range format_chars[] = {
	{ 0x80, 0x9f },	      { 0xad, 0xad },	    { 0x600, 0x605 },	  { 0x61c, 0x61c },
	{ 0x6dd, 0x6dd },     { 0x70f, 0x70f },	    { 0x890, 0x891 },	  { 0x8e2, 0x8e2 },
	{ 0x180e, 0x180e },   { 0x200b, 0x200f },   { 0x2028, 0x202e },	  { 0x2060, 0x206f },
	{ 0xfeff, 0xfeff },   { 0xfff9, 0xfffb },   { 0xfffe, 0xffff },	  { 0x110bd, 0x110bd },
	{ 0x110cd, 0x110cd }, { 0x13430, 0x1343f }, { 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a },
	{ 0xe0001, 0xe007f },
};

/*
 * East_Asian_Width W and F of Unicode 15, and combining marks, by whole blocks: enough to align a
 * column. The exact tables of wcwidth() are 4 KB.
 */
static const struct code_range wide_chars[] = {
	{ 0x1100, 0x115f },   { 0x231a, 0x231b },   { 0x2329, 0x232a },	  { 0x2e80, 0x303e },
	{ 0x3041, 0xa4cf },   { 0xa960, 0xa97f },   { 0xac00, 0xd7a3 },	  { 0xf900, 0xfaff },
	{ 0xfe30, 0xfe6f },   { 0xff00, 0xff60 },   { 0xffe0, 0xffe6 },	  { 0x1f300, 0x1f64f },
	{ 0x1f680, 0x1f6ff }, { 0x1f900, 0x1f9ff }, { 0x20000, 0x3fffd },
};
static const struct code_range zero_chars[] = {
	{ 0x300, 0x36f },   { 0x483, 0x489 },	{ 0x591, 0x5bd },     { 0x610, 0x61a },
	{ 0x64b, 0x65f },   { 0x1ab0, 0x1aff }, { 0x1dc0, 0x1dff },   { 0x20d0, 0x20ff },
	{ 0xfe00, 0xfe0f }, { 0xfe20, 0xfe2f }, { 0xe0100, 0xe01ef },
};

static bool code_in(const struct code_range *ranges, u32 n, u32 code)
{
	for (u32 i = 0; i < n; i++) {
		if (code >= ranges[i].lo && code <= ranges[i].hi)
			return true;
	}
	return false;
}

/* Takes the sequence at @s apart: its length and code point; 0 when it is not UTF-8. */
static unsigned int utf8_decode(const char *s, u32 *code)
{
	static const u32 smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *u = (const unsigned char *)s;
	unsigned int len, i;

	if (u[0] < 0x80) {
		*code = u[0];
		return 1;
	}
	if (u[0] >= 0xc2 && u[0] <= 0xdf)
		len = 2;
	else if (u[0] >= 0xe0 && u[0] <= 0xef)
		len = 3;
	else if (u[0] >= 0xf0 && u[0] <= 0xf4)
		len = 4;
	else
		return 0;
	*code = u[0] & (0x7f >> len);
	for (i = 1; i < len; i++) {
		if ((u[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (u[i] & 0x3f);
	}
	if (*code < smallest[len] || *code > 0x10ffff || (*code >= 0xd800 && *code <= 0xdfff))
		return 0;
	return len;
}

unsigned int escape_utf8(const char *s)
{
	unsigned int len;
	u32 code;

	len = utf8_decode(s, &code);
	if (len < 2 || code_in(format_chars, ARRAY_SIZE(format_chars), code))
		return 0;
	return len;
}

unsigned int escape_char_width(const char *s, unsigned int *len)
{
	u32 code;

	*len = (unsigned char)*s < 0x80 ? 1 : utf8_decode(s, &code);
	if (*len < 2) {
		*len = 1;
		return 1;
	}
	if (code_in(zero_chars, ARRAY_SIZE(zero_chars), code))
		return 0;
	return 1 + code_in(wide_chars, ARRAY_SIZE(wide_chars), code);
}

unsigned int escape_width(const char *s)
{
	unsigned int width = 0, len;

	for (; *s; s += len)
		width += escape_char_width(s, &len);
	return width;
}

size_t escape_name(const char **s, const char *marks, char *buf, size_t size)
{
	static const char hex[] = "0123456789abcdef";
	size_t n = 0, need;
	unsigned int len;

	for (; **s; *s += len) {
		len = escape_plain((unsigned char)**s) ? !strchr(marks, **s) : escape_utf8(*s);
		need = len ? len : **s == '\\' ? 2 : 4;
		if (n + need >= size)
			break;
		/* musl's memcpy() takes longer than the rest of a short text. */
		for (unsigned int i = 0; i < len; i++)
			buf[n++] = (*s)[i];
		if (len)
			continue;
		len = 1;
		buf[n++] = '\\';
		buf[n++] = **s == '\\' ? '\\' : 'x';
		if (need == 4) {
			buf[n++] = hex[(unsigned char)**s >> 4];
			buf[n++] = hex[**s & 15];
		}
	}
	if (size)
		buf[n] = '\0';
	return n;
}

size_t escape_text(const char *s, char *buf, size_t size)
{
	return escape_name(&s, "", buf, size);
}
