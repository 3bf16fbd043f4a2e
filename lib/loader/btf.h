// SPDX-License-Identifier: GPL-2.0-or-later
/* Gives libbpf the types of the running kernel. */
#ifndef NVT_LOADER_BTF_H
#define NVT_LOADER_BTF_H

#include <stdbool.h>

struct bpf_insn;
struct bpf_object;
struct bpf_program;
struct kernel_features;
struct btf_types;

/*
 * From now on programs are relocated by @types, the types of vmlinux, of which this takes ownership
 * even if it fails. @features: the functions that programs attach to or call; it must stay until
 * loader_btf_close(). 0 or -errno.
 */
int loader_btf_open(struct btf_types *types, const struct kernel_features *features);

/*
 * The btf_custom_path of bpf_object_open_opts for each object. It is no file: it stands for the
 * types by which the object given to loader_btf_object() is relocated.
 */
#define LOADER_BTF_CUT "types"

/*
 * Names the object of the next load; it must stay until then. To be called after loader_btf_open().
 */
void loader_btf_object(const struct bpf_object *object);

/*
 * After a load of that object that failed: the program that the kernel refused, or for which
 * something was not found. NULL: it had not come to programs. libbpf itself does not tell.
 */
const struct bpf_program *loader_btf_loading(void);

/*
 * The next load calls @edit for each instruction of programs that are attached by BTF, right before
 * the kernel gets them.
 */
void loader_btf_edit(void (*edit)(struct bpf_insn *insn, void *arg), void *arg);

/*
 * To be called once programs are loaded, or will not be: releases what loader_btf_open() took, if
 * it was called.
 */
void loader_btf_close(void);

#endif
