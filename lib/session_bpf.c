// SPDX-License-Identifier: GPL-2.0-or-later
/* What commands ask of their programs and maps; nothing in replay. */
#include "lib/live.h"
#include "lib/session_impl.h"

int session_rodata(struct session *s, const char *name, const void *data, size_t size)
{
	return s->live ? live_rodata(s->live, name, data, size) : 0;
}

int session_size_map(struct session *s, const char *map, u32 value_size, u32 entries)
{
	return s->live ? live_size_map(s->live, map, value_size, entries) : 0;
}

void *session_map_memory(struct session *s, const char *map, size_t *size)
{
	return s->live ? live_memory(s->live, map, size) : NULL;
}

int session_walk_map(struct session *s, const char *map,
		     bool (*take)(void *ctx, const void *key, const void *value), void *ctx)
{
	return s->live ? live_walk_map(s->live, map, take, ctx) : 0;
}

void session_probe(struct session *s, const char *const *functions, u32 n)
{
	s->probes = functions;
	s->n_probes = n;
}

u32 session_flip_bank(struct session *s)
{
	volatile struct control_view *control = live_control(s->live);
	u32 old = control->bank;

	control->bank = !old;
	live_quiesce(s->live);
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
