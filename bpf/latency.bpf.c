// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * latency: sums and histograms by key, per CPU and without atomic operations: the kernel never runs one
 * program inside itself on a CPU (where it might, prog_cfg.xadd says so).
 */
#include "bpf/latency.h"

#define PROG_PLAIN  true
#define PROG_ALWAYS NEED_STATUS
#define PROG_NEVER                                                                                 \
	(NEED_RESULT | NEED_SQE | NEED_KSTACK | NEED_USTACK | NEED_SUBMIT | NEED_COMPLETE |        \
	 NEED_IO | NEED_BLOCK | NEED_ENTRY)

#include "bpf/prog.h"

const volatile struct latency_cfg latency_cfg SEC(".rodata.latency");
const volatile u8 fine[LATENCY_FINE_SLOTS] SEC(".rodata.fine");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct latency_slot);
} keys SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(u32));
	__uint(value_size, sizeof(struct latency_cell) + sizeof(u64));
} cells SEC(".maps");

#define ROW_PROBES 64

/* The shape as an ordinary object; hidden, lest the compiler folds in the zeroes of the file. */
static __always_inline const struct latency_cfg *shape(void)
{
	const struct latency_cfg *c = (const void *)&latency_cfg;

	barrier_var(c);
	return c;
}

static __always_inline void row_input(struct latency_in *in, const struct command *c)
{
	const struct flight *f = c->flight;

	in->ctrl_id = c->facts->ctrl_id;
	in->nsid = f->nsid;
	in->queue = c->facts->index;
	in->qid = command_qid(c);
	in->opcode = f->opcode;
	in->fctype = f->fctype;
	in->admin = c->facts->admin;
	in->bytes = f->bytes;
	in->cmd_flags = f->cmd_flags & cfg.cmd_flags_mask;
	in->cpu = f->cpu;
	in->status = word_status(c->status_word);
	if (!needs(NEED_SUBMITTER))
		return;
	in->pid = f->sub.pid;
	in->comm = f->sub.comm;
	in->cgroup_id = f->sub.cgroup_id;
}

/* The row of @key: found, or taken. The last one, "(other)", when there is no room. */
static __always_inline u32 row_find(const struct latency_key *key)
{
	u32 rows = latency_cfg.slots - 1;
	u32 at = (u32)((u64)latency_key_hash(key) * rows >> 32);

	for (u32 i = 0; i < ROW_PROBES; i++) {
		struct latency_slot *slot = bpf_map_lookup_elem(&keys, &at);

		if (!slot)
			break;
		if (slot->state == LATENCY_SLOT_READY && latency_key_equal(&slot->key, key))
			return at;
		if (slot->state == LATENCY_SLOT_FREE && claim_take(CLAIM_ROW, at, 1)) {
			slot->state = LATENCY_SLOT_TAKEN;
			slot->key = *key;
			slot->state = LATENCY_SLOT_READY;
			return at;
		}
		at = (at + 1) % rows; /* no branch: the verifier would follow both ways */
	}
	stat_inc(STAT_KEYS_FULL);
	return rows;
}

static __always_inline u32 row_by_key(const struct command *c, u8 phase)
{
	struct latency_in in = {};
	struct latency_key key;

	row_input(&in, c);
	latency_key_fill(&key, shape(), &in);
	key.phase = phase;
	return row_find(&key);
}

/* What only the queue and the opcode decide needs no key: the queue remembers it. */
static __always_inline u32 row_of(const struct command *c, u8 phase, bool plain)
{
	u32 opcode = c->flight->opcode, row = 0;

	barrier_var(opcode); /* one register is compared and used */
	if (phase || !(plain || latency_cfg.by_queue) || opcode >= QUEUE_OPCODES)
		return row_by_key(c, phase);
	row = c->facts->row[opcode];
	if (row)
		return row - 1;
	row = row_by_key(c, phase);
	if (row < latency_cfg.slots - 1)
		c->facts->row[opcode] = row + 1;
	return row;
}

/* By table, after @steps times the bits of a step. The masks leave each value as it is: they tell the verifier. */
static __always_inline u32 fine_slot(u64 lat_ns, u32 steps)
{
	u64 at = lat_ns >> steps * LATENCY_FINE_STEP;

	barrier_var(at);
	return (fine[at & (LATENCY_FINE_SLOTS - 1)] & 127) +
	       (steps * LATENCY_FINE_STEP << LATENCY_FINE);
}

