// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Events of controllers: the programs of nvme_async_event, and what other such events share with
 * them.
 */
#ifndef NVT_AER_H
#define NVT_AER_H

#include "bpf/event.h"

/* Asynchronous events and resets have no request: the driver gives the controller and a number. */
static __always_inline void event_of_ctrl(u8 kind, void *ctrl, u32 result)
{
	struct event *ev = event_reserve(kind, STAT_RING_FULL_EXTRA);

	if (!ev)
		return;
	event_without_slot(ev);
	event_without_completion(ev);
	ev->ts_ns = bpf_ktime_get_ns();
	ev->result = result;
	ev->queue = 0;
	ev->qid = ev->tag = 0;
	ev->outcome = ev->block_error = 0;
	ev->flags = EVENT_ADMIN;
	ev->nsid = ctrl_instance(ctrl);
	event_submit(ev);
}

SEC("tp_btf/nvme_async_event")
int BPF_PROG(aer_btf, void *ctrl, u32 result)
{
	if (ctrl)
		event_of_ctrl(EVENT_AER, ctrl, result);
	return 0;
}

SEC("raw_tp/nvme_async_event")
int BPF_PROG(aer_raw, void *ctrl, u32 result)
{
	event_of_ctrl(EVENT_AER, ctrl, result);
	return 0;
}

#endif
