// SPDX-License-Identifier: GPL-2.0-or-later
/* lib/loader/prune.h for programs that libbpf is about to load. */
#ifndef NVT_LOADER_PRUNE_OBJECT_H
#define NVT_LOADER_PRUNE_OBJECT_H

#include "lib/cli/common.h"

struct bpf_insn;
struct bpf_object;
struct bpf_prog_load_opts;

/*
 * Prunes @insns, @n of them, of a program of @object, whose maps are there and whose constants are
 * what bpf_map__initial_value() says, and what @opts says of where its functions are. That then
 * lies at *@functions, which begins as NULL: the caller's to free once the program is loaded, or to
 * hand in again. Returns how many instructions are left.
 */
u32 loader_prune(const struct bpf_object *object, struct bpf_insn *insns, u32 n,
		 struct bpf_prog_load_opts *opts, void **functions);

#endif
