// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * What `latency` keeps in the kernel: rows by key, one cell of sums and buckets per row, CPU and
 * bank.
 *
 * Maps of bpf/latency.bpf.c, both mmapable arrays:
 *   keys   cfg.slots values of struct latency_slot; the last one is the row "(other)"
 *   cells  LATENCY_BANKS * cpus * slots values of cfg.cell_bytes, found by latency_cell_index()
 * User space flips the bank at each interval, waits until no program uses the old one, reads and
 * zeroes it. Two slots may hold the same key (two CPUs that met it first at the same moment):
 * readers merge.
 */
#ifndef NVT_SHARED_LATENCY_H
#define NVT_SHARED_LATENCY_H

#include "bpf/shared/hist.h"
#include "bpf/shared/keys.h"
#include "bpf/shared/wire.h"

#define LATENCY_BANKS	   2
#define LATENCY_SLOTS_MIN  64
#define LATENCY_SLOTS_MAX  4096
#define LATENCY_SLOTS_LIVE 1024 /* the most in the kernel, which clears them at each start */
#define LATENCY_SLOTS_FEW  256 /* the most there for LATENCY_BY_FEW, if controllers are few */
#define LATENCY_OPCODES	   16 /* that a controller is likely to see */
#define LATENCY_MAP_BYTES                                                                          \
	(24ULL << 20) /* bound of map `cells`, unless that leaves less than SLOTS_MIN */

/*
 * --phases: which part of its life a sample measures; each command adds one sample per phase it
 * had.
 */
enum latency_phase {
	LATENCY_PHASE_NONE,
	LATENCY_PHASE_QUEUE, /* block layer entry to scheduler insert, or to setup without a scheduler */
	LATENCY_PHASE_SCHEDULER, /* insert to setup */
	LATENCY_PHASE_DEVICE, /* setup to nvme_complete_rq: driver and device */
	LATENCY_PHASE_COMPLETION, /* nvme_complete_rq to block layer completion */
	LATENCY_PHASE_TOTAL, /* the first of these moments to the last */
	LATENCY_PHASES,
};

enum latency_flag {
	LATENCY_QUEUED = 1 << 0, /* -Q: from block layer entry where known */
	LATENCY_WITH_PHASES = 1 << 1, /* --phases */
};

/* Set before load, section .rodata.latency. */
struct latency_cfg {
	struct hist_cfg hist;
	u64 size_edge[KEY_SIZES]; /* bytes, ascending: class i holds what is <= size_edge[i] */
	u32 n_sizes;
	u32 by; /* bits 1 << enum key */
	u32 flags; /* enum latency_flag */
	u32 slots; /* of map keys, "(other)" included */
	u32 cpus; /* possible CPUs */
	u32 cells; /* entries of map cells */
	u32 cell_bytes; /* struct latency_cell and its buckets; with `fine` LATENCY_FINE_CELL */
	u8 fine; /* the histogram is the one that .rodata.fine is made for */
	u8 by_queue; /* nothing but the queue and the opcode decides the row */
	u8 pad[2];
};
WIRE_SIZE(struct latency_cfg, 112);

/*
 * Slots of the default histogram by table: what takes 2^LATENCY_FINE_BITS nanoseconds and more is
 * looked up without its low eight bits, or sixteen, which are eight powers of two and so 8 <<
 * LATENCY_FINE slots each.
 */
#define LATENCY_FINE	   3 /* hist_cfg.bits */
#define LATENCY_FINE_BITS  12
#define LATENCY_FINE_SLOTS (1 << LATENCY_FINE_BITS)
#define LATENCY_FINE_STEP  8

/*
 * Keys that the queue and the opcode decide; not the namespace, which each admin command names
 * anew.
 */
#define LATENCY_BY_QUEUE                                                                           \
	(1 << KEY_NONE | 1 << KEY_CTRL | 1 << KEY_DEV | 1 << KEY_QID | 1 << KEY_OPCODE)

/* Keys that have few values: room for more would never be used. */
#define LATENCY_BY_FEW (1 << KEY_CTRL | 1 << KEY_OPCODE)

/* Keys in the first words of struct latency_key: few ask for one, and then those words are 0. */
#define LATENCY_BY_WIDE (1 << KEY_CGROUP | 1 << KEY_COMM | 1 << KEY_PID | 1 << KEY_FLAGS)
#define LATENCY_BY_RARE                                                                            \
	(LATENCY_BY_WIDE | 1 << KEY_NS | 1 << KEY_DEV | 1 << KEY_CPU | 1 << KEY_STATUS)

/* The key of a row. Members that --by does not name are 0, so equal keys are equal bytes. */
struct latency_key {
	u64 cgroup_id;
	char comm[WIRE_COMM];
	u32 pid;
	u32 cmd_flags; /* masked with prog_cfg.cmd_flags_mask */
	u32 nsid;
	s32 ctrl_id;
	u32 queue; /* for dev: index of struct queue_info; in replay also for ctrl and host: session_host() */
	u16 qid, cpu, status;
	u8 opcode, admin, fctype;
	u8 size_class; /* index into size_edge, n_sizes for what is larger than all */
	u8 phase; /* enum latency_phase */
	u8 fabrics; /* of a fabrics command, where nsid or status is then something else */
};
WIRE_SIZE(struct latency_key, 56);

/* One entry of map `keys`. */
struct latency_slot {
	struct latency_key key;
	u64 mark; /* latency_key_mark() of the key that is, or is being, written; 0: free */
};
WIRE_SIZE(struct latency_slot, 64);

/*
 * Sums of one row; hist.slots buckets of u64 follow, whose sum is the count. Zeroed memory is an
 * empty cell.
 */
