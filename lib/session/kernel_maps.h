// SPDX-License-Identifier: GPL-2.0-or-later
/* Gives commands that count in the kernel the maps of a live run. */
#ifndef NVT_SESSION_KERNEL_MAPS_H
#define NVT_SESSION_KERNEL_MAPS_H

#include "lib/session/session.h"

struct command_slot;

/* Live: controllers that were there at the start. */
u32 session_ctrls(const struct session *s);
/* The mapped memory of an mmapable array (*size bytes), or NULL, as in replay. */
void *session_map_memory(struct session *s, const char *map, size_t *size);
/* Live: deletes an entry of a hash, if it is there. */
void session_delete(struct session *s, const char *map, const void *key);
/* Live: waits until every program that runs now has ended. */
void session_quiesce(struct session *s);
/* Sends aggregates to the other bank, waits until no program uses the old one: its number. */
u32 session_flip_bank(struct session *s);
/*
 * Hands each entry of a hash to @take and deletes those for which it returns true. The entries must
 * be of a bank that no program uses any more. 0 or -errno.
 */
int session_walk_map(struct session *s, const char *map,
		     bool (*take)(void *ctx, const void *key, const void *value), void *ctx);
/*
 * Hands each selected command that is in flight now to @take, live: a copy of its command slot, and
 * the index of its queue, and its tag. Takes NEED_NSID, without which paths through one controller
 * cannot be told apart.
 */
void session_inflight(struct session *s,
		      void (*take)(void *ctx, const struct command_slot *slot, u32 queue, u32 tag),
		      void *ctx);
/* Says what commands that are sent from now on keep busy, enum busy_level. Takes NEED_BUSY. */
void session_busy_at(struct session *s, u32 level);
/* Frames of stack @id of map `stacks`, innermost first; how many there are. */
u32 session_stack(struct session *s, s32 id, u64 frames[VIEW_FRAMES]);

#endif
