// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* tally: completed commands counted by the direction of their data. */
#include "bpf/prog.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 4);
	__type(key, u32);
	__type(value, u64);
} tally SEC(".maps");

static __always_inline void on_setup(void *ctx, const struct command *c)
{
}

static __always_inline void on_complete(void *ctx, const struct command *c)
{
	u32 direction = c->slot->opcode & OPCODE_DATA;
	u64 *n = bpf_map_lookup_elem(&tally, &direction);

	if (n)
		__sync_fetch_and_add(n, 1);
}

static __always_inline void on_orphan(void *ctx, struct command *c)
{
}
