// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* The key of --by of a command, see bpf/shared/keys.h. */
#ifndef NVT_KEY_H
#define NVT_KEY_H

#include "bpf/join.h"
#include "bpf/shared/keys.h"

/*
 * Fills in the key of @c under @by, for sizes with the edges @size_edge. On the fast path the slot
 * holds little: there the set is one of KEYS_QUEUE.
 */
static __always_inline void key_of_command(struct kernel_key *key, u32 by, const u64 *size_edge,
					   const struct command *c)
{
	struct key_in in = {
		.info = c->info,
		.slot = c->slot,
		.size_edge = size_edge,
		.cmd_flags_mask = cfg.cmd_flags_mask,
		.status = word_status(c->status_word),
	};

	key_fill(key, c->rq.fast ? by & KEYS_QUEUE : by, &in);
}

#endif