/* The slot of a latency: by table where the shape and the value are the common ones. */
static __always_inline u32 slot_of(u64 lat_ns, bool plain)
{
	u32 slots = latency_cfg.hist.slots, slot;

	if (plain || latency_cfg.fine) {
		if (lat_ns < LATENCY_FINE_SLOTS)
			return fine_slot(lat_ns, 0);
		if (lat_ns < LATENCY_FINE_SLOTS << LATENCY_FINE_STEP)
			return fine_slot(lat_ns, 1);
		if (lat_ns < (u64)LATENCY_FINE_SLOTS << 2 * LATENCY_FINE_STEP)
			return fine_slot(lat_ns, 2);
	}
	slot = hist_slot(&shape()->hist, lat_ns);
	barrier_var(slot);
	return slot < slots ? slot : slots - 1;
}

/* For kernels that may run us inside ourselves: nothing is lost but a race of two extremes. */
static __always_inline void cell_add_atomic(struct latency_cell *cell, u64 lat_ns, u64 bytes,
					    bool error)
{
	__sync_fetch_and_add(&cell->count, 1);
	__sync_fetch_and_add(&cell->errors, error ? 1 : 0);
	__sync_fetch_and_add(&cell->bytes, bytes);
	__sync_fetch_and_add(&cell->sum_ns, lat_ns);
	if (lat_ns > cell->max_ns)
		cell->max_ns = lat_ns;
	if (~lat_ns > cell->max_inv_ns)
		cell->max_inv_ns = ~lat_ns;
}

/* @plain: see latency_cfg. */
static __always_inline void sample_add(const struct command *c, u8 phase, u64 lat_ns, bool plain)
{
	bool error = word_failed(c->status_word);
	struct latency_cell *cell;
	u64 *bucket;
	u32 at;

	at = latency_cell_index(latency_cfg.cpus, control.bank, bpf_get_smp_processor_id(),
				row_of(c, phase, plain));
	cell = bpf_map_lookup_elem(&cells, &at);
	if (!cell)
		return;
	bucket = (u64 *)(cell + 1) + slot_of(lat_ns, plain);
	if (!plain && cfg.xadd) {
		cell_add_atomic(cell, lat_ns, c->flight->bytes, error);
		__sync_fetch_and_add(bucket, 1);
		return;
	}
	latency_cell_add(cell, lat_ns, c->flight->bytes, error);
	(*bucket)++;
}

/* A moment after another, or nothing where the earlier one is not known. */
static __always_inline void phase_add(const struct command *c, u8 phase, u64 from_ns, u64 to_ns)
{
	if (from_ns && to_ns >= from_ns)
		sample_add(c, phase, to_ns - from_ns, false);
}

static __always_inline void latency_setup(void *ctx, const struct command *c)
{
}

static __always_inline void latency_complete(void *ctx, const struct command *c)
{
	struct flight *f = c->flight;
	u64 lat_ns = c->lat_ns;

	if (!(latency_cfg.flags & LATENCY_WITH_PHASES)) {
		bool plain = c->rq.typed && cfg.plain && latency_cfg.plain;

		if (!plain && latency_cfg.flags && f->queued_ns && f->queued_ns < f->submit_ns)
			lat_ns = c->now_ns - f->queued_ns;
		sample_add(c, LATENCY_PHASE_NONE, lat_ns, plain);
		return;
	}
	sample_add(c, LATENCY_PHASE_DEVICE, lat_ns, false);
	phase_add(c, LATENCY_PHASE_SCHEDULER, f->sub.insert_ns, f->submit_ns);
	phase_add(c, LATENCY_PHASE_QUEUE, f->queued_ns, f->sub.insert_ns ?: f->submit_ns);
	f->complete_ns = c->now_ns;
}

static __always_inline void latency_orphan(void *ctx, const struct command *c)
{
}

PROGRAMS(latency_setup, latency_complete, latency_orphan)
STAMPS

/* The phases that end when the block layer hands the request back. */
static __always_inline void latency_end(struct command *c)
{
	struct flight *f = c->flight;

	c->now_ns = bpf_ktime_get_ns();
	c->status_word = rq_status_word(&c->rq);
	phase_add(c, LATENCY_PHASE_COMPLETION, f->complete_ns, c->now_ns);
	phase_add(c, LATENCY_PHASE_TOTAL, f->queued_ns ?: f->submit_ns, c->now_ns);
	f->complete_ns = 0;
}

/* block_rq_complete, NEED_PHASES. */
static __always_inline void latency_done(struct command *c)
{
	bool ends;

	c->flight = prog_leave(c);
	ends = c->flight && c->flight->complete_ns;
	if (!twice_begin(TWICE_DONE, ends))
		return;
	if (ends)
		latency_end(c);
	twice_end(TWICE_DONE);
}

#define LATENCY_DONE(c, ctx) latency_done(&(c))
ON_REQUEST(done, "block_rq_complete", LATENCY_DONE)
