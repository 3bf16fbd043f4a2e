// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Takes out of a BPF program, before it is loaded, what its configuration rules out. The kernel
 * would do so itself, but dearly: each run of instructions that it drops moves all that follow
 * (verifier_remove_insns()), and before it knows that they are dead it keeps notes on each and,
 * since 7.2, works out what each finds on the stack (compute_subprog_args()). What is left is what
 * the kernel would have left.
 */
#ifndef NVT_LOADER_PRUNE_H
#define NVT_LOADER_PRUNE_H

#include "lib/cli/common.h"

struct bpf_insn;

/*
 * An array of one value that nobody writes any more, and the descriptor by which programs address
 * it.
 */
struct prune_array {
	int fd;
	u32 size; /* bytes */
	const void *bytes;
};

#define PRUNE_GONE UINT32_MAX

/*
 * @insns: @n of them, as the kernel would get them. Drops those that are not reached where @arrays
 * hold what they hold, and jumps that lead nowhere but on. Returns how many are left: all, where
 * there is one that it does not know or no memory. moved[i], of @n elements, is where instruction i
 * is now, or what followed if it was a jump that was dropped; PRUNE_GONE: it is not reached.
 */
u32 prune(struct bpf_insn *insns, u32 n, const struct prune_array *arrays, u32 n_arrays,
	  u32 *moved);

#endif
