// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Hash tables for data of foreign files. Each process has another key, so nobody can make a file
 * whose entries all share one slot; every search would walk over all of them.
 */
#ifndef NVT_BASE_HASH_H
#define NVT_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/types.h"

struct hash_key {
	u64 word[2];
};

/* The key of this process, from what the kernel gives each program at its start (AT_RANDOM). */
struct hash_key hash_key(void);

/* Hash of @n words, or of a text: SipHash-1-3. */
u64 hash_words(const struct hash_key *key, const u64 *word, size_t n);
u64 hash_text(const struct hash_key *key, const char *text);

/*
 * An index: numbers from 0 on of the caller's entries, found by their hash. The caller compares:
 *
 *	for (at = hash_first(x, hash); hash_number(x, at, &i); at = hash_next(x, at))
 *		if (entry[i] is the one)
 *			return i;
 *	hash_put(x, at, n);
 */
struct hash_index {
	struct hash_key key;
	u32 *slot; /* 1 + number; 0: free */
	u32 bits; /* of the number of slots */
};

/* Opens an index of up to @limit entries, at least half of its slots stay free. 0 or -ENOMEM. */
int hash_open(struct hash_index *x, u32 limit);
void hash_close(struct hash_index *x);
/* Forgets all entries. */
void hash_clear(struct hash_index *x);

static inline u32 hash_first(const struct hash_index *x, u64 hash)
{
	return (u32)(hash >> (64 - x->bits));
}

static inline u32 hash_next(const struct hash_index *x, u32 at)
{
	return (at + 1) & ((1U << x->bits) - 1);
}

/* False: the slot is free. */
static inline bool hash_number(const struct hash_index *x, u32 at, u32 *number)
{
	*number = x->slot[at] - 1;
	return x->slot[at];
}

static inline void hash_put(struct hash_index *x, u32 at, u32 number)
{
	x->slot[at] = number + 1;
}

/*
 * The same for entries that are numbers themselves: finds @key among the @keys, by their hash as of
 * hash_words(). True: it has *@number; false: *@at is the slot for hash_put().
 */
bool hash_find(const struct hash_index *x, const u64 *keys, u64 key, u32 *at, u32 *number);

#endif
