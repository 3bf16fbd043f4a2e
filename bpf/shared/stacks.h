// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * The tables of `stacks` in the kernel: sums by stack and key.
 *
 * Maps of bpf/stacks.bpf.c:
 *   rows   hash of struct stacks_key to a cell: struct stacks_cell and, with STACKS_HIST, hist.slots buckets
 *   spill  mmapable array of STACKS_BANKS + 1 cells: what found no room in `rows`, by bank; the last one
 *          stays empty, new rows are copies of it
 * User space flips the bank at each interval, waits until no program uses the old one, and takes
 * its rows.
 */
#ifndef NVT_SHARED_STACKS_H
#define NVT_SHARED_STACKS_H

#include "bpf/shared/hist.h"
#include "bpf/shared/keys.h"
#include "bpf/shared/wire.h"

#define STACKS_BANKS	2
#define STACKS_ROWS_MAX 16384 /* entries of map `rows`, both banks */
#define STACKS_ROWS_MIN 128
#define STACKS_MAP_BYTES                                                                           \
	(24U << 20) /* bound of map `rows`, unless that leaves less than ROWS_MIN */
#define STACKS_PROBES  32 /* functions of --probe */
#define STACKS_NOTICED 16384 /* entries of map `noticed` */

/* In place of the number of a stack. */
#define STACKS_NONE (-1) /* a kernel thread has no user stack */
#define STACKS_LOST (-2) /* there was no room for it */

enum stacks_flag {
	STACKS_HIST = 1 << 0, /* cells have buckets */
	STACKS_ERRORS = 1 << 1, /* only commands that failed */
	STACKS_KERNEL = 1 << 2, /* which stacks were asked for */
	STACKS_USER = 1 << 3,
};

/* Set before load, section .rodata.stacks. */
struct stacks_cfg {
	struct hist_cfg hist;
	u32 by; /* bits 1 << enum key */
	u32 flags; /* enum stacks_flag */
};
WIRE_SIZE(struct stacks_cfg, 32);

/* The key of a row. Members that were not asked for are 0, so equal keys are equal bytes. */
struct stacks_key {
	struct kernel_key key;
	s32 kstack_id, ustack_id; /* of map `stacks`; STACKS_NONE where not asked for */
	u32 pid; /* with STACKS_USER: an address means nothing without its process */
	u16 bank;
	u8 worker; /* the submitter is not known: a kernel worker ran it */
	u8 pad;
};
WIRE_SIZE(struct stacks_key, sizeof(struct kernel_key) + 16);

struct stacks_cell {
	u64 count;
	HIST_SUMS(HIST_SUM_MEMBER)
};
WIRE_SIZE(struct stacks_cell, 32);

/* Fills in the members beside the key of --by, for bank 0; stack numbers as they are. */
NVT_INLINE void stacks_key_fill(struct stacks_key *key, u32 flags, const struct submitter *sub)
{
	key->kstack_id = flags & STACKS_KERNEL ? sub->kstack_id : STACKS_NONE;
	key->ustack_id = flags & STACKS_USER ? sub->ustack_id : STACKS_NONE;
	key->pid = flags & STACKS_USER ? sub->pid : 0;
	key->bank = 0;
	key->worker = sub->worker;
	key->pad = 0;
}

#endif
