// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Probes of processes as a source: an event is a hit. Its record, which is larger than an event, is
 * held in a slot until the event has been put in order.
 */
#ifndef NVT_SPDK_HITS_H
#define NVT_SPDK_HITS_H

#include "cmd/spdk/spdk.h"
#include "lib/session/source.h"

struct uprobes;

struct spdk {
	struct spdk_targets t;
	struct uprobes *uprobes;
	u8 *slots; /* records, slot_bytes each */
	u32 *free; /* numbers of slots that are free, n_free of them */
	u32 slot_bytes, n_slots, n_free, slots_room, free_room;
	u64 taken; /* hits that came out of the ring */
	u64 look_ns; /* when the processes are to be looked at */
	struct spdk_row row;
};

extern const struct source spdk_source;

/* cmd->unpack(): takes a record into a slot, whose number is the event's cdw[0]. */
bool spdk_unpack(struct session *s, struct event *ev, const void *record, size_t size);
/* The hit of an event, which frees its slot; valid until the next spdk_unpack(). */
struct spdk_hit spdk_hit_of(struct spdk *state, const struct event *ev);

/* cmd->poll() and cmd->idle(): end the run with the last process. */
u32 spdk_poll(struct session *s, struct pollfd *fds);
int spdk_idle(struct session *s, u64 now_ns);

#endif
