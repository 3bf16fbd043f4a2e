// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The few types of the kernel that programs are relocated by, cut out of its BTF. libbpf looks
 * through all it is given for each structure that a program names, and vmlinux has more than 100
 * 000 types.
 */
#ifndef NVT_BTF_SUBSET_H
#define NVT_BTF_SUBSET_H

struct btf;
struct btf_types;

/*
 * A BTF that has from @kernel (vmlinux) each structure and union whose name one of @local (a
 * program's) has, "request" for "request___old", with all that lies within. What pointers lead to
 * is left out: a relocation does not follow them. Where @local has `enum kernel_type`, it is there
 * too: the value of KERNEL_TYPE_x is the number that struct x has in @kernel, 0 if it is not there.
 * The caller's to free by btf__free(); NULL with errno: no memory, or @kernel is broken.
 */
struct btf *btf_subset(const struct btf_types *kernel, const struct btf *local);

#endif
