// SPDX-License-Identifier: GPL-2.0-or-later
/* Turns records of bpf/trace.bpf.c into events, for `trace` and `record`. */
#ifndef NVT_SESSION_UNPACK_H
#define NVT_SESSION_UNPACK_H

#include <stdbool.h>
#include <stddef.h>

struct event;
struct queue_info;
struct session;
struct trace_fast_record;

/* Serves as unpack() of struct cmd. */
bool trace_unpack(struct session *s, struct event *ev, const void *record, size_t size);

/* Makes *@ev from a whole record. False: it is shorter than any. */
bool event_unpack(struct event *ev, const void *record, size_t size);

/* Makes *@ev from a record of the fast path, of queue @queue. */
void trace_unpack_fast(struct event *ev, const struct trace_fast_record *r,
		       const struct queue_info *queue);

#endif
