// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Keeps events in time order: they stay in their slots, and keys say which is next. Keys of events
 * that come nearly in order are in a sorted queue. Keys of events far behind, as submissions are that
 * a replay derives from completions, are in a heap. The next event is the first of the queue or the
 * first of the heap, whichever is earlier.
 */
#include <errno.h>

#include "lib/base/str.h"
#include "lib/event/order.h"

#define FIRST_SLOTS 1024
#define NEAR	    16 /* places from the end of the queue where a key may be put in */

struct key {
	u64 ts_ns;
	u32 slot;
	u32 number; /* of the addition: tells which of two of the same time came first */
};

struct order {
	order_fn *fn;
	void *arg;
	struct event *slots;
	u32 *unused; /* stack of slots without an event */
	struct key *keys; /* 2 * size places; keys[head .. tail) are sorted */
	struct key *late; /* a heap: the key at (i - 1) / 2 is before the one at i */
	u32 size, max, n_unused;
	u32 head, tail, n_late;
	u32 added; /* numbers of additions: they wrap, is_before() looks at the distance only */
};

/*
 * Doubles the room. 0, or -ENOSPC when the bound or the memory is reached; all stays as it was
 * then.
 */
static int grow(struct order *o)
{
	u32 size = o->size ? o->size * 2 : FIRST_SLOTS;
	struct event *slots;
	struct key *keys, *late;
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
	late = realloc(o->late, size * sizeof(*late));
	if (late)
		o->late = late;
	if (!slots || !unused || !keys || !late)
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

static bool is_before(const struct key *a, const struct key *b)
{
	return a->ts_ns != b->ts_ns ? a->ts_ns < b->ts_ns : (s32)(a->number - b->number) < 0;
}

/* Puts a key into the queue, if its place is near the end. False: it is not. */
static bool queue_add(struct order *o, const struct key *key)
{
	u32 at = o->tail;

	while (at > o->head && o->tail - at < NEAR && is_before(key, &o->keys[at - 1]))
		at--;
	if (at > o->head && is_before(key, &o->keys[at - 1]))
		return false;
	if (o->tail == 2 * o->size) {
		memmove(o->keys, o->keys + o->head, (o->tail - o->head) * sizeof(*o->keys));
		at -= o->head;
		o->tail -= o->head;
		o->head = 0;
	}
	memmove(o->keys + at + 1, o->keys + at, (o->tail - at) * sizeof(*o->keys));
	o->keys[at] = *key;
	o->tail++;
	return true;
}

static void late_add(struct order *o, const struct key *key)
{
	u32 at = o->n_late++;

	for (; at && is_before(key, &o->late[(at - 1) / 2]); at = (at - 1) / 2)
		o->late[at] = o->late[(at - 1) / 2];
	o->late[at] = *key;
}

/* Takes the first key out of the heap. */
static void late_pop(struct order *o)
{
	const struct key *last = &o->late[--o->n_late];
	u32 at = 0, below;

	while ((below = 2 * at + 1) < o->n_late) {
		if (below + 1 < o->n_late && is_before(&o->late[below + 1], &o->late[below]))
			below++;
		if (!is_before(&o->late[below], last))
			break;
		o->late[at] = o->late[below];
		at = below;
	}
	o->late[at] = *last;
}

/* The key of the earliest event; NULL: none is held. */
static const struct key *first_key(const struct order *o)
{
	const struct key *first = o->head != o->tail ? &o->keys[o->head] : NULL;

	if (o->n_late && (!first || is_before(&o->late[0], first)))
		first = &o->late[0];
	return first;
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
	struct key key = { .ts_ns = ev->ts_ns };
	int err = 0;

	if (o->n_unused == 0) {
		err = make_room(o);
		if (o->n_unused == 0)
			return err;
	}
	key.slot = o->unused[--o->n_unused];
	key.number = o->added++;
	o->slots[key.slot] = *ev;
	if (!queue_add(o, &key))
		late_add(o, &key);
	return err;
}

const struct event *order_pop(struct order *o)
{
	const struct key *first = first_key(o);
	u32 slot;

	if (!first)
		return NULL;
	slot = first->slot;
	if (first == o->late)
		late_pop(o);
	else
		o->head++;
	if (o->head == o->tail)
		o->head = o->tail = 0;
	/* The slot is free at once, but nothing is written to it before the next call. */
	o->unused[o->n_unused++] = slot;
	return &o->slots[slot];
}

int order_release(struct order *o, u64 until_ns)
{
	const struct key *first;

	while ((first = first_key(o)) && first->ts_ns <= until_ns) {
		int err = o->fn(o->arg, order_pop(o));

		if (err)
			return err;
	}
	return 0;
}

void order_free(struct order *o)
{
	if (!o)
		return;
	free(o->slots);
	free(o->unused);
	free(o->keys);
	free(o->late);
	free(o);
}
