// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * latency: sums and histograms by key, per CPU and without atomic operations: the kernel never runs
 * one program inside itself on a CPU (where it might, prog_cfg.xadd says so). Of very many CPUs
 * several share a cell, and add to it in sample_shared().
 */
#include "bpf/shared/latency.h"

#define PROG_SYNCERS 1
#define PROG_STAMPS  1
#define PROG_FAST    1
#define PROG_BUSY    1
#define PROG_THREADS 0
#define PROG_ALWAYS  NEED_STATUS
#define PROG_NEVER                                                                                 \
	(NEED_RESULT | NEED_SQE | NEED_KSTACK | NEED_USTACK | NEED_SUBMIT | NEED_COMPLETE |        \
	 NEED_IO | NEED_BLOCK | NEED_ENTRY)

#define PROG_LEAVES_OUT(c) latency_leaves_out(c)

struct command;
static __always_inline bool latency_leaves_out(const struct command *c);

#include "bpf/prog.h"
#include "bpf/sync.h"
#include "bpf/key.h"
#include "bpf/timeout.h"

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

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, u32);
	__uint(value_size, sizeof(struct hist_extremes));
} extremes SEC(".maps");

/* The cells as one value, which the fast path reaches without a lookup: see slots_flat. */
u64 cells_flat[1] SEC(".bss.cells");

#define ROW_TRIES 4 /* slots with our mark, but not our key: it may be half written */
#define SLOT_MASK 0xfff
_Static_assert(HIST_SLOTS_MAX <= SLOT_MASK, "slots that the mask cuts");

/* The configuration behind a barrier: else the compiler takes its members for the file's zeroes. */
static __always_inline const struct latency_cfg *shape(void)
{
	const struct latency_cfg *c = (const void *)&latency_cfg;

	barrier_var(c);
	return c;
}

/* By controller; the last one is what belongs to no other. */
struct latency_trouble troubles[LATENCY_CTRLS] SEC(".bss.troubles");

enum row_tried { ROW_OTHER, ROW_FOUND, ROW_NEW };

/*
 * Slot @at is that of another key, has @mark, or was free and is now the caller's to fill. See
 * claim_take().
 */
__noinline int row_try(u64 mark, u32 at)
{
	struct latency_slot *slot = bpf_map_lookup_elem(&keys, &at);

	if (slot && slot->mark == mark)
		return ROW_FOUND;
	return slot && !slot->mark && claim_take(CLAIM_ROW, at) ? ROW_NEW : ROW_OTHER;
}

/*
 * The first slot from @at on that is not that of another key, and above it what row_try() says; -1:
 * none is left.
 */
__noinline s64 row_take(u64 mark, u32 at)
{
	for (u32 i = 0; i < LATENCY_PROBES; i++) {
		u64 tried = row_try(mark, at);

		if (tried)
			return tried << 32 | at;
		at = latency_place_next(mark, at, latency_cfg.steps, latency_cfg.slots);
	}
	return -1;
}

/* The row of @key, which is not in slot @at, where it is looked for first: found, or taken. */
static __noinline u32 row_search(const struct kernel_key *key, u64 mark, u32 at)
{
	u32 rows = latency_cfg.slots - 1;

	/* 64 bits wide: the verifier of 6.1 forgets a narrower number that lies on the stack. */
	for (u64 i = 0; i < ROW_TRIES; i++) {
		s64 found = row_take(mark, at);
		struct latency_slot *slot;

		at = found;
		slot = found < 0 ? NULL : bpf_map_lookup_elem(&keys, &at);
		if (!slot)
			break;
		if (found >> 32 == ROW_NEW) {
			slot->key = *key;
			slot->mark = mark;
			return at;
		}
		if (key_equal(&slot->key, key, KEYS_ALL))
			return at;
		at = latency_place_next(mark, at, latency_cfg.steps, latency_cfg.slots);
	}
	stat_inc(STAT_KEYS_FULL);
	return rows;
}

/*
 * The ways to the row of a sample, the cheap ones first:
 *
 *   fast_row_at_hand()  the queue remembers one for reads and one for writes: the fast path
 *   row_at_hand()       it does for each opcode, where queue and opcode decide (by_queue)
 *   row_by_task()       that row, if it is the task's, owner's and file's as well (by_task)
 *   row_by_queue()      the queue remembers none: by key, which it remembers
 *   row_by_key()        nothing is remembered: phases, and other keys
 */

