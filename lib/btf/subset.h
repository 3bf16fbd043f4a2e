// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Cuts out of the kernel's BTF the few types that programs are relocated by. libbpf searches all
 * that it is given for each structure that a program names, and vmlinux has more than 100 000
 * types.
 */
#ifndef NVT_BTF_SUBSET_H
#define NVT_BTF_SUBSET_H

struct btf;
struct btf_types;

/*
 * Returns a BTF with each structure and union of @kernel (vmlinux) whose name occurs in @local (a
 * program's BTF; "request" for "request___old"), with all types that lie inside it. The targets of
 * pointers are left out: relocations do not follow them. If @local has `enum kernel_type`, the
 * result has it too: the value of KERNEL_TYPE_x is the id of struct x in @kernel, 0 if it is not
 * there. The caller frees it with btf__free(). NULL with errno: no memory, or @kernel is broken.
 */
struct btf *btf_subset(const struct btf_types *kernel, const struct btf *local);

#endif
