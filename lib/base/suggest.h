// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds the word that a mistyped one probably meant. */
#ifndef NVT_BASE_SUGGEST_H
#define NVT_BASE_SUGGEST_H

#include "lib/base/types.h"

/* Start with {.typed = word}, offer candidates, read .best. */
struct suggestion {
	const char *typed; /* need not end at NUL: .len bytes, 0 means all */
	size_t len;
	const char *best; /* NULL: nothing is near */
	u32 distance;
};

/*
 * Takes @candidate as best if it is nearer than those offered before. The distance is the number of
 * letters that were changed, added, left out or swapped with their neighbour. It is at most a third
 * of the word, or one in a short word: `file` is no slip of `size`. "_" counts as "-". A @candidate
 * that begins with the word typed (at least three letters) wins over any mistyped one.
 */
void suggest_offer(struct suggestion *n, const char *candidate);

#endif
