// SPDX-License-Identifier: GPL-2.0-or-later
/* Holds hits for a while, and sorts them. */
#include "cmd/spdk/hold.h"

#include <errno.h>

#include "lib/base/array.h"
#include "lib/base/str.h"

struct spdk_held {
	struct spdk_hit hit; /* its strings by place in `bytes`, see at */
	u32 number; /* order of coming */
	size_t at[USDT_ARGS]; /* 1 + place of a string; 0: none */
};

static bool make_room(struct spdk_hold *h, size_t bytes)
{
	size_t size = 2 * (h->used + bytes) + 4096;
	void *more;

	if (!array_grow((void **)&h->held, h->n, &h->room, sizeof(*h->held)))
		return false;
	if (h->used + bytes <= h->size)
		return true;
	more = realloc(h->bytes, size);
	if (!more)
		return false;
	h->bytes = more;
	h->size = size;
	return true;
}

int spdk_hold_add(struct spdk_hold *h, const struct spdk_hit *hit)
{
	struct spdk_held *held;
	size_t room = 0;

	for (u32 i = 0; i < USDT_ARGS; i++)
		room += hit->text[i] ? strlen(hit->text[i]) + 1 : 0;
	if (!make_room(h, room))
		return -ENOMEM;
	held = &h->held[h->n];
	*held = (struct spdk_held){ .hit = *hit, .number = h->n };
	h->n++;
	for (u32 i = 0; i < USDT_ARGS; i++) {
		size_t bytes = hit->text[i] ? strlen(hit->text[i]) + 1 : 0;

		if (!bytes)
			continue;
		memcpy(h->bytes + h->used, hit->text[i], bytes);
		held->at[i] = h->used + 1;
		h->used += bytes;
	}
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct spdk_held *x = a, *y = b;

	if (x->hit.ts_ns != y->hit.ts_ns)
		return x->hit.ts_ns < y->hit.ts_ns ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* The hit, with its strings where they lie now. */
static struct spdk_hit *hit_of(const struct spdk_hold *h, u32 i)
{
	struct spdk_held *held = &h->held[i];

	for (u32 k = 0; k < USDT_ARGS; k++)
		held->hit.text[k] = held->at[k] ? (char *)h->bytes + held->at[k] - 1 : NULL;
	return &held->hit;
}

/* Moves the hits from @from on to the front of the memory. */
static void keep_rest(struct spdk_hold *h, u32 from)
{
	u32 n = h->n - from;
	struct spdk_hold rest = { 0 };

	if (!from)
		return;
	memmove(h->held, h->held + from, n * sizeof(*h->held));
	h->n = n;
	if (!n) {
		h->used = 0;
		return;
	}
	for (u32 i = 0; i < n; i++) {
		if (spdk_hold_add(&rest, hit_of(h, i))) { /* it stays where it is */
			spdk_hold_free(&rest);
			return;
		}
	}
	spdk_hold_free(h);
	*h = rest;
}

void spdk_hold_release(struct spdk_hold *h, u64 until_ns,
		       void (*take)(void *arg, const struct spdk_hit *hit), void *arg)
{
	u32 i;

	if (!h->n)
		return;
	qsort(h->held, h->n, sizeof(*h->held), compare);
	for (i = 0; i < h->n && h->held[i].hit.ts_ns <= until_ns; i++)
		take(arg, hit_of(h, i));
	keep_rest(h, i);
}

void spdk_hold_free(struct spdk_hold *h)
{
	free(h->held);
	free(h->bytes);
	*h = (struct spdk_hold){ 0 };
}
