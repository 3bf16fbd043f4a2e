// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tables of plain programs. An array of one value is reached by its address, one of many by a lookup, which takes eight
 * instructions more. libbpf 1.1 makes arrays of one value of sections alone, as large as they are in the object. So
 * where plain programs will run, an array of our own takes the place of table NAME, as large, and that of section
 * ".bss.NAME" in what programs address.
 */
#include "lib/live_impl.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/live_btf.h"
#include "lib/str.h"

static const struct {
	const char *name, *section;
} tables[LIVE_FLAT] = {
	{ "flights", ".bss.flights" },
	{ "cells", ".bss.cells" },
};

size_t live_map_bytes(const struct bpf_map *map)
{
	return (((size_t)bpf_map__value_size(map) + 7) & ~(size_t)7) * bpf_map__max_entries(map);
}

/* Makes it. Without privileges this is the first thing to fail. */
static int make(struct live *l, u32 table)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	struct bpf_map *map = live_find_map(l, tables[table].name);
	size_t bytes = map ? live_map_bytes(map) : 0;
	int fd;

	if (!map)
		return 0;
	if (bytes > INT32_MAX)
		return -E2BIG;
	fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, tables[table].name, sizeof(u32), (u32)bytes, 1,
			    &opts);
	if (fd < 0)
		return fd;
	l->flat[l->n_flat++] = fd;
	return bpf_map__set_autocreate(map, false);
}

/* Has @insn, where it loads an address of section @from, load that of the array @to. */
static void redirect(struct bpf_insn *insn, int from, int to)
{
	if (insn->code == (BPF_LD | BPF_IMM | BPF_DW) && insn->src_reg == BPF_PSEUDO_MAP_VALUE &&
	    insn->imm == from)
		insn->imm = to;
}

/* Of a program that is about to be loaded: its maps are there, and their descriptors in it. */
static int redirect_all(struct bpf_program *prog, void *live)
{
	size_t n = bpf_program__insn_cnt(prog);
	const struct live *l = live;
	struct bpf_insn *insns = malloc(n * sizeof(*insns));
	int err;

	if (!insns)
		return -ENOMEM;
	memcpy(insns, bpf_program__insns(prog), n * sizeof(*insns));
	for (u32 table = 0; table < l->n_flat; table++) {
		int from = live_map_fd(l, tables[table].section);

		for (size_t i = 0; i < n; i++)
			redirect(&insns[i], from, l->flat[table]);
	}
	err = bpf_program__set_insns(prog, insns, n);
	free(insns);
	return err;
}

int live_flatten(struct live *l)
{
	int err = 0;

	for (u32 i = 0; !err && i < LIVE_FLAT; i++)
		err = make(l, i);
	live_btf_prepare(redirect_all, l);
	return err;
}

int live_memory_fd(const struct live *l, const struct bpf_map *map)
{
	for (u32 i = 0; i < l->n_flat; i++) {
		if (streq(bpf_map__name(map), tables[i].name))
			return l->flat[i];
	}
	return bpf_map__fd(map);
}

void live_flat_close(struct live *l)
{
	while (l->n_flat)
		close(l->flat[--l->n_flat]);
}
