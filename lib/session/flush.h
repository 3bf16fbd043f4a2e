// SPDX-License-Identifier: GPL-2.0-or-later
/* Flush requests of devices above NVMe namespaces: what user space adds to an EVENT_FLUSH. */
#ifndef NVT_SESSION_FLUSH_H
#define NVT_SESSION_FLUSH_H

#include "bpf/shared/wire.h"

struct filter;
struct session;
struct view;

struct flush_devices;
struct view_queue;

/*
 * Live: makes of @ev, as it was in the ring, an event as commands see it: names its device, and
 * says which counts are not known. False: the device is not above an NVMe namespace, or has gone,
 * which is counted as a loss; nothing more is done with it.
 */
bool session_flush_resolve(struct session *s, struct event *ev);

/* Live: the queue info that stands for the device of such an event; NULL: @index is of another. */
const struct queue_info *session_flush_queue(const struct session *s, u32 index);

/* Live: sets the names of such a device, as view_make() reads them. */
void session_flush_names(const struct session *s, u32 index, struct view_queue *queue);

/*
 * True if the selection, @f of the view's host, takes the flush. A device matches what one of its members matches; a flush
 * has an opcode, a size and a submitter, but no queue, no LBA and no status.
 */
bool session_takes_flush(const struct session *s, const struct filter *f, const struct view *v);

#endif
