// SPDX-License-Identifier: GPL-2.0-or-later
/* Recordings: whatever is done to a file, what is sound is read. */
#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/record/format.h"
#include "tests/unit/record_sample.h"
#include "tests/unit/scratch.h"
#include "tests/unit/test.h"

/*
 * To open a file takes 6 ms with sanitizers, 0.1 ms without: with them one place of 25 is tried. The
 * number is odd, so that each bit of a byte has its turn.
 */
#ifdef __SANITIZE_ADDRESS__
#define STEP 25
#else
#define STEP 1
#endif

static void spill(const char *file, const u8 *data, size_t size)
{
	FILE *out = fopen(file, "wb");

	assert_non_null(out);
	assert_int_equal(fwrite(data, 1, size, out), size);
	assert_int_equal(fclose(out), 0);
}

/* Opens and reads whatever is there; -1 when it was refused with the right status. */
static long read_anything(const char *file, u32 needs, bool *damaged)
{
	struct opt_list list = { .word = { file }, .n = 1 };
	struct counters total;
	struct replay *r;
	long n;
	int err = replay_open(&r, &list, needs, NULL);

	if (err) {
		assert_int_equal(err, EXIT_AS(EXIT_NOTHING));
		assert_null(r);
		return -1;
	}
	n = sample_drain(r);
	*damaged = replay_damaged(r);
	replay_counters(r, &total);
	if (*damaged)
		assert_true(counters_add_up(&total));
	replay_close(r);
	return n;
}

/* Cut at every byte, or step: as many events as whole blocks are left, and it is said. */
TEST_WITH(truncation, sample_setup, sample_teardown)
{
	struct sample *f = *state;
	bool damaged = false;
	long last = -1, n;
	size_t size;
	u8 *data;

	sample_write(f->file[0], "here", WALL, 0, 90, true);
	data = (u8 *)scratch_read(f->file[0], &size);
	for (size_t len = 0; len < size; len += STEP) {
		spill(f->file[1], data, len);
		n = read_anything(f->file[1], ALL, &damaged);
		assert_true(n >= last);
		assert_true(n < 0 || damaged);
		last = n;
	}
	assert_int_equal(last, 90);
	assert_int_equal(read_anything(f->file[0], ALL, &damaged), 90);
	assert_false(damaged);
	free(data);
}

/* Every bit turned, or step: never a crash, always noticed, and the other blocks are read. */
TEST_WITH(bit_flips, sample_setup, sample_teardown)
{
	struct sample *f = *state;
	bool damaged = false;
	size_t size;
	u8 *data;

	sample_write(f->file[0], "here", WALL, 0, 20, true);
	data = (u8 *)scratch_read(f->file[0], &size);
	for (size_t bit = 0; bit < size * 8; bit += STEP) {
		long n;

		if (bit / 8 >= 12 && bit / 8 < 16) /* reserved */
			continue;
		data[bit / 8] ^= 1 << bit % 8;
		spill(f->file[1], data, size);
		n = read_anything(f->file[1], ALL | NEED_SUBMIT, &damaged);
		assert_true(n < 0 || damaged);
		assert_true(n == -1 || n == 0 || n == 40);
		data[bit / 8] ^= 1 << bit % 8;
	}
	free(data);
}

/*
 * Damage with CRCs made right again, as an attacker would: anything may be read, nothing may break.
 */
TEST_WITH(hostile, sample_setup, sample_teardown)
{
	struct sample *f = *state;
	struct record_block b;
	bool damaged;
	size_t size;
	u32 seed = 1;
	u8 *data;

	sample_write(f->file[0], "here", WALL, 0, 60, true);
	data = (u8 *)scratch_read(f->file[0], &size);
	for (u32 round = 0; round < 8000 / STEP; round++) {
		u8 *bad = malloc(size);
		size_t at = RECORD_START_BYTES;

		assert_non_null(bad);
		memcpy(bad, data, size);
		for (u32 k = 0; k < 1 + round % 4; k++) {
			seed = seed * 1664525 + 1013904223;
			bad[(seed >> 8) % size] = (seed >> 3) % 3 ? seed >> 24 : 0xff;
		}
		while (at + RECORD_HEAD_BYTES <= size) {
			b.kind = record_get(bad + at + 4, 4);
			b.size_bytes = record_get(data + at + 8, 4);
			b.count = record_get(bad + at + 12, 4);
			b.crc = record_crc(bad + at + RECORD_HEAD_BYTES, b.size_bytes);
			record_pack_head(bad + at, &b);
			at += RECORD_HEAD_BYTES + b.size_bytes;
		}
		spill(f->file[1], bad, size);
		read_anything(f->file[1], round % 2 ? ALL : ALL | NEED_SUBMIT, &damaged);
		free(bad);
	}
	free(data);
}
