// SPDX-License-Identifier: GPL-2.0-or-later
/* Turns records of bpf/trace.bpf.c into events, for `trace` and `record`. */
#ifndef NVT_SESSION_UNPACK_H
#define NVT_SESSION_UNPACK_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/types.h"

struct command_slot;
struct event;
struct queue_info;
struct session;
struct trace_fast_record;

/* Serves as unpack() of struct cmd. */
bool trace_unpack(struct session *s, struct event *ev, const void *record, size_t size);

/* Makes *@ev from a whole record. False: it is shorter than any. */
bool event_unpack(struct event *ev, const void *record, size_t size);

/*
 * Makes *@ev, an EVENT_INFLIGHT without a time, from the slot of a command in flight. @needs: what the
 * programs note in slots, bits of enum need.
 */
void trace_unpack_slot(struct event *ev, const struct command_slot *slot,
		       const struct queue_info *queue, u32 tag, u32 needs);

/* Makes *@ev from a record of the fast path, of queue @queue. */
void trace_unpack_fast(struct event *ev, const struct trace_fast_record *r,
		       const struct queue_info *queue);

#endif
