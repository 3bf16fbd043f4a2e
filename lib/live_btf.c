// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libbpf 1.1 takes a custom path for field relocations alone; programs of BTF and kernel functions want
 * /sys/kernel/btf/vmlinux, which a container may not have. So the linker puts our function in place of the
 * one that loads it (--wrap, lib/deps/deps.mk).
 */
#include "lib/live_btf.h"

#include <bpf/btf.h>
#include <limits.h>
#include <stdio.h>

/* libbpf's function takes no argument: settings of the process, as libbpf's own are. */
static const char *btf_dir;
static struct btf *btf_types;

struct btf *__wrap_btf__load_vmlinux_btf(void);
struct btf *__real_btf__load_vmlinux_btf(void) __attribute__((weak)); /* no --wrap in unit tests */

struct btf *__wrap_btf__load_vmlinux_btf(void)
{
	struct btf *types = btf_types;
	char path[PATH_MAX];

	btf_types = NULL;
	if (types)
		return types;
	if (!btf_dir)
		return __real_btf__load_vmlinux_btf();
	snprintf(path, sizeof(path), "%s/vmlinux", btf_dir);
	return btf__parse(path, NULL);
}

void live_btf_set(const char *dir, struct btf *types)
{
	btf__free(btf_types);
	btf_types = types;
	btf_dir = dir;
}
