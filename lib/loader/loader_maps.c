// SPDX-License-Identifier: GPL-2.0-or-later
/* The maps of an object: their sizes and first values before load, their memory after. */
#include "lib/loader/loader_impl.h"

#include <sys/mman.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/base/str.h"

#define NAME_CUT 15 /* BPF_OBJ_NAME_LEN - 1: names of sections are cut there */

struct bpf_map *loader_find_map(const struct loader *l, const char *name)
{
	struct bpf_map *map;

	bpf_object__for_each_map(map, l->object) {
		const char *whole = bpf_map__name(map);

		if (streq(whole, name) || (strlen(whole) == NAME_CUT && has_prefix(name, whole)))
			return map;
	}
	return NULL;
}

void *loader_section(const struct loader *l, const char *name, size_t *size)
{
	struct bpf_map *map = loader_find_map(l, name);

	return map ? (void *)bpf_map__initial_value(map, size) : NULL;
}

int loader_rodata(struct loader *l, const char *name, const void *data, size_t size)
{
	size_t there = 0;
	void *to = loader_section(l, name, &there);

	if (!to || there != size)
		return fail(
			-EINVAL,
			"its size differs from that in this binary; this is a fault of the build",
			NULL, "section %s of the program", name);
	memcpy(to, data, size);
	return 0;
}

int loader_size_map(struct loader *l, const char *name, u32 value_size, u32 entries)
{
	struct bpf_map *map = loader_find_map(l, name);
	int err = map ? 0 : -ENOENT;

	if (!err && value_size)
		err = bpf_map__set_value_size(map, value_size);
	if (!err)
		err = bpf_map__set_max_entries(map, entries);
	return err ? fail(err, NULL, NULL, "size of map '%s'", name) : 0;
}

size_t loader_map_bytes(const struct bpf_map *map)
{
	return (((size_t)bpf_map__value_size(map) + 7) & ~(size_t)7) * bpf_map__max_entries(map);
}

/* The descriptor by which the memory of @map is had; it stays with the loader. */
static int memory_fd(const struct loader *l, const struct bpf_map *map)
{
	for (u32 i = 0; i < l->n_flat; i++) {
		if (map == l->flat[i].map)
			return l->flat[i].array;
	}
	return bpf_map__fd(map);
}

static void *map_array(struct loader *l, struct bpf_map *map, size_t *size)
{
	size_t bytes = loader_map_bytes(map);
	size_t page = sysconf(_SC_PAGESIZE);
	void *memory;

	*size = bytes;
	bytes = (bytes + page - 1) & ~(page - 1);
	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory_fd(l, map), 0);
	if (memory == MAP_FAILED)
		return NULL;
	l->mapping[l->n_mappings++] = (struct loader_mapping){ map, memory, *size };
	return memory;
}

void *loader_memory(struct loader *l, const char *name, size_t *size)
{
	struct bpf_map *map = loader_find_map(l, name);

	for (u32 i = 0; i < l->n_mappings; i++) {
		if (l->mapping[i].map == map) {
			*size = l->mapping[i].size;
			return l->mapping[i].memory;
		}
	}
	if (!map || l->n_mappings == ARRAY_SIZE(l->mapping))
		return NULL;
	return map_array(l, map, size);
}

int loader_map_fd(const struct loader *l, const char *name)
{
	struct bpf_map *map = loader_find_map(l, name);

	return map ? bpf_map__fd(map) : -1;
}

const struct queue_info *loader_queue(struct loader *l, u32 index)
{
	return l->queues && index < WIRE_QUEUES ? &l->queues[index] : NULL;
}

volatile struct control_view *loader_control(struct loader *l)
{
	size_t size;

	return loader_memory(l, ".bss.control", &size);
}

u64 loader_stat(struct loader *l, enum stat_id id)
{
	size_t size;
	const volatile u64 *stats = loader_memory(l, ".bss.stats", &size);

	return stats && id < size / sizeof(*stats) ? stats[id] : 0;
}
