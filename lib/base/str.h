// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Small helpers on strings and arrays; unsafe libc functions do not compile once this is included.
 */
#ifndef NVT_BASE_STR_H
#define NVT_BASE_STR_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/types.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* True when both strings are equal. Neither may be NULL. */
static inline bool streq(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

/* True when @s begins with @prefix. */
static inline bool has_prefix(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) == 0;
}

/*
 * Copies the next word of *@list, which has @separator between words, to @word, and moves on behind
 * it. A word that does not fit into @size is cut. False at the end.
 */
static inline bool str_word(const char **list, char separator, char *word, size_t size)
{
	size_t len = strcspn(*list, (char[]){ separator, '\0' });

	if (!**list)
		return false;
	snprintf(word, size, "%.*s", (int)len, *list);
	*list += len + ((*list)[len] == separator);
	return true;
}

#pragma GCC poison strcpy strcat sprintf vsprintf strtok atoi atol gets getenv

/* The ending of a regular noun after the number @n: 1 line, 2 lines. */
static inline const char *plural(u64 n)
{
	return n == 1 ? "" : "s";
}

#endif
