// SPDX-License-Identifier: GPL-2.0-or-later
/* Numbers to text without printf: a row has some forty of them and there are millions of rows. */
#ifndef NVT_BASE_FMT_H
#define NVT_BASE_FMT_H

#include <string.h>

#include "lib/base/types.h"

#define FMT_U64_MAX   20 /* digits of the largest u64 */
#define FMT_FIXED_MAX 32 /* fmt_fixed() with sign and point */

/* "00" "01" ... "99" */
extern const char fmt_pairs[200];

/* All writers return the byte behind the last one written; no NUL. */

/* @digits decimal digits of @v, zeroes in front. */
static inline char *fmt_padded(char *p, u64 v, unsigned int digits)
{
	unsigned int i = digits;

	for (; i >= 2; i -= 2, v /= 100)
		memcpy(p + i - 2, fmt_pairs + v % 100 * 2, 2);
	if (i)
		p[0] = (char)('0' + v % 10);
	return p + digits;
}

static inline unsigned int fmt_digits(u64 v)
{
	unsigned int n = 1;

	for (;;) {
		if (v < 10)
			return n;
		if (v < 100)
			return n + 1;
		if (v < 1000)
			return n + 2;
		if (v < 10000)
			return n + 3;
		v /= 10000;
		n += 4;
	}
}

static inline char *fmt_u64(char *p, u64 v)
{
	if (v < 10) {
		*p = (char)('0' + v);
		return p + 1;
	}
	return fmt_padded(p, v, fmt_digits(v));
}

static inline char *fmt_s64(char *p, s64 v)
{
	if (v >= 0)
		return fmt_u64(p, (u64)v);
	*p++ = '-';
	return fmt_u64(p, 0 - (u64)v);
}

/* 0x and hexadecimal digits without zeroes in front: 0x2a */
static inline char *fmt_hex(char *p, u64 v)
{
	unsigned int shift = 60;

	*p++ = '0';
	*p++ = 'x';
	while (shift && !(v >> shift))
		shift -= 4;
	for (;; shift -= 4) {
		*p++ = "0123456789abcdef"[v >> shift & 15];
		if (!shift)
			return p;
	}
}

/*
 * @v / @scale (a power of ten up to 10^9) with @decimals digits behind the point, rounded half up.
 */
char *fmt_fixed(char *p, u64 v, u64 scale, unsigned int decimals);

/* A finite double with at most @decimals digits behind the point; @trim drops zeroes at the end. */
char *fmt_double(char *p, double v, unsigned int decimals, bool trim);

#define FMT_NUMBER 32 /* room for fmt_number() */

/*
 * Writes @v with exactly @decimals digits behind the point into @buf, and returns @buf. It stands
 * for printf's %f, which calculates in long double: on aarch64 that takes 10 KB of library.
 */
const char *fmt_number(char buf[static FMT_NUMBER], double v, unsigned int decimals);
/*
 * Writes @ns in the unit that leaves one to three digits in front of the point, three digits and
 * @more in all, with @blank before the unit, and returns @buf: "5.77 ms". Nanoseconds have @more
 * decimals.
 */
const char *fmt_ns(char buf[static FMT_NUMBER], double ns, const char *blank, unsigned int more);
/* A rate in few digits: 3.5, 812, 120345. Empty if it is not finite, so not known. */
const char *fmt_rate(char buf[static FMT_NUMBER], double v);

/* Copies @len bytes, rounded up to 16: both buffers must have that room. Inline, unlike memcpy. */
static inline char *fmt_copy(char *p, const char *s, size_t len)
{
	size_t i;

	for (i = 0; i < len; i += 16)
		memcpy(p + i, s + i, 16);
	return p + len;
}

#endif
