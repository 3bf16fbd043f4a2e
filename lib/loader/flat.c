// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tables of the fast path. An array of one value is reached by its address, an array of many by a
 * lookup, which takes eight instructions more. libbpf 1.1 makes arrays of one value only of
 * sections, in the size that they have in the object. So where the fast path is taken, we create an
 * array of one value as large as table NAME. It takes the place of NAME, and the programs address
 * it in place of section ".bss.NAME".
 *
 * libbpf 1.5 (Debian 13) lets a section have another size before load, so this file could go.
 * We keep libbpf 1.1 because the edit of instructions would stay: a call of bpf_rdonly_cast() still
 * is ours to resolve, and libbpf 1.5 marks such a call by a number that is private to it. Its
 * glob_match() collides with ours, the binary would have 1 075 KB, more than 1 MiB, and a machine
 * with Debian 12 would fetch sources of another release.
 */
#include "lib/loader/loader_impl.h"

#include <errno.h>
#include <linux/bpf.h>
#include <unistd.h>

#include "lib/loader/btf.h"

static const struct {
	const char *name, *section;
} tables[LOADER_FLAT] = {
	{ "command_slots", ".bss.slots" },
	{ "cells", ".bss.cells" },
};

static int make(struct loader *l, u32 table)
{
	struct bpf_map *map = loader_find_map(l, tables[table].name);
	size_t bytes = map ? loader_map_bytes(map) : 0;
	int fd;

	if (!map)
		return 0;
	if (bytes > INT32_MAX)
		return -E2BIG;
	fd = loader_array(tables[table].name, (u32)bytes);
	if (fd < 0)
		return fd;
	l->flat[l->n_flat++] =
		(struct loader_flat){ map, loader_map_fd(l, tables[table].section), -1, fd };
	return bpf_map__set_autocreate(map, false);
}

/*
 * Redirects an instruction of a program that is about to be loaded: its maps exist by then, and the
 * instruction has their descriptors.
 */
static void redirect(struct bpf_insn *insn, void *loader)
{
	const struct loader *l = loader;

	if (insn->code != (BPF_LD | BPF_IMM | BPF_DW) || insn->src_reg != BPF_PSEUDO_MAP_VALUE)
		return;
	for (u32 i = 0; i < l->n_flat; i++) {
		if (insn->imm == l->flat[i].section || insn->imm == l->flat[i].backup_section) {
			insn->imm = l->flat[i].array;
			return;
		}
	}
}

int loader_flatten(struct loader *l)
{
	int err = 0;

	for (u32 i = 0; !err && i < LOADER_FLAT; i++)
		err = make(l, i);
	loader_btf_edit(redirect, l);
	return err;
}

void loader_flat_backups(struct loader *l, const struct bpf_map *first, const struct bpf_map *map)
{
	for (u32 i = 0; i < l->n_flat; i++) {
		if (bpf_map__fd(first) == l->flat[i].section)
			l->flat[i].backup_section = bpf_map__fd(map);
	}
}

void loader_flat_close(struct loader *l)
{
	while (l->n_flat)
		close(l->flat[--l->n_flat].array);
}
