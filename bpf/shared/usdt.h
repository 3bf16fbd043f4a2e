// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Shared by the program of `spdk` and user space: how to read the arguments of a probe of a
 * process (USDT), and the record of one hit.
 */
#ifndef NVT_SHARED_USDT_H
#define NVT_SHARED_USDT_H

#include "bpf/shared/wire.h"

#define USDT_TARGETS 16 /* processes; each has a program of its own, which knows its number */
#define USDT_ARGS    12 /* arguments of a probe, as many as <sys/sdt.h> has macros for */
#define USDT_TEXTS   3 /* strings among them */
#define USDT_TEXT    256 /* bytes of a string that are kept, with the NUL */
#define USDT_SPECS   8192 /* places of probes in all processes */

/* Registers are words of the kernel's struct pt_regs, in arm64 of struct user_pt_regs. */
#define USDT_REGS   34 /* words of the larger one */
#define USDT_NO_REG 0xff

enum usdt_kind {
	USDT_CONST, /* value */
	USDT_REG, /* register `base` */
	USDT_MEMORY, /* `size` bytes at base + (index << scale) + value */
	USDT_UNREADABLE, /* nobody knows how to */
};

/* Where an argument is. */
struct usdt_arg {
	u64 value; /* a constant, or what is added to an address */
	u8 kind; /* enum usdt_kind */
	u8 base, index; /* words of struct pt_regs, or USDT_NO_REG */
	u8 scale; /* shift of the index, at most 3 */
	u8 shift; /* of a register, in bits: 8 for %ah */
	u8 size; /* bytes: 1, 2, 4 or 8 */
	u8 is_signed;
	u8 is_text; /* the argument is the address of a string, which is wanted */
};
WIRE_SIZE(struct usdt_arg, 16);

/* A place of a probe in a process. */
struct usdt_place {
	u64 address; /* of the instruction, in the process */
	u32 target; /* number of the process */
	u32 pad;
};
WIRE_SIZE(struct usdt_place, 16);

struct usdt_spec {
	u32 id; /* of user space */
	u8 n_args, n_texts;
	u16 pad;
	struct usdt_arg arg[USDT_ARGS];
};
WIRE_SIZE(struct usdt_spec, 200);

/* A hit. Strings follow, USDT_TEXT bytes each: as many as the probe has. */
struct usdt_hit {
	u64 ts_ns;
	u32 id; /* usdt_spec.id */
	u32 pid, tid; /* in the initial namespace of processes */
	u16 unread; /* bit per argument that could not be read */
	u16 cut; /* bit per argument whose string goes on */
	/*
	 * As it was read: `size` bytes count. Of a string its length with the NUL, 0: the pointer was
	 * NULL.
	 */
	u64 arg[USDT_ARGS];
	u64 regs[USDT_REGS]; /* used meanwhile */
};
WIRE_SIZE(struct usdt_hit, 392);

/* Counters of a CPU; CPUs whose numbers differ by a multiple of WIRE_CPUS share them. */
struct usdt_counts {
	u64 hits; /* the program was run */
	u64 unknown; /* of these, at a place that user space did not name */
	u64 ring_full; /* and those that found no room in the ring */
	u64 pad[5];
};
WIRE_SIZE(struct usdt_counts, 64);

#endif
