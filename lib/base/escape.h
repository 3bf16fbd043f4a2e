// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Decides which bytes of foreign strings may be printed as they are. escape_text() and the JSON
 * writer share it.
 */
#ifndef NVT_BASE_ESCAPE_H
#define NVT_BASE_ESCAPE_H

#include "lib/base/types.h"

/* True for printable ASCII but the backslash, which is the escape character. */
static inline bool escape_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x7f && c != '\\';
}

/*
 * Length (2 to 4) of the UTF-8 sequence at @s if it is valid (RFC 3629) and neither a C1 control
 * nor a bidi, format or line separating character; 0: the byte must be escaped. Reads no byte past
 * a NUL.
 */
unsigned int escape_utf8(const char *s);

/* Columns of a terminal that the escaped string @s takes. */
unsigned int escape_width(const char *s);

/* Columns that the first character of @s takes; *len becomes its length in bytes. */
unsigned int escape_char_width(const char *s, unsigned int *len);

/*
 * Escapes @s for terminals and CSV: printable ASCII and valid UTF-8 but for C0, DEL, C1, bidi and
 * format characters stay; every other byte becomes \xHH and a backslash is doubled (reliability.md,
 * H). Returns the length written, always NUL-terminated within @size.
 */
size_t escape_text(const char *s, char *buf, size_t size);

/*
 * The same for a name in a format that has its own marks: each character of @marks becomes \xHH,
 * too, so different names stay different. Moves *s to the first byte that had no room: what is left
 * is for the next call.
 */
size_t escape_name(const char **s, const char *marks, char *buf, size_t size);

#endif
