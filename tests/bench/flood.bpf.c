// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Sends events of commands that no drive executed through the event buffer of trace: at each system
 * call as many as its number says, see flood.h. For rates that no drive of a test reaches.
 */
#include "bpf/event.h"
#include "tests/bench/flood_queue.bpf.h"

/* Fills in command number @n of this run: it reads or writes 4 KiB and takes 100 to 165 us. */
static __always_inline void flood_fill(struct event *ev, u64 n)
{
	__builtin_memset(ev, 0, sizeof(*ev));
	ev->kind = EVENT_IO;
	ev->ts_ns = bpf_ktime_get_ns();
	ev->submit_ns = ev->ts_ns - 100000 - (n * 7919 & 0xffff);
	ev->cdw[0] = n * 8;
	ev->cdw[2] = 7;
	ev->nsid = 1;
	ev->bytes = 4096;
	ev->pid = ev->tid = bpf_get_current_pid_tgid();
	ev->queue = FLOOD_QUEUE;
	ev->kstack_id = ev->ustack_id = -1;
	ev->qid = 1 + (n & 3);
	ev->tag = n & 0x3ff;
	ev->cid = n;
	ev->opcode = 1 + (n & 1);
	bpf_get_current_comm(ev->comm, sizeof(ev->comm));
}

static __always_inline void flood_event(void)
{
	u32 zero = 0;
	struct command_slot *f = bpf_map_lookup_elem(&command_slots, &zero);
	struct event *ev;

	if (!f)
		return;
	flood_account(f);
	ev = event_reserve(EVENT_IO, STAT_RING_FULL);
	if (!ev)
		return;
	flood_fill(ev, f->completes);
	event_submit(ev);
}

SEC("raw_tp/sys_enter")
int BPF_PROG(complete_raw, void *regs, long number)
{
	u64 n = flood_asked(number);

	for (u32 i = 0; i < FLOOD_EVENTS && i < n; i++)
		flood_event();
	return 0;
}