/* The row of @key. The last one, "(other)", when there is no room. */
static __always_inline u32 row_find(const struct kernel_key *key, const struct latency_cfg *by)
{
	u32 set = by->by;
	u64 mark = key_mark(key, set);
	u32 at = latency_place_first(mark, by->slots);
	struct latency_slot *slot = bpf_map_lookup_elem(&keys, &at);

	if (slot && slot->mark == mark && key_equal(&slot->key, key, set))
		return at;
	return row_search(key, mark, at);
}

static __always_inline u32 row_by_key(const struct command *c, u8 phase)
{
	const struct latency_cfg *by = shape();
	struct kernel_key key;

	key_of_command(&key, by->by, by->size_edge, c);
	key.own = phase;
	return row_find(&key, by);
}

/*
 * Finds the row by its key, and has the queue remember it for this opcode. The queue is held by its
 * number over the search: with a pointer the verifier would follow the search once for each way in
 * which the queue was found.
 */
static __always_inline u32 row_by_queue(const struct command *c)
{
	u32 index = c->info->index, row = row_by_key(c, LATENCY_PHASE_NONE);
	u32 opcode = c->slot->opcode;

	barrier_var(opcode); /* one register is compared and used */
	if (opcode < QUEUE_OPCODES && row < latency_cfg.slots - 1)
		queues[index & (WIRE_QUEUES - 1)].row[QUEUE_ROW(opcode)] = row + 1;
	return row;
}

/* The row that the queue remembers, 0: none. */
static __always_inline u32 row_at_hand(const struct command *c)
{
	u32 opcode = c->slot->opcode;

	barrier_var(opcode); /* one register is compared and used */
	return opcode < QUEUE_OPCODES ? c->info->row[QUEUE_ROW(opcode)] : 0;
}

/*
 * Whether the row at @at, which has the queue and the opcode of @c, has its task, owner and file, too.
 * Members that are 0 say nothing: another CPU may be writing the key.
 */
static __always_inline bool row_is_of_task(u32 at, const struct command *c)
{
	const struct latency_slot *slot = bpf_map_lookup_elem(&keys, &at);
	const u64 *comm = (const u64 *)c->slot->sub.comm;
	u32 by = latency_cfg.by;
	const struct key_who *who;

	if (!slot)
		return false;
	who = &slot->key.who;
	if (by & 1 << KEY_PID && (!who->pid || who->pid != c->slot->sub.pid))
		return false;
	if (by & 1 << KEY_CGROUP && (!who->cgroup_id || who->cgroup_id != c->slot->sub.cgroup_id))
		return false;
	if (by & 1 << KEY_OWNER && (!who->owner_id || who->owner_id != c->slot->cause.owner_id))
		return false;
	if (by & 1 << KEY_FILE && (!who->file.dev_gen || !file_same(&who->file, &c->slot->file)))
		return false;
	return !(by & 1 << KEY_COMM) || (comm[0] && ((const u64 *)who->comm)[0] == comm[0] &&
					 ((const u64 *)who->comm)[1] == comm[1]);
}

/* The row that the queue remembers if it is that of the task, else the one that is found by key. */
static __always_inline u32 row_by_task(const struct command *c)
{
	u32 row = row_at_hand(c);

	return row && row_is_of_task(row - 1, c) ? row - 1 : row_by_queue(c);
}

static __always_inline u32 row_of(const struct command *c, u8 phase)
{
	u32 row;

	if (!c->rq.fast && !phase && latency_cfg.by_task)
		return row_by_task(c);
	if (!c->rq.fast && (phase || !latency_cfg.by_queue))
		return row_by_key(c, phase);
	row = row_at_hand(c);
	return row ? row - 1 : row_by_queue(c);
}

/*
 * By table, after @steps times the bits of a step. The masks leave each value as it is: they tell
 * the verifier.
 */
