// SPDX-License-Identifier: GPL-2.0-or-later
/* Sums up how long commands waited in the block layer, of those that tell. */
#ifndef NVT_EVENT_WAITS_H
#define NVT_EVENT_WAITS_H

#include "bpf/shared/wire.h"

struct waits {
	u64 count, wait_ns; /* from block layer entry to nvme_setup_cmd */
	u64 drive_ns; /* and from there to the completion */
};

static inline void waits_add(struct waits *w, const struct event *ev)
{
	if (ev->kind != EVENT_IO || !ev->queued_ns || ev->queued_ns > ev->submit_ns)
		return;
	w->count++;
	w->wait_ns += ev->submit_ns - ev->queued_ns;
	w->drive_ns += event_lat_ns(ev);
}

#endif
