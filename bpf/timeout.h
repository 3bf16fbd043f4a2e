// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * The programs of timeouts and resets: functions of the driver, which have no tracepoint, so only
 * the BTF programs have a way in. An object that includes this says what is done, as
 * bpf/timeout_event.h does:
 *
 *   on_timeout()   the driver's timeout handler was called for a selected command: its queue is
 *                  there, its slot is NULL if the setup was not seen
 *   on_reset()     the controller began a reset
 */
#ifndef NVT_TIMEOUT_H
#define NVT_TIMEOUT_H

#include "bpf/fast.h"

#define CTRL_RESETTING 2 /* enum nvme_ctrl_state, the same from 5.10 to 7.2 */

static __always_inline void on_timeout(const struct command *c);
static __always_inline void on_reset(void *ctrl);

/* The driver's timeout handler: it may be called more than once for a command. */
static __always_inline void timeout_seen(struct command *c)
{
	c->info = queue_of_any(&c->rq);
	if (!c->info)
		return;
	c->slot = command_slot(c);
	if (c->slot && !(c->slot->state & SLOT_BUSY))
		c->slot = NULL;
	if (c->slot ? c->slot->state & SLOT_SELECTED : c->info->selected && !filter.any_submit)
		on_timeout(c);
}

/*
 * Each transport is a module with a handler of its own; those that are loaded have theirs in BTF.
 */
#define ON_TIMEOUT(transport, function)                                                            \
	SEC("fentry/" function)                                                                    \
	int BPF_PROG(timeout_##transport##_btf, struct request *request)                           \
	{                                                                                          \
		struct command c = { .rq = rq_rare(request) };                                     \
                                                                                                   \
		timeout_seen(&c);                                                                  \
		return 0;                                                                          \
	}

ON_TIMEOUT(pci, "nvme_timeout")
ON_TIMEOUT(tcp, "nvme_tcp_timeout")
ON_TIMEOUT(rdma, "nvme_rdma_timeout")
ON_TIMEOUT(fc, "nvme_fc_timeout")

/* The function returns bool: its low byte alone is defined. */
SEC("fexit/nvme_change_ctrl_state")
int BPF_PROG(reset_btf, void *ctrl, u32 state, u64 changed)
{
	if (changed & 0xff && state == CTRL_RESETTING)
		on_reset(ctrl);
	return 0;
}

#endif
