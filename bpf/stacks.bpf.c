// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * stacks: sums by the stack of the submission. All CPUs add to the same rows, so they add
 * atomically. A command that finds no row, or whose stack finds no room, is summed up apart.
 */
#include "bpf/shared/stacks.h"

const volatile struct stacks_cfg stacks_cfg SEC(".rodata.stacks");

#define PROG_SYNCERS	   1
#define PROG_TYPED	   rq_rare /* what loads cost more is little beside a stack */
#define PROG_LEAVES_OUT(c) (stacks_cfg.flags & STACKS_ERRORS && !word_status((c)->status_word))
#define PROG_NEVER                                                                                 \
	(NEED_QUEUED | NEED_RESULT | NEED_SQE | NEED_CMD_FLAGS | NEED_SUBMIT | NEED_COMPLETE |     \
	 NEED_IO | NEED_PHASES | NEED_INFLIGHT | NEED_CPU | NEED_BLOCK | NEED_STAMP | NEED_NSID |  \
	 NEED_BUSY)

#include "bpf/prog.h"
#include "bpf/sync.h"
#include "bpf/key.h"

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(struct stacks_key));
	__uint(value_size, sizeof(struct stacks_cell));
} rows SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, STACKS_BANKS + 1);
	__uint(key_size, sizeof(u32));
	__uint(value_size, sizeof(struct stacks_cell));
} spill SEC(".maps");

/* User stacks whose process user space was told of. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, u64);
	__type(value, u8);
} noticed SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} events SEC(".maps");

/* The configuration behind a barrier: else the compiler takes its members for the file's zeroes. */
static __always_inline const struct stacks_cfg *shape(void)
{
	const struct stacks_cfg *c = (const void *)&stacks_cfg;

	barrier_var(c);
	return c;
}

static __always_inline s32 stack_number(s32 id)
{
	if (id >= 0)
		return id;
	return id == STACK_ABSENT ? STACKS_NONE : STACKS_LOST;
}

/* The row of @key: found, or added, else the one of what has no room. */
static __always_inline struct stacks_cell *row_of(const struct stacks_key *key)
{
	struct stacks_cell *cell = bpf_map_lookup_elem(&rows, key);
	u32 empty = STACKS_BANKS, bank = key->bank;
	const void *blank;

	if (cell)
		return cell;
	blank = bpf_map_lookup_elem(&spill, &empty);
	if (blank)
		bpf_map_update_elem(&rows, key, blank, BPF_NOEXIST);
	cell = bpf_map_lookup_elem(&rows, key); /* ours, or that of a CPU that came first */
	if (cell)
		return cell;
	stat_inc(STAT_KEYS_FULL);
	return bpf_map_lookup_elem(&spill, &bank);
}

/* Counts one in the row of @key, and returns that. */
static __always_inline struct stacks_cell *row_count(const struct stacks_key *key)
{
	struct stacks_cell *cell = row_of(key);

	if (cell)
		__sync_fetch_and_add(&cell->count, 1);
	return cell;
}

static __always_inline void row_add(const struct stacks_key *key, u64 lat_ns, u32 bytes, bool error)
{
	const struct stacks_cell one = { 1, HIST_SUMS_OF(lat_ns, bytes, error) }, *from = &one;
	struct stacks_cell *to = row_count(key);
	u32 slots = stacks_cfg.hist.slots, slot;

	if (!to)
		return;
	HIST_SUMS(HIST_SUM_ADD_ATOMIC)
	if (!(stacks_cfg.flags & STACKS_HIST))
		return;
	slot = hist_slot(&shape()->hist, lat_ns);
	barrier_var(slot);
	if (slot >= slots)
		slot = slots - 1;
	__sync_fetch_and_add((u64 *)(to + 1) + slot, 1);
}

/*
 * Tells user space of a user stack when it is first seen: once its process has ended nobody can
 * name the functions any more.
 */
static __always_inline void notice(u32 pid, s32 ustack_id)
{
	u64 key = (u64)pid << 32 | (u32)ustack_id;
	struct event *ev;
	u8 one = 1;

	if (ustack_id < 0 || bpf_map_lookup_elem(&noticed, &key) ||
	    bpf_map_update_elem(&noticed, &key, &one, BPF_NOEXIST))
		return;
	ev = bpf_ringbuf_reserve(&events, sizeof(*ev), 0);
	if (!ev)
		return; /* then it is named at the end of the interval */
	__builtin_memset(ev, 0, sizeof(*ev));
	ev->kind = EVENT_STACK;
	ev->ts_ns = bpf_ktime_get_ns();
	ev->pid = pid;
	ev->kstack_id = -1;
	ev->ustack_id = ustack_id;
	bpf_ringbuf_submit(ev, BPF_RB_FORCE_WAKEUP);
}

static __always_inline void on_setup(void *ctx, const struct command *c)
{
	const struct submitter *sub = &c->slot->sub;

	if (needs(NEED_USTACK) && c->slot->state & SLOT_SELECTED)
		notice(sub->pid, sub->ustack_id);
}

/* The rest of a key, whose stacks are those of @sub. */
static __always_inline void key_finish(struct stacks_key *key, const struct submitter *sub)
{
	stacks_key_fill(key, stacks_cfg.flags, sub);
	if (needs(NEED_KSTACK))
		key->kstack_id = stack_number(key->kstack_id);
	if (needs(NEED_USTACK))
		key->ustack_id = stack_number(key->ustack_id);
	key->bank = control.bank & 1;
}

static __always_inline void on_complete(void *ctx, const struct command *c)
{
	struct stacks_key key;

	key_of_command(&key.key, shape()->by, NULL, c);
	key_finish(&key, &c->slot->sub);
	row_add(&key, c->lat_ns, c->slot->bytes, word_status(c->status_word));
}

static __always_inline void on_orphan(void *ctx, struct command *c)
{
}

/*
 * block_getrq, NEED_ENTRY: a bio is about to become a request; this runs in the task that entered.
 */
static __always_inline void entered(void *ctx, struct bio *bio, bool typed)
{
	struct stamp_bio b = stamp_bio(bio, typed);

	if (stamp_is_nvme(&b))
		submitter_enter(ctx, bio, b.sector, 0, BACKUP_ENTRY, typed);
}

SEC("tp_btf/block_getrq")
int BPF_PROG(entry_btf, struct bio *bio)
{
	if (bio)
		entered(ctx, bio, true);
	return 0;
}

SEC("raw_tp/block_getrq")
int entry_raw(u64 *ctx)
{
	entered(ctx, raw_arg(ctx, cfg.bio_second), false);
	return 0;
}

static __always_inline bool probe_selected(const struct submitter *s)
{
	if ((filter.n_pid || filter.has_comm) && !filter_submitter(&filter, s->pid, s->comm))
		return false;
	return !filter.n_cgroups || s->selected;
}

/*
 * --probe names any function, so it can only be a kprobe. It may be skipped where another program
 * runs.
 */
SEC("kprobe")
int probe_stack(void *ctx)
{
	struct submitter s = {};
	struct stacks_key key = {};

	submitter_task(&s, ctx, 0, false);
	if (!probe_selected(&s))
		return 0;
	if (needs(NEED_USTACK))
		notice(s.pid, s.ustack_id);
	key_fill_who(&key.key.who, shape()->by, &s);
	key_finish(&key, &s);
	row_count(&key);
	return 0;
}
