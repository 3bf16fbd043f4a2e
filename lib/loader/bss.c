// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Creates the arrays of sections that begin as zeroes. libbpf would copy the zeroes to each, though
 * a new array has them: three copies of the megabyte that queue info takes.
 */
#include "lib/loader/loader_impl.h"

#include <linux/bpf.h>
#include <unistd.h>

#include "lib/base/str.h"

int loader_array(const char *name, u32 bytes)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);

	return bpf_map_create(BPF_MAP_TYPE_ARRAY, name, sizeof(u32), bytes, 1, &opts);
}

/* Creates the map as libbpf would, but without its BTF type. */
static int make(struct bpf_map *map)
{
	int fd = loader_array(bpf_map__name(map), bpf_map__value_size(map)), err;

	if (fd < 0)
		return fd;
	err = bpf_map__reuse_fd(map, fd);
	close(fd);
	return err;
}

int loader_make_bss(struct loader *l)
{
	struct bpf_map *map;
	int err = 0;

	bpf_object__for_each_map(map, l->object) {
		if (!err && has_prefix(bpf_map__name(map), ".bss."))
			err = make(map);
	}
	return err;
}