static __always_inline u32 fine_slot(u64 lat_ns, u32 steps)
{
	u64 at = lat_ns >> steps * LATENCY_FINE_STEP;

	barrier_var(at);
	return (fine[at & (LATENCY_FINE_SLOTS - 1)] & 127) +
	       (steps * LATENCY_FINE_STEP << LATENCY_FINE);
}

/*
 * The mask leaves the slot as it is; on some paths the verifier of 6.1 believes it to be both large
 * and small.
 */
static __always_inline u32 slot_by_shape(u64 lat_ns)
{
	u32 slots = latency_cfg.hist.slots, slot = hist_slot(&shape()->hist, lat_ns);

	barrier_var(slot);
	slot &= SLOT_MASK;
	return slot < slots ? slot : slots - 1;
}

/* The slot of a latency that is too long for the table. */
static __noinline u32 slot_of_long(u64 lat_ns)
{
	return slot_by_shape(lat_ns);
}

/* The slot of a latency in the shape that the table is made for. */
static __always_inline u32 slot_by_table(u64 lat_ns)
{
	if (lat_ns < LATENCY_FINE_SLOTS)
		return fine_slot(lat_ns, 0);
	if (lat_ns < LATENCY_FINE_SLOTS << LATENCY_FINE_STEP)
		return fine_slot(lat_ns, 1);
	if (lat_ns < (u64)LATENCY_FINE_SLOTS << 2 * LATENCY_FINE_STEP)
		return fine_slot(lat_ns, 2);
	return slot_of_long(lat_ns);
}

static __always_inline u32 slot_of(u64 lat_ns)
{
	return latency_cfg.fine ? slot_by_table(lat_ns) : slot_by_shape(lat_ns);
}

static __always_inline void sums_add_atomic(struct latency_cell *to,
					    const struct latency_cell *from)
{
	HIST_SUMS(HIST_SUM_ADD_ATOMIC)
}

/* Where programs share a CPU, of two extremes at the same moment one may be lost. */
static __always_inline void cell_add(const struct command *c, struct latency_cell *cell,
				     const struct latency_cell *from)
{
	if (!command_shares_cpu(&c->rq)) {
		latency_cell_add(cell, from);
		return;
	}
	sums_add_atomic(cell, from);
	hist_widen(&cell->extremes, from->extremes.max_ns, from->extremes.max_inv_ns);
}

static __always_inline void bucket_add(const struct command *c, u64 *bucket)
{
	if (command_shares_cpu(&c->rq))
		__sync_fetch_and_add(bucket, 1);
	else
		(*bucket)++;
}

/* Notes a latency where this CPU alone does, for a cell that it shares. */
static __always_inline void extremes_add(u32 at, bool second, u64 lat_ns)
{
	struct hist_extremes *e = bpf_map_lookup_elem(&extremes, &at);

	if (e)
		hist_widen(e + second, lat_ns, ~lat_ns);
}

/* Whether @at < @n. The verifier of 6.1 does not know by itself that no number is less than 0. */
static __always_inline bool is_cell(u32 at, u32 n)
{
	if (!n)
		return false;
	barrier_var(n);
	return at < n;
}

/* Cell @at of those that CPUs share; NULL: they share none. */
static __always_inline struct latency_cell *cell_shared(u32 at)
{
	if (!is_cell(at, shape()->shared_cells))
		return NULL;
	return cfg.flat ? flat_at(cells_flat, (u64)at * LATENCY_FINE_CELL)
			: bpf_map_lookup_elem(&cells, &at);
}

/*
 * Adds a sample where CPUs share cells, to a cell or with LATENCY_BOTH to the second one there. The
 * cell is the one that latency_cell_index() would have at @at_second, without the upper half, if each
 * CPU had its own.
 */
__noinline int sample_shared(u64 at_second, u64 lat_ns, u64 bytes, u64 error)
{
	const struct latency_cfg *by = shape();
	u32 at = at_second, row = at % by->slots, bank = at / by->slots % LATENCY_BANKS;
	u32 copy = at / by->slots / LATENCY_BANKS & (by->copies - 1);
	bool second = latency_cfg.flags & LATENCY_BOTH && at_second >> 32;
	const struct latency_cell one = latency_cell_of(lat_ns, bytes, error);
	struct latency_cell *cell = cell_shared(latency_cell_index(by->slots, bank, copy, row));

	if (!cell)
		return 0;
	if (second)
		cell = (void *)cell + latency_cfg.cell_bytes / 2;
	sums_add_atomic(cell, &one);
	__sync_fetch_and_add((u64 *)(cell + 1) + slot_of(lat_ns), 1);
	extremes_add(at, second, lat_ns);
	return 0;
}

