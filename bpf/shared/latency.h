// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * The tables of `latency` in the kernel: rows by key, a cell of sums and buckets per row, bank and
 * CPU. Where there are too many CPUs for that, several share a cell, see lib/view/latency_size.h.
 *
 * Maps of bpf/latency.bpf.c, all mmapable arrays:
 *   keys   cfg.slots values of struct latency_slot; the last one is the row "(other)"
 *   cells  LATENCY_BANKS * copies * slots values of cfg.cell_bytes, found by latency_cell_index()
 *   extremes  of cells that are shared: LATENCY_BANKS * cpus * slots values of struct
 *          hist_extremes, of two each with LATENCY_BOTH, found in the same way
 *   troubles  LATENCY_CTRLS of struct latency_trouble, in section .bss.troubles, since the start
 * User space flips the bank at each interval, waits until no program uses the old one, reads and
 * zeroes it. Two slots may hold the same key (two CPUs that met it first at the same moment, or a
 * key whose first row is being given back): readers merge.
 */
#ifndef NVT_SHARED_LATENCY_H
#define NVT_SHARED_LATENCY_H

#include "bpf/shared/hist.h"
#include "bpf/shared/keys.h"
#include "bpf/shared/wire.h"

#define LATENCY_BANKS	  2
#define LATENCY_SLOTS_MIN 64
#define LATENCY_SLOTS_MAX 4096
/*
 * The most in the kernel, which clears them at each start: a prime number of rows, and "(other)".
 * 1 024 keys find room among them.
 */
#define LATENCY_SLOTS_LIVE 1280
#define LATENCY_SLOTS_FEW  258 /* the most there for LATENCY_BY_FEW, if controllers are few */
#define LATENCY_OPCODES	   16 /* that a controller is likely to see */
#define LATENCY_MAP_BYTES                                                                          \
	(64ULL << 20) /* bound of `cells` and `extremes`, unless that leaves less than SLOTS_MIN */
#define LATENCY_STEPS  127 /* of struct latency_cfg */
#define LATENCY_PROBES 64 /* places where a row is looked for */

/*
 * --phases: which part of its life a sample measures; each command adds one sample per phase it
 * had.
 */
enum latency_phase {
	LATENCY_PHASE_NONE,
	LATENCY_PHASE_QUEUE, /* block layer entry to scheduler insert, or to setup without a scheduler */
	LATENCY_PHASE_SCHEDULER, /* insert to setup */
	LATENCY_PHASE_WAIT, /* these two together: a recording does not have the insert */
	LATENCY_PHASE_DEVICE, /* setup to nvme_complete_rq: driver and device */
	LATENCY_PHASE_COMPLETION, /* nvme_complete_rq to block layer completion */
	LATENCY_PHASE_TOTAL, /* the first of these moments to the last */
	LATENCY_PHASES,
};

enum latency_flag {
	LATENCY_QUEUED = 1 << 0, /* -Q: from block layer entry; without event_entry_unknown() */
	LATENCY_WITH_PHASES = 1 << 1, /* --phases */
	LATENCY_BOTH = 1 << 2, /* from setup, and in a second cell behind the first one as by -Q */
	/* With LATENCY_BOTH: the second cell has the time before setup, of first attempts alone. */
	LATENCY_WAIT = 1 << 3,
};

/* Set before load, section .rodata.latency. */
struct latency_cfg {
	struct hist_cfg hist;
	u64 size_edge[KEY_SIZES]; /* bytes, ascending: class i holds what is <= size_edge[i] */
	u32 by; /* bits 1 << enum key */
	u32 flags; /* enum latency_flag */
	u32 slots; /* of map keys, "(other)" included */
	u32 cpus; /* possible CPUs */
	u32 copies; /* of the cells: cpus, or a power of two if CPUs share them */
	u32 cells; /* entries of map cells; 0: CPUs share them */
	u32 shared_cells; /* entries of map cells if CPUs share them, else 0 */
	u32 cell_bytes; /* struct latency_cell and its buckets; twice that with LATENCY_BOTH */
	u32 steps; /* bits of a mark that say how far from each other a key's places are; 0: all by 1 */
	u8 fine; /* the histogram is the one that .rodata.fine is made for */
	u8 by_queue; /* nothing but the queue and the opcode decides the row */
	u8 by_task; /* the same and who submitted, KEYS_WHO */
	u8 pad[1];
};
WIRE_SIZE(struct latency_cfg, 120);

