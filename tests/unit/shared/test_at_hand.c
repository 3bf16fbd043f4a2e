// SPDX-License-Identifier: GPL-2.0-or-later
/* bpf/shared/at_hand.h: queues find a slot and keep it, as bpf/queue.h takes and leaves them. */
#include <string.h>

#include "bpf/shared/at_hand.h"
#include "tests/unit/draw.h"
#include "tests/unit/test.h"

static u64 queue[WIRE_QUEUES]; /* of each entry; 0: none */
static u16 hand[AT_HAND_SLOTS];
static u64 seed = 1;

static void start(void)
{
	memset(queue, 0, sizeof(queue));
	memset(hand, 0, sizeof(hand));
}

static bool is_free(u32 slot)
{
	u64 q = queue[hand[slot]];

	return !hand[slot] || !q || !at_hand_passes(q, slot);
}

/* As queue_turn_to(). */
static bool take(u64 q, u32 index)
{
	queue[index] = q;
	for (u32 i = 0; i < AT_HAND_PATH; i++) {
		u32 slot = at_hand_first(q) ^ i;

		if (!is_free(slot))
			continue;
		hand[slot] = (u16)index;
		return true;
	}
	return false;
}

/* How far from the first slot the queue is found; AT_HAND_PATH: it is not. */
static u32 distance(u64 q)
{
	u32 i = 0;

	while (i < AT_HAND_PATH && queue[hand[at_hand_first(q) ^ i]] != q)
		i++;
	return i;
}

/*
 * Addresses as the kernel gives them: objects of a kilobyte, in slabs of 32 that lie anywhere in
 * @gib of memory.
 */
static u64 address(u32 i, u64 gib)
{
	static u64 slab;

	if (i % 32 == 0)
		slab = 0xffff888000000000ULL + ((u64)(uniform(&seed) * (double)(gib << 15)) << 15);
	return slab + (u64)(i % 32) * 1024;
}

/* Queues of 24 drives, 256 each, all of which live. */
TEST(all_are_found)
{
	enum { N = 24 * 256 };
	static u64 q[N];
	u32 behind = 0;

	for (u32 run = 0; run < 20; run++) {
		start();
		for (u32 i = 0; i < N; i++) {
			q[i] = address(i, 512);
			assert_true(take(q[i], i + 1));
		}
		for (u32 i = 0; i < N; i++) {
			assert_true(distance(q[i]) < AT_HAND_PATH);
			behind += distance(q[i]) > 1;
		}
	}
	assert_true(behind < 20 * N / 25); /* of which the fast path does not know */
}

/* As many as there are entries. */
TEST(full)
{
	static u64 q[WIRE_QUEUES];

	start();
	for (u32 i = 1; i < WIRE_QUEUES; i++) {
		q[i] = address(i, 2048);
		assert_true(take(q[i], i));
	}
	for (u32 i = 1; i < WIRE_QUEUES; i++)
		assert_true(distance(q[i]) < AT_HAND_PATH);
}

/* Drives go and come with queues at other addresses: entries and slots are used again for ever. */
TEST(come_and_go)
{
	enum { N = 3072 };
	static u64 q[N];

	start();
	for (u32 i = 0; i < N; i++) {
		q[i] = address(i, 512);
		assert_true(take(q[i], i + 1));
	}
	for (u32 run = 0; run < 200; run++) {
		u32 from = (u32)(uniform(&seed) * 24) * 128;

		for (u32 i = from; i < from + 128; i++) {
			q[i] = address(i, 512);
			assert_true(take(q[i], i + 1));
		}
		for (u32 i = 0; i < N; i++)
			assert_true(distance(q[i]) < AT_HAND_PATH);
	}
}

/* The first slots of a path are those that the fast path looks at. */
TEST(path)
{
	for (u32 i = 0; i < 1000; i++) {
		u64 q = address(i, 64);

		assert_in_range(at_hand_first(q), 0, AT_HAND_SLOTS - 1);
		assert_true(at_hand_passes(q, at_hand_first(q) ^ 1));
		assert_true(at_hand_passes(q, at_hand_first(q) ^ (AT_HAND_PATH - 1)));
		assert_false(at_hand_passes(q, at_hand_first(q) ^ AT_HAND_PATH));
	}
}
