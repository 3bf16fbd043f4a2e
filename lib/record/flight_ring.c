// SPDX-License-Identifier: GPL-2.0-or-later
/* Blocks in memory: a list, bounded by its bytes. */
#include "lib/record/flight_ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void record_ring_open(struct record_ring *r, u64 max_bytes)
{
	*r = (struct record_ring){ .tail = &r->first, .max_bytes = max_bytes };
}

static u64 cost(const struct record_kept *k)
{
	return sizeof(*k) + k->size_bytes;
}

static void drop(struct record_ring *r, struct record_kept **at)
{
	struct record_kept *k = *at;

	if (k->kind == RECORD_EVENTS)
		r->gone_ns = k->last_ns;
	r->bytes -= cost(k);
	*at = k->next;
	if (r->tail == &k->next)
		r->tail = at;
	free(k);
}

/* Drops dictionaries in front of which no event block of their generation is left. */
static void drop_unused(struct record_ring *r)
{
	const struct record_kept *k = r->first;
	u32 generation;

	while (k && k->kind != RECORD_EVENTS)
		k = k->next;
	generation = k ? k->generation : r->generation;
	while (r->first && r->first->generation < generation)
		drop(r, &r->first);
}

/* Drops the oldest event block; false: there is none. */
static bool drop_oldest(struct record_ring *r)
{
	struct record_kept **at = &r->first;

	while (*at && (*at)->kind != RECORD_EVENTS)
		at = &(*at)->next;
	if (!*at)
		return false;
	drop(r, at);
	drop_unused(r);
	return true;
}

int record_ring_add(struct record_ring *r, const struct record_kept *about, const u8 *block)
{
	u64 bytes = cost(about);
	struct record_kept *k;

	while (r->bytes + bytes > r->max_bytes && drop_oldest(r))
		;
	k = malloc(bytes);
	if (!k)
		return -ENOMEM;
	*k = *about;
	memcpy(k->data, block, about->size_bytes);
	k->next = NULL;
	k->generation = r->generation;
	*r->tail = k;
	r->tail = &k->next;
	r->bytes += bytes;
	r->dict_bytes += k->kind == RECORD_EVENTS ? 0 : bytes;
	return 0;
}

bool record_ring_is_stale(const struct record_ring *r)
{
	return r->dict_bytes > r->max_bytes / 4;
}

void record_ring_renew(struct record_ring *r)
{
	while (r->first && r->first->generation != r->generation)
		drop(r, &r->first);
	r->generation++;
	r->dict_bytes = 0;
}

void record_ring_close(struct record_ring *r)
{
	while (r->first)
		drop(r, &r->first);
}
