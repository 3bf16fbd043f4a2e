// SPDX-License-Identifier: GPL-2.0-or-later
/* What a mistyped word probably meant. */
#ifndef NVT_NEAREST_H
#define NVT_NEAREST_H

#include "lib/types.h"

/* Start with {.typed = word}, offer candidates, read .best. */
struct nearest {
	const char *typed; /* need not end at NUL: .len bytes, 0 means all */
	size_t len;
	const char *best; /* NULL: nothing is near */
	u32 distance;
};

/*
 * Takes @candidate as best if it is nearer than what came before: fewest letters changed, added, left
 * out or swapped with their neighbour, at most a third of the word; "_" counts as "-". A word that was
 * only begun (at least three letters) is nearer than any mistyped one.
 */
void nearest_offer(struct nearest *n, const char *candidate);

#endif
