// SPDX-License-Identifier: GPL-2.0-or-later
/* Walks over a hash of the programs. */
#include <errno.h>
#include <stdlib.h>

#include "lib/loader/loader_impl.h"

/* The memory of a walk: two keys, one value. */
struct walk {
	char *key, *next, *value;
};

static int walk_open(struct walk *w, const struct bpf_map *map)
{
	w->key = calloc(2, bpf_map__key_size(map));
	w->next = w->key ? w->key + bpf_map__key_size(map) : NULL;
	w->value = malloc(bpf_map__value_size(map));
	return w->key && w->value ? 0 : -ENOMEM;
}

static void walk_close(struct walk *w)
{
	free(w->key < w->next ? w->key : w->next);
	free(w->value);
}

int loader_walk_map(struct loader *l, const char *name,
		    bool (*take)(void *ctx, const void *key, const void *value), void *ctx)
{
	struct bpf_map *map = loader_find_map(l, name);
	struct walk w = { 0 };
	int fd, err, end;
	char *swap;

	if (!map)
		return -ENOENT;
	fd = bpf_map__fd(map);
	err = walk_open(&w, map);
	end = err ? err : bpf_map_get_next_key(fd, NULL, w.key);
	while (!end) {
		/* The next key first: from a deleted one the kernel would begin anew. */
		end = bpf_map_get_next_key(fd, w.key, w.next);
		if (!bpf_map_lookup_elem(fd, w.key, w.value) && take(ctx, w.key, w.value))
			bpf_map_delete_elem(fd, w.key);
		swap = w.key;
		w.key = w.next;
		w.next = swap;
	}
	walk_close(&w);
	return err;
}

void loader_delete(struct loader *l, const char *name, const void *key)
{
	struct bpf_map *map = loader_find_map(l, name);

	if (map)
		bpf_map_delete_elem(bpf_map__fd(map), key);
}
