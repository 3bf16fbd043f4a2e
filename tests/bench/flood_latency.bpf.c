// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Sums up commands that no drive executed as latency does: at each system call as many as its
 * number says, see flood.h. It replaces the programs of latency that the driver's tracepoints call.
 */
#define setup_raw    setup_of_latency
#define complete_raw complete_of_latency
/* NOLINTNEXTLINE(bugprone-suspicious-include): all of latency but one program */
#include "bpf/latency.bpf.c"
#undef complete_raw
#include "tests/bench/flood_queue.bpf.h"

/* Adds a write of 100 us. */
static __always_inline void flood_sample(struct command_slot *f)
{
	struct command c = { .info = &queues[FLOOD_QUEUE], .slot = f };

	flood_account(f);
	sample_add(&c, row_of(&c, LATENCY_PHASE_NONE), false, 100000);
}

SEC("raw_tp/sys_enter")
int complete_raw(const u64 *args)
{
	u64 n = flood_asked(args[1]);
	u32 zero = 0;
	struct command_slot *f = bpf_map_lookup_elem(&command_slots, &zero);

	for (u32 i = 0; f && i < FLOOD_EVENTS && i < n; i++)
		flood_sample(f);
	return 0;
}
