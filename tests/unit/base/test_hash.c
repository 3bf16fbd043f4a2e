// SPDX-License-Identifier: GPL-2.0-or-later
/* The hash is SipHash-1-3, differs by its key, and an index finds what was put into it. */
#include "lib/base/hash.h"
#include "lib/base/str.h"
#include "tests/unit/test.h"

static const struct hash_key counting = { { 0x0706050403020100ULL, 0x0f0e0d0c0b0a0908ULL } };

/* Words and text of equal bytes have one hash; that of nothing is the one of the reference. */
TEST(siphash)
{
	static const char text[] = "0123456789abcdef";
	u64 words[2];

	memcpy(words, text, sizeof(words));
	assert_int_equal(hash_text(&counting, ""), 0xabac0158050fc4dcULL);
	assert_int_equal(hash_words(&counting, NULL, 0), 0xabac0158050fc4dcULL);
	assert_int_equal(hash_words(&counting, words, 2), hash_text(&counting, text));
	assert_int_not_equal(hash_text(&counting, "a"), hash_text(&counting, "a\001"));
}

TEST(key_decides)
{
	const struct hash_key other = { { 1, 2 } }, key = hash_key(), again = hash_key();
	u64 word = 5;

	assert_int_not_equal(hash_words(&counting, &word, 1), hash_words(&other, &word, 1));
	assert_memory_equal(&key, &again, sizeof(key));
	assert_true(key.word[0] && key.word[1]);
}

/* Words that share a slot where the hash has no key: here they spread. */
TEST(colliding_words_spread)
{
	u64 inverse = 1; /* of the factor, by Newton's method */
	u32 same = 0;

	for (u32 i = 0; i < 6; i++)
		inverse *= 2 - 0x9e3779b97f4a7c15ULL * inverse;
	for (u64 i = 1; i <= 4096; i++) {
		u64 word = inverse * (i | 5ULL << 32 | i << 48);

		same += (hash_words(&counting, &word, 1) & 4095) == 5;
	}
	assert_in_range(same, 0, 12);
}

TEST(index)
{
	struct hash_index x;
	u32 at, number;

	assert_int_equal(hash_open(&x, 100), 0);
	for (u32 i = 0; i < 100; i++) {
		at = hash_first(&x, (u64)(i % 3) << 60); /* three slots for all */
		while (hash_number(&x, at, &number))
			at = hash_next(&x, at);
		hash_put(&x, at, i);
	}
	for (u32 i = 0; i < 100; i++) {
		at = hash_first(&x, (u64)(i % 3) << 60);
		while (hash_number(&x, at, &number) && number != i)
			at = hash_next(&x, at);
		assert_true(x.slot[at]);
	}
	hash_clear(&x);
	assert_false(hash_number(&x, hash_first(&x, 0), &number));
	hash_close(&x);
}
