// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Keeps events in time order: they stay in their slots, and a sorted queue of (time, slot) says
 * which is next.
 */
#include <errno.h>

#include "lib/base/str.h"
#include "lib/event/order.h"

#define FIRST_SLOTS 1024
#define NEAR	    16 /* places tried one by one, from the end, before a binary search */

struct key {
	u64 ts_ns;
	u32 slot;
};

struct order {
	order_fn *fn;
	void *arg;
	struct event *slots;
	u32 *unused; /* stack of slots without an event */
	struct key *keys; /* 2 * size places; keys[head .. tail) are sorted */
	u32 size, max, n_unused;
	u32 head, tail;
};

/*
 * Doubles the room. 0, or -ENOSPC when the bound or the memory is reached; all stays as it was
 * then.
 */
static int grow(struct order *o)
{
	u32 size = o->size ? o->size * 2 : FIRST_SLOTS;
	struct event *slots;
	struct key *keys;
	u32 *unused;

	if (size > o->max)
		size = o->max;
	if (size == o->size)
		return -ENOSPC;
	slots = realloc(o->slots, size * sizeof(*slots));
	if (slots)
		o->slots = slots;
	unused = realloc(o->unused, size * sizeof(*unused));
	if (unused)
		o->unused = unused;
	keys = realloc(o->keys, 2 * (size_t)size * sizeof(*keys));
	if (keys)
		o->keys = keys;
	if (!slots || !unused || !keys)
		return -ENOSPC;
	/* The lowest slot ends on top, so memory is used from its beginning. */
	for (u32 i = size; i > o->size; i--)
		o->unused[o->n_unused++] = i - 1;
	o->size = size;
	return 0;
}

struct order *order_new(u32 max_events, order_fn *fn, void *arg)
{
	struct order *o = calloc(1, sizeof(*o));

	if (!o)
		return NULL;
	o->fn = fn;
	o->arg = arg;
	o->max = max_events;
	if (max_events == 0 || grow(o)) {
		order_free(o);
		return NULL;
	}
	return o;
}

/* Returns where a key of @ts_ns belongs: behind all that are not later. */
static u32 place(const struct order *o, u64 ts_ns)
{
	u32 lo = o->head, hi = o->tail;

	for (u32 i = 0; i < NEAR; i++, hi--)
		if (hi == lo || o->keys[hi - 1].ts_ns <= ts_ns)
			return hi;
	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;

		if (o->keys[mid].ts_ns <= ts_ns)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Finds a free slot, by growing or by handing out the earliest event. */
static int make_room(struct order *o)
{
	const struct event *first;

	if (grow(o) == 0)
		return 0;
	if (!o->fn)
		return -ENOSPC;
	first = order_pop(o);
	return o->fn(o->arg, first);
}

int order_reserve(struct order *o, u32 n)
{
	int err = 0;

	while (!err && o->n_unused < n)
		err = grow(o);
	return err;
}

int order_add(struct order *o, const struct event *ev)
{
	int err = 0;
	u32 at, slot;

	if (o->n_unused == 0) {
		err = make_room(o);
		if (o->n_unused == 0)
			return err;
	}
	if (o->tail == 2 * o->size) {
		memmove(o->keys, o->keys + o->head, (o->tail - o->head) * sizeof(*o->keys));
		o->tail -= o->head;
		o->head = 0;
	}
	slot = o->unused[--o->n_unused];
	o->slots[slot] = *ev;
	at = place(o, ev->ts_ns);
	memmove(o->keys + at + 1, o->keys + at, (o->tail - at) * sizeof(*o->keys));
	o->keys[at] = (struct key){ ev->ts_ns, slot };
	o->tail++;
	return err;
}

const struct event *order_pop(struct order *o)
{
	u32 slot;

	if (o->head == o->tail)
		return NULL;
	slot = o->keys[o->head++].slot;
	if (o->head == o->tail)
		o->head = o->tail = 0;
	/* The slot is free at once, but nothing is written to it before the next call. */
	o->unused[o->n_unused++] = slot;
	return &o->slots[slot];
}

int order_release(struct order *o, u64 until_ns)
{
	while (o->head != o->tail && o->keys[o->head].ts_ns <= until_ns) {
		int err = o->fn(o->arg, order_pop(o));

		if (err)
			return err;
	}
	return 0;
}

u32 order_held(const struct order *o)
{
	return o->tail - o->head;
}

void order_free(struct order *o)
{
	if (!o)
		return;
	free(o->slots);
	free(o->unused);
	free(o->keys);
	free(o);
}
