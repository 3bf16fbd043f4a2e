// SPDX-License-Identifier: GPL-2.0-or-later
/* Block request flags: the kernel's bits and our names for them. */
#include "lib/nvme/reqflags.h"

#include "lib/base/str.h"

/* clang-format off */
static const struct {
	const char *kernel, *kernel_old, *name;
} table[REQ_FLAG_MAX] = {
	[REQ_FLAG_SYNC]       = { "SYNC", NULL, "sync" },
	[REQ_FLAG_META]       = { "META", NULL, "meta" },
	[REQ_FLAG_PRIO]       = { "PRIO", NULL, "prio" },
	[REQ_FLAG_NOMERGE]    = { "NOMERGE", NULL, "nomerge" },
	[REQ_FLAG_IDLE]       = { "IDLE", NULL, "idle" },
	[REQ_FLAG_INTEGRITY]  = { "INTEGRITY", NULL, "integrity" },
	[REQ_FLAG_FUA]        = { "FUA", NULL, "fua" },
	[REQ_FLAG_PREFLUSH]   = { "PREFLUSH", NULL, "preflush" },
	[REQ_FLAG_RAHEAD]     = { "RAHEAD", NULL, "rahead" },
	[REQ_FLAG_BACKGROUND] = { "BACKGROUND", NULL, "background" },
	[REQ_FLAG_NOWAIT]     = { "NOWAIT", NULL, "nowait" },
	/* renamed by 6ce913fe3eee ("block: rename REQ_HIPRI to REQ_POLLED"), Linux 5.16 */
	[REQ_FLAG_POLLED]     = { "POLLED", "HIPRI", "polled" },
	[REQ_FLAG_NOUNMAP]    = { "NOUNMAP", NULL, "nounmap" },
	[REQ_FLAG_SWAP]       = { "SWAP", NULL, "swap" },
	[REQ_FLAG_ATOMIC]     = { "ATOMIC", NULL, "atomic" },
	[REQ_FLAG_P2PDMA]     = { "P2PDMA", NULL, "p2pdma" },
};
/* clang-format on */

void reqflags_init(struct req_flags *map)
{
	memset(map->bit, -1, sizeof(map->bit));
}

void reqflags_learn(struct req_flags *map, const char *enumerator, u32 bit)
{
	const char *name = enumerator + strlen("__REQ_");

	if (!has_prefix(enumerator, "__REQ_") || bit > 31)
		return;
	for (u32 i = 0; i < REQ_FLAG_MAX; i++) {
		const char *old = table[i].kernel_old;

		if (streq(name, table[i].kernel) || (old && streq(name, old)))
			map->bit[i] = (s8)bit;
	}
}

u32 reqflags_mask(const struct req_flags *map)
{
	u32 mask = 0;

	for (u32 i = 0; i < REQ_FLAG_MAX; i++) {
		if (map->bit[i] >= 0)
			mask |= 1U << map->bit[i];
	}
	return mask;
}

bool reqflags_passthrough(u32 cmd_flags)
{
	u32 op = cmd_flags & 0xff;

	/*
	 * REQ_OP_DRV_IN and _OUT, as aebf526b53ae ("block: fold cmd_type into the REQ_OP_ space")
	 * numbered them
	 */
	return op == 34 || op == 35;
}

u32 reqflags_map(const struct req_flags *map, u32 cmd_flags)
{
	u32 flags = 0;

	for (u32 i = 0; i < REQ_FLAG_MAX; i++) {
		if (map->bit[i] >= 0 && cmd_flags >> map->bit[i] & 1)
			flags |= 1U << i;
	}
	return flags;
}

const char *reqflags_name(u32 flag)
{
	return flag < REQ_FLAG_MAX ? table[flag].name : NULL;
}
