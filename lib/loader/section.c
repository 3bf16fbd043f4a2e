// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/loader/section.h"

#include <bpf/libbpf.h>
#include <errno.h>

#include "lib/base/err.h"

void *section_of_object(struct bpf_object *object, const char *name, size_t size)
{
	struct bpf_map *map = bpf_object__find_map_by_name(object, name);
	size_t found = 0;
	void *data = map ? (void *)bpf_map__initial_value(map, &found) : NULL;

	if (data && found == size)
		return data;
	fail(-EINVAL, NULL, NULL, "configuration of the program");
	return NULL;
}
