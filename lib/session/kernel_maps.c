// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/session/kernel_maps.h"

#include <bpf/bpf.h>
#include <string.h>

#include "lib/loader/loader.h"
#include "lib/session/impl.h"

u32 session_ctrls(const struct session *s)
{
	return s->kernel.sysfs.n_ctrls;
}

void *session_map_memory(struct session *s, const char *map, size_t *size)
{
	return s->loader ? loader_memory(s->loader, map, size) : NULL;
}

int session_walk_map(struct session *s, const char *map,
		     bool (*take)(void *ctx, const void *key, const void *value), void *ctx)
{
	return s->loader ? loader_walk_map(s->loader, map, take, ctx) : 0;
}

void session_delete(struct session *s, const char *map, const void *key)
{
	loader_delete(s->loader, map, key);
}

void session_quiesce(struct session *s)
{
	loader_quiesce(s->loader);
}

u32 session_flip_bank(struct session *s)
{
	volatile struct control_view *control = loader_control(s->loader);
	u32 old = control->bank;

	control->bank = !old;
	session_quiesce(s);
	return old;
}

void session_busy_at(struct session *s, u32 level)
{
	if (s->loader)
		loader_control(s->loader)->busy = level;
}

void session_inflight(struct session *s,
		      void (*take)(void *ctx, const struct command_slot *slot, u32 queue, u32 tag),
		      void *ctx)
{
	if (s->loader)
		loader_inflight(s->loader, take, ctx);
}

u32 session_stack(struct session *s, s32 id, u64 frames[VIEW_FRAMES])
{
	bool spare = id >= WIRE_STACKS;
	u32 key = (u32)(spare ? id - WIRE_STACKS : id), n = 0;
	int map;

	if (id < 0)
		return 0;
	map = loader_map_fd(s->loader, spare ? "spare_stacks" : "stacks");
	memset(frames, 0, VIEW_FRAMES * sizeof(*frames));
	if (bpf_map_lookup_elem(map, &key, frames))
		return 0;
	while (n < VIEW_FRAMES && frames[n])
		n++;
	return n;
}
