// SPDX-License-Identifier: GPL-2.0-or-later
/* Where libbpf finds the types of the running kernel. */
#ifndef NVT_LOADER_BTF_H
#define NVT_LOADER_BTF_H

struct bpf_insn;
struct bpf_object;
struct kernel_features;
struct btf_types;

/*
 * From now on @types, those of vmlinux, are what programs are relocated by; they are ours, also
 * when this fails. @facts: where programs attach to, and the kernel's functions that they call; to
 * stay until loader_btf_close(). 0 or -errno.
 */
int loader_btf_open(struct btf_types *types, const struct kernel_features *features);

/*
 * bpf_object_open_opts.btf_custom_path of each object, no file: the types by which the object that
 * loader_btf_object() named is relocated.
 */
#define LOADER_BTF_CUT "types"

/* The next load is of @object, which stays until then. After loader_btf_open(). */
void loader_btf_object(const struct bpf_object *object);

/*
 * The next load hands @edit each instruction of programs that are attached by BTF, right before the
 * kernel gets them.
 */
void loader_btf_edit(void (*edit)(struct bpf_insn *insn, void *arg), void *arg);

/*
 * Once programs are loaded, or will not be: gives back what loader_btf_open() took, if it was
 * called.
 */
void loader_btf_close(void);

#endif
