// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Timeouts and resets as events. */
#ifndef NVT_TIMEOUT_EVENT_H
#define NVT_TIMEOUT_EVENT_H

#include "bpf/aer.h"
#include "bpf/timeout.h"

static __always_inline void on_timeout(const struct command *c)
{
	struct event *ev = event_reserve(EVENT_TIMEOUT, STAT_RING_FULL_EXTRA);

	if (!ev)
		return;
	event_from_queue(ev, c);
	event_without_completion(ev);
	if (c->slot) {
		if (c->slot->state & SLOT_FAST)
			fast_fill(c);
		event_from_slot(ev, c);
	} else {
		event_without_slot(ev);
		ev->flags |= EVENT_NO_SUBMIT;
	}
	ev->ts_ns = bpf_ktime_get_ns();
	event_submit(ev);
}

static __always_inline void on_reset(void *ctrl)
{
	event_of_ctrl(EVENT_RESET, ctrl, CTRL_RESETTING);
}

#endif
