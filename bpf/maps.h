// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Maps, configuration and counters that every object has. User space sets sizes before load: what
 * stands here is the smallest that loads.
 */
#ifndef NVT_MAPS_H
#define NVT_MAPS_H

#include "bpf/kern.h"
#include "bpf/settings.h"
#include "bpf/shared/at_hand.h"
#include "bpf/shared/wire.h"
#include "bpf/shared/slot.h"

char _license[] SEC("license") = "Dual BSD/GPL";

/* Whether events tell the whole command. */
#define PROG_TELLS_SQE (!(~(PROG_ALWAYS) & (NEED_IO | NEED_SQE)))
/* User space refuses to load an object that it asks for something else. */
const volatile struct prog_cfg cfg SEC(".rodata.cfg") = {
	.always = PROG_ALWAYS,
	.never = PROG_NEVER,
	.fast_needs = PROG_FAST_NEEDS,
	.fast_words = PROG_FAST_SLOT / sizeof(u64),
};
const volatile struct filter filter SEC(".rodata.filter");
/* By controller: its I/O commands, its admin commands. */
const volatile struct region regions[2 * WIRE_CTRLS] SEC(".rodata.regions");
/* Spare room for controllers that come later: tag sets, and queues with a scheduler. */
const volatile struct region spares[2][WIRE_SPARES] SEC(".rodata.spares");

/* Written by user space while we run; the generation also by us. */
struct control {
	u32 stopping; /* setup is being detached: completions without a setup are no loss */
	u32 bank; /* 0 or 1: where aggregates go */
	u64 generation; /* moves when controllers or namespaces may have come or gone */
	u32 busy; /* enum busy_level, NEED_BUSY */
	u32 pad;
};
struct control control SEC(".bss.control");

u64 stats[STAT_MAX] SEC(".bss.stats");

/* The side of the account that knows nothing of the join: see command_reached(). */
struct reached reached[WIRE_CPUS] SEC(".bss.reached");

/* Commands outstanding on a controller, NEED_INFLIGHT. A power of two. */
#define WIRE_OUTSTANDING 4096
u64 outstanding[WIRE_OUTSTANDING] SEC(".bss.outstanding");

/* Queue info by index. */
struct queue_info queues[WIRE_QUEUES] SEC(".bss.queues");

/*
 * The last entry of them that was taken; where two CPUs take one at the same moment, one of the
 * two.
 */
u32 queues_taken SEC(".bss.taken");

/* Index of a queue's entry, by a hash of the queue's pointer: see bpf/shared/at_hand.h. */
u16 at_hand[AT_HAND_SLOTS] SEC(".bss.at_hand");

/* enum assumed_layout, where cfg.off.known is 0. */
u32 layout SEC(".bss.layout");

/* Offset of nvme_ctrl.instance as found by ctrl_search(), 0: not yet. */
u32 ctrl_at SEC(".bss.hint");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__uint(value_size, sizeof(struct command_slot));
	__uint(key_size, sizeof(u32));
} command_slots SEC(".maps");

/*
 * The same as one value, which the fast path reaches without a lookup. User space has programs load
 * the address of an array that has room for all slots, see lib/loader/flat.c.
 */
#if PROG_FAST
u64 slots_flat[1] SEC(".bss.slots");
#endif

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct waiting);
} sched_slots SEC(".maps");

/* Index of `queues` by the queue info from slot_base on. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__uint(key_size, QUEUE_INFO_BYTES);
	__type(value, u32);
} known SEC(".maps");

/*
 * Claims: each is made by one program alone, since an insert that fails where the key exists is the
 * one atomic operation that every kernel from 5.10 on offers (BPF_FETCH atomics require 5.12, see
 * bpf/busy.h). Preallocated: with interrupts off an allocation may fail.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct claim_key);
	__type(value, u64);
} claims SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_CGROUP_ARRAY);
	__uint(max_entries, FILTER_ITEMS);
	__type(key, u32);
	__type(value, u32);
} cgroups SEC(".maps");

/*
 * The address of byte @offset of @table. The compiler must not know it: here the table has the size
 * of one value. The result is never NULL.
 */
static __always_inline void *flat_at(void *table, u64 offset)
{
	barrier_var(table);
	table += offset;
	if (!table)
		__builtin_unreachable();
	return table;
}

static __always_inline void stat_add(enum stat_id stat, u64 n)
{
	__sync_fetch_and_add(&stats[stat], n);
}

static __always_inline void stat_inc(enum stat_id stat)
{
	stat_add(stat, 1);
}

static __always_inline bool needs(u32 need)
{
	if (need & PROG_ALWAYS)
		return true;
	need &= ~(PROG_NEVER);
	return need && cfg.needs & need;
}

#endif
