// SPDX-License-Identifier: GPL-2.0-or-later
/* Where libbpf finds the types of the running kernel. */
#ifndef NVT_LIVE_BTF_H
#define NVT_LIVE_BTF_H

struct bpf_program;
struct btf;
struct btf_facts;

/*
 * From now on DIR/vmlinux is it; NULL: /sys/kernel/btf. @types: what was read there already, or NULL; the next load takes
 * it, until then it is ours. @facts: where programs attach to. @dir and @facts must stay until live_btf_close(). 0 or
 * -errno.
 */
int live_btf_open(const char *dir, struct btf *types, const struct btf_facts *facts);

/* bpf_object_open_opts.btf_custom_path of each object, no file: the types that live_btf_local() makes it be relocated by. */
#define LIVE_BTF_CUT "types"

/* The next load is of an object with types @local, which stay until then. After live_btf_open(). */
void live_btf_local(const struct btf *local);

/* The next load calls @prepare for each program that is attached by BTF, right before the kernel gets it. 0 or -errno. */
void live_btf_prepare(int (*prepare)(struct bpf_program *prog, void *arg), void *arg);

/* Once programs are loaded, or will not be: gives back what live_btf_open() took, if it was called. */
void live_btf_close(void);

#endif
