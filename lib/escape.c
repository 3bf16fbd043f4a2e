// SPDX-License-Identifier: GPL-2.0-or-later
/* Makes strings from the kernel, a drive or a recording safe to print, reversibly. */
#include <wchar.h>

#include "lib/escape.h"
#include "lib/out.h"
#include "lib/str.h"

/* General category Cf of Unicode 15, the line separators, and the noncharacters at the end of the BMP. */
static const struct {
	u32 lo, hi;
} format_chars[] = {
	{ 0x80, 0x9f },	      { 0xad, 0xad },	    { 0x600, 0x605 },	  { 0x61c, 0x61c },
	{ 0x6dd, 0x6dd },     { 0x70f, 0x70f },	    { 0x890, 0x891 },	  { 0x8e2, 0x8e2 },
	{ 0x180e, 0x180e },   { 0x200b, 0x200f },   { 0x2028, 0x202e },	  { 0x2060, 0x206f },
	{ 0xfeff, 0xfeff },   { 0xfff9, 0xfffb },   { 0xfffe, 0xffff },	  { 0x110bd, 0x110bd },
	{ 0x110cd, 0x110cd }, { 0x13430, 0x1343f }, { 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a },
	{ 0xe0001, 0xe007f },
};

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
	unsigned int len, i;
	u32 code;

	len = utf8_decode(s, &code);
	if (len < 2)
		return 0;
	for (i = 0; i < ARRAY_SIZE(format_chars); i++) {
		if (code >= format_chars[i].lo && code <= format_chars[i].hi)
			return 0;
	}
	return len;
}

unsigned int escape_width(const char *s)
{
	unsigned int width = 0, len;
	u32 code;
	int w;

	for (; *s; s += len) {
		len = utf8_decode(s, &code);
		if (len < 2) {
			len = 1;
			width++;
			continue;
		}
		w = wcwidth((wchar_t)code);
		width += w < 0 ? 1 : (unsigned int)w;
	}
	return width;
}

size_t out_escape(const char *s, char *buf, size_t size)
{
	static const char hex[] = "0123456789abcdef";
	size_t n = 0, need;
	unsigned int len;

	for (; *s; s += len, n += need) {
		len = escape_plain((unsigned char)*s) ? 1 : escape_utf8(s);
		need = len ? len : *s == '\\' ? 2 : 4;
		if (n + need >= size)
			break;
		if (len) {
			memcpy(buf + n, s, len);
			continue;
		}
		len = 1;
		buf[n] = '\\';
		buf[n + 1] = *s == '\\' ? '\\' : 'x';
		if (need == 4) {
			buf[n + 2] = hex[(unsigned char)*s >> 4];
			buf[n + 3] = hex[*s & 15];
		}
	}
	if (size)
		buf[n] = '\0';
	return n;
}
