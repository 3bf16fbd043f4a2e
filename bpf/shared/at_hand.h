// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Where programs look for the queue info of a hardware queue: in `at_hand`, at the slots of the
 * queue's path. A slot has the index of an entry of `queues`, and that says whose it is. A slot
 * whose entry has another queue by now, one that does not pass here, is free again. Nothing else
 * makes it free: a queue keeps its slot however many come.
 */
#ifndef NVT_SHARED_AT_HAND_H
#define NVT_SHARED_AT_HAND_H

#include "bpf/shared/hist.h"
#include "bpf/shared/wire.h"

#define AT_HAND_BITS  15
#define AT_HAND_SLOTS (1 << AT_HAND_BITS) /* twice as many as there are entries */
/*
 * Slots of a path, which are all of an aligned block: half of them are taken if all entries are, and
 * by chance never all.
 */
#define AT_HAND_PATH 128
_Static_assert(AT_HAND_SLOTS == 2 * WIRE_QUEUES, "slots of entries");

/* Tests have all queues take the same path. */
#ifndef AT_HAND_HASH
#define AT_HAND_HASH 0x61c88647
#endif

/* The first slot of the path of queue @q. The next ones are that ^ 1, ^ 2 and so on. */
NVT_INLINE u32 at_hand_first(u64 q)
{
	return (u32)q * AT_HAND_HASH >> (32 - AT_HAND_BITS);
}

/* Whether the path of queue @q passes @slot. */
NVT_INLINE _Bool at_hand_passes(u64 q, u32 slot)
{
	return (at_hand_first(q) ^ slot) < AT_HAND_PATH;
}

#endif
