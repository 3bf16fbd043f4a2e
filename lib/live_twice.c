// SPDX-License-Identifier: GPL-2.0-or-later
/* The programs a second time, on the same maps: for kernels that skip the first ones, see bpf/twice.h. */
#include "lib/live_impl.h"

#include <errno.h>

#include "lib/str.h"

/* The configuration is the one map that differs. */
static int set_cfg(struct bpf_map *map, struct bpf_map *first)
{
	struct prog_cfg cfg;
	size_t size;
	const void *from = bpf_map__initial_value(first, &size);

	if (!from || size != sizeof(cfg))
		return -EINVAL;
	memcpy(&cfg, from, size);
	cfg.twice = TWICE_SECOND;
	return bpf_map__set_initial_value(map, &cfg, sizeof(cfg));
}

/* Hooks whose second programs see whether the first have done the work; others would do it twice. */
static bool stands_in(const struct bpf_program *prog)
{
	static const char *const hooks[] = { "setup_", "complete_", "insert_",
					     "done_",  "entry_",    "stamp_" };
	u32 i = 0;

	while (i < ARRAY_SIZE(hooks) && !has_prefix(bpf_program__name(prog), hooks[i]))
		i++;
	return i < ARRAY_SIZE(hooks);
}

/* Both objects are of the same bytes, so their maps come in the same order. */
static int share_maps(const struct live *l)
{
	struct bpf_map *cfg = live_find_map(l, ".rodata.cfg");
	struct bpf_map *map = NULL, *first = NULL;
	int err = 0;

	while (!err && (first = bpf_object__next_map(l->object, first))) {
		map = bpf_object__next_map(l->second, map);
		err = first == cfg ? set_cfg(map, first)
				   : bpf_map__reuse_fd(map, bpf_map__fd(first));
	}
	return err;
}

int live_load_again(struct live *l)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "nvmetool");
	struct bpf_program *prog;
	int err;

	l->second = bpf_object__open_mem(l->bytes, l->n_bytes, &opts);
	if (!l->second)
		return -errno;
	bpf_object__for_each_program(prog, l->second) {
		const struct bpf_program *first =
			bpf_object__find_program_by_name(l->object, bpf_program__name(prog));

		bpf_program__set_autoload(prog,
					  first && bpf_program__autoload(first) && stands_in(prog));
	}
	err = share_maps(l);
	if (!err)
		err = bpf_object__load(l->second);
	return err;
}
