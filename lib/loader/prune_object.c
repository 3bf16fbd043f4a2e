// SPDX-License-Identifier: GPL-2.0-or-later
/* What is constant are the sections ".rodata.NAME", frozen once they are made. */
#include "lib/loader/prune_object.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/str.h"
#include "lib/loader/prune.h"

#define ARRAYS 8

static u32 constants(const struct bpf_object *object, struct prune_array *arrays)
{
	struct bpf_map *map;
	u32 n = 0;

	bpf_object__for_each_map(map, object) {
		size_t size;
		const void *bytes = bpf_map__initial_value(map, &size);

		if (has_prefix(bpf_map__name(map), ".rodata.") && bytes && n < ARRAYS)
			arrays[n++] = (struct prune_array){ bpf_map__fd(map), (u32)size, bytes };
	}
	return n;
}

/* Writes to @to what @opts says of functions: of those that are left, where they are now. */
static void move_functions(struct bpf_prog_load_opts *opts, const u32 *moved, u8 *to)
{
	u32 bytes = opts->func_info_rec_size, n = 0;
	const u8 *from = opts->func_info;

	opts->func_info = to;
	for (u32 i = 0; i < opts->func_info_cnt; i++, from += bytes) {
		struct bpf_func_info info;

		memcpy(&info, from, sizeof(info));
		info.insn_off = moved[info.insn_off];
		if (info.insn_off != PRUNE_GONE)
			memcpy(to + (size_t)bytes * n++, &info, sizeof(info));
	}
	opts->func_info_cnt = n;
}

u32 loader_prune(const struct bpf_object *object, struct bpf_insn *insns, u32 n,
		 struct bpf_prog_load_opts *opts, void **functions)
{
	u32 bytes = opts->func_info_rec_size * opts->func_info_cnt;
	struct prune_array arrays[ARRAYS];
	u32 *moved = calloc(n, sizeof(*moved));
	u8 *to = realloc(*functions, bytes + 1UL);

	if (to)
		*functions = to;
	if (moved && to) {
		n = prune(insns, n, arrays, constants(object, arrays), moved);
		move_functions(opts, moved, to);
	}
	free(moved);
	return n;
}
