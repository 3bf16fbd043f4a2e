// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Puts events that several CPUs wrote into time order: they arrive nearly sorted, are held for a
 * while and handed out by time. Events of equal time stay in the order they came in. Memory is
 * bounded and nothing is allocated per event. An event costs the same however many are held; one
 * that comes behind many later ones costs their logarithm.
 */
#ifndef NVT_EVENT_ORDER_H
#define NVT_EVENT_ORDER_H

#include "bpf/shared/wire.h"

struct order;

/* Takes an event that is next in order; valid during the call. 0, or a negative number to stop. */
typedef int order_fn(void *arg, const struct event *ev);

/*
 * Makes room for a few events; grows by doubling up to @max_events, then hands out the earliest one
 * for each that comes in. @fn gets the events; NULL when they are taken by order_pop(). NULL: no
 * memory.
 */
struct order *order_new(u32 max_events, order_fn *fn, void *arg);

/*
 * Copies @ev in. 0, what @fn returned when it had to be called early, or without @fn: -ENOSPC when
 * @max_events are held (or there is no memory for more), nothing was taken then.
 */
int order_add(struct order *o, const struct event *ev);

/* Makes sure that the next @n additions find room without handing anything out. 0 or -ENOSPC. */
int order_reserve(struct order *o, u32 n);

/*
 * Hands out every event with ts_ns <= @until_ns. 0, or what @fn returned to stop (that event is
 * gone).
 */
int order_release(struct order *o, u64 until_ns);

/* The earliest event, taken out; valid until the next call. NULL: none is held. */
const struct event *order_pop(struct order *o);

void order_free(struct order *o); /* NULL is allowed */

#endif
