// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Numbers as users write them. Every parser takes the whole text or refuses it: no signs, blanks,
 * exponents, or anything behind the number. 0, -EINVAL (not of the form), -ERANGE (does not fit
 * u64).
 */
#ifndef NVT_BASE_UNITS_H
#define NVT_BASE_UNITS_H

#include "lib/base/types.h"

#define NSEC_PER_USEC 1000ULL
#define NSEC_PER_MSEC 1000000ULL
#define NSEC_PER_SEC  1000000000ULL

/* Any of the parsers below, for units_range(). */
typedef int units_parser(const char *text, u64 *value);

/* A count: decimal, or hexadecimal with 0x. */
units_parser units_count;

/*
 * Nanoseconds from 500us, 2ms, 1.5s, 3m, 1h, 20ns; a bare number is seconds. Parts of a nanosecond
 * are cut off.
 */
units_parser units_time;

/* Bytes from 512, 64k, 1.5M, 2g, 1T, 4KiB: powers of 1024. Parts of a byte are cut off. */
units_parser units_size;

/*
 * FROM-TO by @parse. A single value gives both ends, `FROM-` ends at U64_MAX; -ERANGE when TO <
 * FROM.
 */
int units_range(const char *text, units_parser *parse, u64 *from, u64 *to);

/*
 * Write the shortest exact form that the parsers read back: 1500us, 64k. @buf holds UNITS_TEXT
 * bytes.
 */
#define UNITS_TEXT 24
const char *units_time_text(u64 ns, char *buf);
const char *units_size_text(u64 bytes, char *buf);
/* The same with a blank before the unit, for sentences: "16 ms". */
const char *units_time_apart(u64 ns, char *buf);
/* Writes @bytes rounded to one decimal, in the largest unit that fits: "931.5G". @buf as above. */
const char *units_size_brief(u64 bytes, char *buf);

#endif