/*
 * Slots of the default histogram by table: what takes 2^LATENCY_FINE_BITS nanoseconds and more is
 * looked up without its low eight bits, or sixteen, which are eight powers of two and so 8 <<
 * LATENCY_FINE slots each.
 */
#define LATENCY_FINE	   3 /* hist_cfg.bits */
#define LATENCY_FINE_BITS  12
#define LATENCY_FINE_SLOTS (1 << LATENCY_FINE_BITS)
#define LATENCY_FINE_STEP  8

/* Keys that have few values: room for more would never be used. */
#define LATENCY_BY_FEW (1 << KEY_CTRL | 1 << KEY_OPCODE)

/* One entry of map `keys`. */
struct latency_slot {
	struct kernel_key key;
	u64 mark; /* key_mark() of the key, which is odd; 0: free, or it is being written */
};
WIRE_SIZE(struct latency_slot, sizeof(struct kernel_key) + 8);

#define LATENCY_RETIRED 2 /* a mark: the row is being given back, and nobody's */

/*
 * Sums of one row; hist.slots buckets of u64 follow, whose sum is the count. Zeroed memory is an
 * empty cell.
 */
struct latency_cell {
	HIST_SUMS(HIST_SUM_MEMBER)
	struct hist_extremes extremes; /* max_inv_ns 0: the cell is empty */
};
WIRE_SIZE(struct latency_cell, 40);

/* One with the buckets of the default histogram. */
#define LATENCY_FINE_BUCKETS (((HIST_RANGE_BITS + 1 - LATENCY_FINE) << LATENCY_FINE) + 1)
#define LATENCY_FINE_CELL    (sizeof(struct latency_cell) + LATENCY_FINE_BUCKETS * sizeof(u64))

/* Timeouts and resets of a controller, counted with NEED_TIMEOUT and NEED_RESET. */
struct latency_trouble {
	u64 timeouts; /* of selected commands, as the driver noticed them */
	u64 resets;
};
WIRE_SIZE(struct latency_trouble, 16);

#define LATENCY_CTRLS 256 /* a power of two */

/* The place where a key with @mark is looked for first. */
NVT_INLINE u32 latency_place_first(u64 mark, u32 slots)
{
	return (u32)((mark >> 32) * (slots - 1) >> 32);
}

/* Index into `troubles`: the instance of the controller, or the last one. */
NVT_INLINE u32 latency_trouble_index(s32 ctrl_id)
{
	return (u32)ctrl_id < LATENCY_CTRLS - 1 ? (u32)ctrl_id : LATENCY_CTRLS - 1;
}

/* The place where a key with @mark is looked for after place @at. */
NVT_INLINE u32 latency_place_next(u64 mark, u32 at, u32 steps, u32 slots)
{
	/* No branch: the verifier would follow both ways. */
	return (at + ((mark & steps) | 1)) % (slots - 1);
}

/* A cell of one command. */
NVT_INLINE struct latency_cell latency_cell_of(u64 lat_ns, u64 bytes, bool error)
{
	return (struct latency_cell){ HIST_SUMS_OF(lat_ns, bytes, error), { lat_ns, ~lat_ns } };
}

/* Adds another cell, or a command; the buckets are the caller's. Not atomic. */
NVT_INLINE void latency_cell_add(struct latency_cell *to, const struct latency_cell *from)
{
	HIST_SUMS(HIST_SUM_ADD)
	hist_widen(&to->extremes, from->extremes.max_ns, from->extremes.max_inv_ns);
}

/* Index into map `cells` for copy @copy; with a CPU in its place, index into `extremes`. */
NVT_INLINE u32 latency_cell_index(u32 slots, u32 bank, u32 copy, u32 slot)
{
	return (copy * LATENCY_BANKS + bank) * slots + slot;
}

#endif
