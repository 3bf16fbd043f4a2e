// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Flags of a block request under stable names: the kernel moves the bits of REQ_* about, so their
 * places are read from its BTF (lib/btf/features.h).
 */
#ifndef NVT_NVME_REQFLAGS_H
#define NVT_NVME_REQFLAGS_H

#include "lib/base/types.h"

/* Our own order; a recording stores these bits. Append only. */
enum req_flag {
	REQ_FLAG_SYNC,
	REQ_FLAG_META,
	REQ_FLAG_PRIO,
	REQ_FLAG_NOMERGE,
	REQ_FLAG_IDLE,
	REQ_FLAG_INTEGRITY,
	REQ_FLAG_FUA,
	REQ_FLAG_PREFLUSH,
	REQ_FLAG_RAHEAD,
	REQ_FLAG_BACKGROUND,
	REQ_FLAG_NOWAIT,
	REQ_FLAG_POLLED,
	REQ_FLAG_NOUNMAP,
	REQ_FLAG_SWAP,
	REQ_FLAG_ATOMIC,
	REQ_FLAG_P2PDMA,
	REQ_FLAG_MAX,
};

/* Where the running kernel has each flag: a bit number, or -1 when it knows no such flag. */
struct req_flags {
	s8 bit[REQ_FLAG_MAX];
};

/* Every flag absent. */
void reqflags_init(struct req_flags *map);

/*
 * Takes an enumerator of the kernel's enum req_flag_bits ("__REQ_SYNC"); names without a flag of
 * ours are ignored.
 */
void reqflags_learn(struct req_flags *map, const char *enumerator, u32 bit);

/* Returns the kernel's bits that have a name, for prog_cfg.cmd_flags_mask. */
u32 reqflags_mask(const struct req_flags *map);

/* Turns request->cmd_flags into bits 1 << enum req_flag. */
u32 reqflags_map(const struct req_flags *map, u32 cmd_flags);

/*
 * True when the driver was handed a finished command (REQ_OP_DRV_*), by user space or by itself,
 * and not a read or write of the block layer.
 */
bool reqflags_passthrough(u32 cmd_flags);

/* Name for JSON and CSV: "sync". NULL from REQ_FLAG_MAX on. */
const char *reqflags_name(u32 flag);

#endif
