// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Maps, configuration and counters that every object has. User space sets sizes before load: what stands
 * here is the smallest that loads.
 */
#ifndef NVT_MAPS_H
#define NVT_MAPS_H

#include "bpf/kern.h"
#include "bpf/wire.h"
#include "bpf/flight.h"

char _license[] SEC("license") = "Dual BSD/GPL";

const volatile struct prog_cfg cfg SEC(".rodata.cfg");
const volatile struct filter filter SEC(".rodata.filter");
/* By controller: its I/O commands, its admin commands. */
const volatile struct region regions[2 * WIRE_CTRLS] SEC(".rodata.regions");
/* For whoever comes later: tag sets, and queues with a scheduler. */
const volatile struct region spares[2][WIRE_SPARES] SEC(".rodata.spares");

/* Written by user space while we run. */
struct control {
	u32 stopping; /* setup is being detached: completions without a setup are no loss */
	u32 bank; /* 0 or 1: where aggregates go */
	u64 generation;
};
struct control control SEC(".bss.control");

u64 stats[STAT_MAX] SEC(".bss.stats");

/* Commands outstanding on a controller, NEED_INFLIGHT. */
u64 outstanding[WIRE_QUEUES] SEC(".bss.outstanding");

/* Facts by index; and the index by a hash of what the path of a command has at hand. */
struct queue_facts queues[WIRE_QUEUES] SEC(".bss.queues");
u16 queue_slots[WIRE_QUEUES] SEC(".bss.slots");

/* Where the search for a free entry of `queues` begins; a hint only. */
u32 queue_hint SEC(".bss.hint");
/* Offset of nvme_ctrl.instance as found by ctrl_search(), 0: not yet. */
u32 ctrl_at SEC(".bss.hint");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__uint(value_size, sizeof(struct flight));
	__uint(key_size, sizeof(u32));
} flights SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct submitter);
} sched_flights SEC(".maps");

/* Index of `queues` by what names a queue: the slow path alone asks it. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, WIRE_QUEUES);
	__type(key, struct queue_key);
	__type(value, u32);
} known SEC(".maps");

/*
 * Who took what: an insert that must not exist yet is the one atomic operation that every kernel from
 * 5.10 on offers (BPF_FETCH atomics need 5.12). Preallocated: with interrupts off an allocation may fail.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 3 * WIRE_QUEUES);
	__type(key, struct claim_key);
	__type(value, u64);
} claims SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_CGROUP_ARRAY);
	__uint(max_entries, FILTER_ITEMS);
	__type(key, u32);
	__type(value, u32);
} cgroups SEC(".maps");

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
	return cfg.needs & need;
}

#endif
