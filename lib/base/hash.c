// SPDX-License-Identifier: GPL-2.0-or-later
/* SipHash with one round for each word and three at the end (Aumasson and Bernstein, 2012). */
#include "lib/base/hash.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/auxv.h>

#include "lib/base/str.h"

struct hash_key hash_key(void)
{
	// NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel passes the address of 16 bytes
	const void *random = (const void *)getauxval(AT_RANDOM);
	struct hash_key key = { { 0 } };

	if (random)
		memcpy(&key, random, sizeof(key));
	return key;
}

static inline u64 rotate(u64 word, u32 bits)
{
	return word << bits | word >> (64 - bits);
}

static inline void mix(u64 v[4])
{
	v[0] += v[1];
	v[2] += v[3];
	v[1] = rotate(v[1], 13) ^ v[0];
	v[3] = rotate(v[3], 16) ^ v[2];
	v[0] = rotate(v[0], 32) + v[3];
	v[2] += v[1];
	v[1] = rotate(v[1], 17) ^ v[2];
	v[3] = rotate(v[3], 21) ^ v[0];
	v[2] = rotate(v[2], 32);
}

static void begin(u64 v[4], const struct hash_key *key)
{
	v[0] = key->word[0] ^ 0x736f6d6570736575ULL;
	v[1] = key->word[1] ^ 0x646f72616e646f6dULL;
	v[2] = key->word[0] ^ 0x6c7967656e657261ULL;
	v[3] = key->word[1] ^ 0x7465646279746573ULL;
}

static void add(u64 v[4], u64 word)
{
	v[3] ^= word;
	mix(v);
	v[0] ^= word;
}

/* The last word holds the length above the bytes that are left. */
static u64 end(u64 v[4], u64 last)
{
	add(v, last);
	v[2] ^= 0xff;
	mix(v);
	mix(v);
	mix(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

u64 hash_words(const struct hash_key *key, const u64 *word, size_t n)
{
	u64 v[4];

	begin(v, key);
	for (size_t i = 0; i < n; i++)
		add(v, word[i]);
	return end(v, (u64)(n * sizeof(u64)) << 56);
}

u64 hash_text(const struct hash_key *key, const char *text)
{
	size_t len = strlen(text), left = len % sizeof(u64);
	u64 v[4], word = 0;

	begin(v, key);
	for (size_t i = 0; i + sizeof(word) <= len; i += sizeof(word)) {
		memcpy(&word, text + i, sizeof(word));
		add(v, word);
	}
	word = 0;
	memcpy(&word, text + len - left, left);
	return end(v, word | (u64)len << 56);
}

int hash_open(struct hash_index *x, u32 limit)
{
	*x = (struct hash_index){ .key = hash_key(), .bits = 6 };
	while (1UL << x->bits < 2UL * limit)
		x->bits++;
	x->slot = calloc(1UL << x->bits, sizeof(*x->slot));
	return x->slot ? 0 : -ENOMEM;
}

void hash_close(struct hash_index *x)
{
	free(x->slot);
	x->slot = NULL;
}

void hash_clear(struct hash_index *x)
{
	memset(x->slot, 0, sizeof(*x->slot) << x->bits);
}

bool hash_find(const struct hash_index *x, const u64 *keys, u64 key, u32 *at, u32 *number)
{
	*at = hash_first(x, hash_words(&x->key, &key, 1));
	for (; hash_number(x, *at, number); *at = hash_next(x, *at))
		if (keys[*number] == key)
			return true;
	return false;
}