struct latency_cell {
	u64 errors; /* completed with a status other than 0 */
	u64 bytes;
	u64 sum_ns;
	u64 max_ns;
	u64 max_inv_ns; /* largest ~latency: the minimum is ~max_inv_ns; 0: the cell is empty */
};
WIRE_SIZE(struct latency_cell, 40);

/* One with the buckets of the default histogram. */
#define LATENCY_FINE_BUCKETS (((HIST_RANGE_BITS + 1 - LATENCY_FINE) << LATENCY_FINE) + 1)
#define LATENCY_FINE_CELL    (sizeof(struct latency_cell) + LATENCY_FINE_BUCKETS * sizeof(u64))

/* What a key is made from; members that cfg.by does not name need not be set. */
struct latency_in {
	u64 cgroup_id;
	const char *comm; /* WIRE_COMM bytes, zeroes behind the name; read only with KEY_COMM */
	u32 pid, cmd_flags, nsid, queue, bytes;
	s32 ctrl_id;
	u16 qid, cpu, status;
	u8 opcode, admin, fctype;
};

NVT_INLINE int latency_has(const struct latency_cfg *cfg, enum key by)
{
	return cfg->by >> by & 1;
}

/* The keys that few ask for. */
NVT_INLINE void latency_key_fill_rare(struct latency_key *key, const struct latency_cfg *cfg,
				      const struct latency_in *in)
{
	if (latency_has(cfg, KEY_NS)) {
		key->fabrics = in->opcode == OPCODE_FABRICS;
		key->nsid = key->fabrics ? 0 : in->nsid; /* its type is there */
	}
	if (latency_has(cfg, KEY_DEV))
		key->queue = in->queue;
	if (latency_has(cfg, KEY_CPU))
		key->cpu = in->cpu;
	if (latency_has(cfg, KEY_STATUS)) {
		key->status = in->status;
		if (key_status_is_shared(in->status))
			key->fabrics = in->opcode == OPCODE_FABRICS;
	}
	if (latency_has(cfg, KEY_FLAGS))
		key->cmd_flags = in->cmd_flags;
	if (latency_has(cfg, KEY_PID))
		key->pid = in->pid;
	if (latency_has(cfg, KEY_COMM))
		/* NOLINTNEXTLINE(clang-analyzer-unix.cstring.NullArg): set if asked for */
		__builtin_memcpy(key->comm, in->comm, WIRE_COMM);
	if (latency_has(cfg, KEY_CGROUP))
		key->cgroup_id = in->cgroup_id;
}

/*
 * The key of a command under cfg.by; phase is left 0. The verifier knows how each test ends and
 * drops what follows from it, but the test itself stays in the program. So all that is rare shares
 * one.
 */
NVT_INLINE void latency_key_fill(struct latency_key *key, const struct latency_cfg *cfg,
				 const struct latency_in *in)
{
	__builtin_memset(key, 0, sizeof(*key));
	if (latency_has(cfg, KEY_CTRL))
		key->ctrl_id = in->ctrl_id;
	if (latency_has(cfg, KEY_QID))
		key->qid = in->qid;
	if (latency_has(cfg, KEY_OPCODE)) {
		key->opcode = in->opcode;
		key->admin = in->admin;
		key->fctype = in->opcode == OPCODE_FABRICS ? in->fctype : 0;
	}
	if (latency_has(cfg, KEY_SIZE))
		key->size_class = key_size_class(cfg->size_edge, in->bytes);
	if (cfg->by & LATENCY_BY_RARE)
		latency_key_fill_rare(key, cfg, in);
}

/* One word more. As long as they are all 0 so is the hash. */
NVT_INLINE u64 latency_key_mix(u64 hash, u64 word)
{
	return (hash ^ hash >> 29) * 0x9e3779b97f4a7c15ULL + word;
}

/*
 * A hash of all bytes of @key, never 0; without @wide its first words are known to be 0, which
 * gives the same. One CPU writes a slot while others look at it, in whatever order its stores come:
 * half a key may equal another one, but its mark is not that one's.
 */
NVT_INLINE u64 latency_key_mark(const struct latency_key *key, int wide)
{
	const u64 *word = (const u64 *)key;
	u64 h = 0;

	if (wide) {
		h = latency_key_mix(word[0], word[1]);
		h = latency_key_mix(h, word[2]);
		h = latency_key_mix(h, word[3]);
	}
	h = latency_key_mix(h, word[4]);
	h = latency_key_mix(h, word[5]);
	h = latency_key_mix(h, word[6]);
	return latency_key_mix(h, 0) | 1;
}

/* @wide: as for latency_key_mark(), of both. */
NVT_INLINE int latency_key_equal(const struct latency_key *a, const struct latency_key *b, int wide)
{
	const u64 *x = (const u64 *)a, *y = (const u64 *)b;

	if (wide && (x[0] ^ y[0]) | (x[1] ^ y[1]) | (x[2] ^ y[2]) | (x[3] ^ y[3]))
		return 0;
	return !((x[4] ^ y[4]) | (x[5] ^ y[5]) | (x[6] ^ y[6]));
}

/* Adds one sample to the sums; the bucket is the caller's. Not atomic. */
NVT_INLINE void latency_cell_add(struct latency_cell *cell, u64 lat_ns, u64 bytes, int error)
{
	if (error)
		cell->errors++;
	cell->bytes += bytes;
	cell->sum_ns += lat_ns;
	if (lat_ns > cell->max_ns)
		cell->max_ns = lat_ns;
	if (~lat_ns > cell->max_inv_ns)
		cell->max_inv_ns = ~lat_ns;
}

/* Index into map `cells`. */
NVT_INLINE u32 latency_cell_index(u32 slots, u32 bank, u32 cpu, u32 slot)
{
	return (cpu * LATENCY_BANKS + bank) * slots + slot;
}

#endif
