// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * How records leave for user space: the reader looks by itself several times a second and is woken
 * only in need.
 */
#ifndef NVT_RING_H
#define NVT_RING_H

#include "bpf/maps.h"

/* Records sent; CPUs may overwrite each other's count, which moves the next look a little. */
u32 sent SEC(".bss.sent");

/*
 * Sends @record of @ring. Every @every records it looks whether enough is there to wake the reader.
 */
static __always_inline void ring_submit(void *ring, void *record, u32 every)
{
	u64 flags = BPF_RB_NO_WAKEUP;

	if (!(++sent % every) && bpf_ringbuf_query(ring, BPF_RB_AVAIL_DATA) >= cfg.wakeup_bytes)
		flags = BPF_RB_FORCE_WAKEUP;
	bpf_ringbuf_submit(record, flags);
}

#endif
