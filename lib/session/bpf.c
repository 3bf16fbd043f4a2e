// SPDX-License-Identifier: GPL-2.0-or-later
/* What commands ask of their programs and maps; nothing in replay. */
#include "lib/loader/loader.h"
#include "lib/session/impl.h"

int session_rodata(struct session *s, const char *name, const void *data, size_t size)
{
	return s->loader ? loader_rodata(s->loader, name, data, size) : 0;
}

int session_size_map(struct session *s, const char *map, u32 value_size, u32 entries)
{
	return s->loader ? loader_size_map(s->loader, map, value_size, entries) : 0;
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

void session_probe(struct session *s, const char *const *functions, u32 n)
{
	s->probes = functions;
	s->n_probes = n;
}

u32 session_flip_bank(struct session *s)
{
	volatile struct control_view *control = loader_control(s->loader);
	u32 old = control->bank;

	control->bank = !old;
	loader_quiesce(s->loader);
	return old;
}

void session_admin(struct session *s)
{
	s->admin = true;
}

void session_max_inflight(struct session *s, u32 n)
{
	s->max_inflight = n + 1;
}

void session_plain(struct session *s)
{
	s->plain = true;
}

void session_no_events(struct session *s)
{
	s->no_events = true;
}

u32 session_ctrls(const struct session *s)
{
	return s->sysfs.n_ctrls;
}

u32 session_cpus(const struct session *s)
{
	return s->probe.cpus;
}
