// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The blocks that a flight recorder keeps in memory, as they would lie in a file, the oldest first.
 * Their bytes are bounded: the oldest event blocks make room for new ones. A dictionary block stays
 * as long as an event block may refer to it.
 */
#ifndef NVT_RECORD_FLIGHT_RING_H
#define NVT_RECORD_FLIGHT_RING_H

#include "lib/event/counters.h"
#include "lib/record/format.h"

#define RECORD_RING_EVENTS 2048 /* of a block: what is kept begins at one */

/* A block with its head. */
struct record_kept {
	struct record_kept *next;
	u64 first_ns, last_ns; /* of an event block: times of its events */
	s64 wall_offset_ns;
	struct counters counted; /* of its events */
	struct lost lost; /* so far, when the block began */
	u32 kind, count, generation;
	u32 size_bytes;
	u8 data[];
};

struct record_ring {
	struct record_kept *first, **tail; /* tail: where the next one is hung in */
	u64 bytes, max_bytes;
	u64 dict_bytes; /* dictionary blocks of this generation */
	u32 generation; /* of the dictionaries: see record_ring_renew() */
	u64 gone_ns; /* no event until then is kept */
};

void record_ring_open(struct record_ring *r, u64 max_bytes);
/* Keeps a copy of a block, and drops as many of the oldest as it takes. 0 or -ENOMEM. */
int record_ring_add(struct record_ring *r, const struct record_kept *about, const u8 *block);
/* True when the dictionaries of this generation take so much that they should begin anew. */
bool record_ring_is_stale(const struct record_ring *r);
/*
 * Begins a new generation, whose blocks refer to none of the dictionaries before. Blocks of the one
 * before the last are dropped, so that there are two at most.
 */
void record_ring_renew(struct record_ring *r);
void record_ring_close(struct record_ring *r);

#endif