/* The cell at @at, which this CPU alone has; the buckets lie behind it. */
static __always_inline struct latency_cell *cell_at(const struct command *c, u32 at,
						    u32 cells_there)
{
	if (queue_is_flat(&c->rq))
		return at < cells_there ? flat_at(cells_flat, (u64)at * LATENCY_FINE_CELL) : NULL;
	return bpf_map_lookup_elem(&cells, &at);
}

static __always_inline u64 bytes_of(const struct command *c)
{
	return c->rq.fast ? RQ(&c->rq, __data_len) : c->slot->bytes;
}

/* Adds a sample to the cell of @row on this CPU, or with LATENCY_BOTH to its @second. */
static __always_inline void sample_add(const struct command *c, u32 row, bool second, u64 lat_ns)
{
	/* First, since it is a call, over which registers are saved. */
	u32 cpu = bpf_get_smp_processor_id();
	const struct latency_cfg *by = shape();
	u32 at = latency_cell_index(by->slots, control.bank, cpu, row), n = by->cells;
	struct latency_cell *cell, one;

	if (!n) {
		sample_shared((u64)second << 32 | at, lat_ns, bytes_of(c),
			      word_failed(c->status_word));
		return;
	}
	cell = cell_at(c, at, n);
	if (!cell)
		return;
	if (second)
		cell = (void *)cell + latency_cfg.cell_bytes / 2;
	one = latency_cell_of(lat_ns, bytes_of(c), word_failed(c->status_word));
	cell_add(c, cell, &one);
	bucket_add(c, (u64 *)(cell + 1) + (c->rq.fast ? slot_by_table(lat_ns) : slot_of(lat_ns)));
}

/* Calls sample_add() as a function of its own: the object then has it once for all phases. */
static __noinline int sample_add_phase(struct queue_info *info, struct command_slot *slot,
				       u64 status_word, u64 phase, u64 lat_ns)
{
	struct command c = { .info = info, .slot = slot, .status_word = status_word };

	sample_add(&c, row_of(&c, phase), false, lat_ns);
	return 0;
}

/* A moment after another, or nothing where the earlier one is not known. */
static __always_inline void phase_add(const struct command *c, u8 phase, u64 from_ns, u64 to_ns)
{
	if (from_ns && to_ns >= from_ns)
		sample_add_phase(c->info, c->slot, c->status_word, phase, to_ns - from_ns);
}

static __always_inline void on_setup(void *ctx, const struct command *c)
{
}

/*
 * How long it took until the driver had the request. That is over with the first attempt: a further
 * one does not come from the scheduler, and began where that one failed.
 */
static __always_inline void phase_add_first(const struct command *c)
{
	const struct command_slot *f = c->slot;

	if (word_retries(c->status_word))
		return;
	phase_add(c, LATENCY_PHASE_SCHEDULER, f->sub.insert_ns, f->submit_ns);
	phase_add(c, LATENCY_PHASE_QUEUE, f->queued_ns, f->sub.insert_ns ?: f->submit_ns);
}

/*
 * As event_entry_unknown(), which is counted. It holds for bios that were queued before we
 * attached, where they do not say when, and for those that request-based dm makes itself.
 */
static __always_inline bool latency_entry_unknown(const struct command *c)
{
	if (c->slot->queued_ns || c->info->admin ||
	    !wire_has_bio(c->slot->opcode, RQ(&c->rq, cmd_flags) & REQ_OP_PASSTHROUGH))
		return false;
	stat_inc(STAT_ENTRY_UNKNOWN);
	return true;
}

/* Latencies from the entry into the block layer are of commands of which that is known. */
static __always_inline bool latency_leaves_out(const struct command *c)
{
	return !c->rq.fast && latency_cfg.flags & LATENCY_QUEUED && latency_entry_unknown(c);
}

