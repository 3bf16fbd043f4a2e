// SPDX-License-Identifier: GPL-2.0-or-later
/* Maps of a live run, for commands; nothing in replay. */
#include "lib/loader/loader.h"
#include "lib/session/impl.h"

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