/* The latency from the entry into the block layer, from setup without one. */
static __always_inline u64 queued_lat_ns(const struct command *c)
{
	const struct command_slot *f = c->slot;

	return f->queued_ns && f->queued_ns < f->submit_ns ? c->now_ns - f->queued_ns : c->lat_ns;
}

/* Whether there is something for a second cell. A further attempt did not wait: see phase_add_first(). */
static __always_inline bool has_second(const struct command *c)
{
	if (latency_cfg.flags & LATENCY_WAIT && word_retries(c->status_word))
		return false;
	return !latency_entry_unknown(c);
}

static __always_inline void on_complete(void *ctx, const struct command *c)
{
	u32 flags = latency_cfg.flags, row;

	if (flags & LATENCY_WITH_PHASES) {
		sample_add_phase(c->info, c->slot, c->status_word, LATENCY_PHASE_DEVICE, c->lat_ns);
		phase_add_first(c);
		c->slot->complete_ns = c->now_ns;
		return;
	}
	row = row_of(c, LATENCY_PHASE_NONE);
	sample_add(c, row, false, flags & LATENCY_QUEUED ? queued_lat_ns(c) : c->lat_ns);
	if (flags & LATENCY_BOTH && has_second(c))
		sample_add(c, row, true, queued_lat_ns(c) - (flags & LATENCY_WAIT ? c->lat_ns : 0));
}

/* The row of the first command of a queue that has this opcode, and of each that has a rare one. */
static __noinline u32 fast_row(struct queue_info *info, struct command_slot *slot, u64 status_word)
{
	struct command c = { .info = info, .slot = slot, .status_word = status_word };

	c.rq.fast = true;
	return row_by_queue(&c);
}

static __always_inline void on_fast_setup(const struct command *c, const struct sqe *sqe)
{
}

/*
 * The fast path is taken where queue and opcode decide the row, the histogram has the shape of the
 * table, and nothing else is asked for.
 */
static __always_inline void on_fast_complete(const struct command *c)
{
	u32 row = fast_row_at_hand(c, RQ(&c->rq, cmd_flags));

	if (unlikely(!row)) {
		fast_fill(c);
		row = 1 + fast_row(c->info, c->slot, c->status_word);
	}
	sample_add(c, row - 1, false, c->lat_ns);
}

static __always_inline void on_orphan(void *ctx, struct command *c)
{
}

static __always_inline struct latency_trouble *trouble_of(s32 ctrl_id)
{
	u32 at = latency_trouble_index(ctrl_id);

	barrier_var(at);
	return &troubles[at & (LATENCY_CTRLS - 1)];
}

static __always_inline void on_timeout(const struct command *c)
{
	__sync_fetch_and_add(&trouble_of(c->info->ctrl_id)->timeouts, 1);
}

static __always_inline void on_reset(void *ctrl)
{
	__sync_fetch_and_add(&trouble_of(ctrl_instance(ctrl))->resets, 1);
}

/* The phases that end when the block layer hands the request back. */
static __always_inline void latency_end(struct command *c)
{
	struct command_slot *f = c->slot;

	c->now_ns = bpf_ktime_get_ns();
	c->status_word = rq_status_word(&c->rq);
	phase_add(c, LATENCY_PHASE_COMPLETION, f->complete_ns, c->now_ns);
	if (!latency_entry_unknown(c))
		phase_add(c, LATENCY_PHASE_TOTAL, f->queued_ns ?: f->submit_ns, c->now_ns);
	f->complete_ns = 0;
}

/*
 * block_rq_complete, NEED_PHASES. After an attempt that failed the driver may try again, and the
 * request, or another one with its tag, end without a further setup: what was noted of that attempt
 * does not count then.
 */
static __always_inline void latency_done(void *ctx, struct command *c)
{
	struct request *request = c->rq.ptr;

	c->slot = join_leave_block(c);
	if (!c->slot || !c->slot->complete_ns || MEMBER(&c->rq, request, state) == MQ_RQ_IDLE)
		return;
	backup_stands_in(BACKUP_DONE);
	latency_end(c);
}

BTF_PROGRAM(done_btf, "tp_btf/block_rq_complete", rq_typed, latency_done)
RAW_PROGRAM(done_raw, "raw_tp/block_rq_complete", false, latency_done)
