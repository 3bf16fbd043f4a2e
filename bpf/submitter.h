// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * The submitter of a request: the task that entered the block layer, not the worker that happens to
 * run nvme_setup_cmd. Taken at block_rq_insert where that fires (an I/O scheduler, a busy hardware
 * queue), else at setup; kept for the further attempts of the request, which workers start.
 *
 * A request with REQ_PREFLUSH or REQ_FUA passes blk_insert_flush(), and workers do the rest: the
 * block layer's one flush command for all that wait, which borrows the tag of the first of them,
 * and then the write of each that has data. So the submitter is taken there; both find it by the
 * tag.
 *
 * A request that a scheduler holds has no tag yet: its submitter waits in `sched_slots`, addressed
 * by (queue, hardware queue, scheduler tag).
 */
#ifndef NVT_SUBMITTER_H
#define NVT_SUBMITTER_H

#include "bpf/owner.h"
#include "bpf/sched.h"
#include "bpf/stack.h"
#include "bpf/backup.h"

/* Our program and bpf_trace_run: not the kernel's way to the tracepoint. */
#define STACK_OWN_FRAMES 2

/*
 * The task that entered the block layer with a bio for an NVMe disk, NEED_ENTRY or NEED_PLUG.
 * `sub.len` is in sectors here: how many follow the first, in requests of their own where the bio
 * is split.
 */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1);
	__type(key, u64);
	__type(value, struct waiting);
} entries SEC(".maps");

static __always_inline bool submitter_is_worker(bool typed)
{
	if (typed)
		return bpf_get_current_task_btf()->flags & PF_WQ_WORKER;
	return BPF_CORE_READ((struct task_struct *)bpf_get_current_task(), flags) & PF_WQ_WORKER;
}

static __always_inline bool submitter_in_cgroups(void)
{
	for (u32 i = 0; i < FILTER_ITEMS && i < filter.n_cgroups; i++) {
		if (bpf_current_task_under_cgroup(&cgroups, i) == 1)
			return true;
	}
	return false;
}

/* Id and name of the current task by helpers. */
static __always_inline void submitter_ask(struct submitter *s)
{
	u64 id;

	if (needs(NEED_PID)) {
		id = bpf_get_current_pid_tgid();
		s->pid = id >> 32;
		s->tid = id;
	}
	if (needs(NEED_COMM))
		bpf_get_current_comm(s->comm, sizeof(s->comm));
}

/* All of it from the task itself, where cfg.comm_padded. */
static __always_inline void submitter_read(struct submitter *s)
{
	const struct task_struct *task = bpf_get_current_task_btf();
	u64 *words = (u64 *)s->comm;

	if (PROG_THREADS)
		s->worker = !!(task->flags & PF_WQ_WORKER);
	if (needs(NEED_PID)) {
		s->pid = task->tgid;
		if (PROG_THREADS)
			s->tid = task->pid;
	}
	if (needs(NEED_COMM)) {
		words[0] = ARRAY_WORD(task, comm, 0);
		words[1] = ARRAY_WORD(task, comm, 1);
	}
}

/* Fills in what few ask for; a filter by control group needs the group. */
static __always_inline void submitter_task_rare(struct submitter *s, void *ctx, u64 own_frames)
{
	if (needs(NEED_CGROUP))
		s->cgroup_id = bpf_get_current_cgroup_id();
	if (needs(NEED_KSTACK))
		s->kstack_id = stack_number_of(ctx, own_frames);
	if (needs(NEED_USTACK))
		s->ustack_id = stack_number_of(ctx, BPF_F_USER_STACK);
	if (filter.n_cgroups)
		s->selected = submitter_in_cgroups();
}

/* Fills @s with what most ask for of the current task. */
static __always_inline void submitter_name(struct submitter *s, bool typed)
{
	if (typed && cfg.comm_padded) {
		submitter_read(s);
		return;
	}
	if (PROG_THREADS)
		s->worker = submitter_is_worker(typed);
	submitter_ask(s);
}

/*
 * Fills @s from the current task, as far as is needed. @own_frames: of the kernel stack, left out.
 */
static __always_inline void submitter_task(struct submitter *s, void *ctx, u64 own_frames,
					   bool typed)
{
	submitter_name(s, typed);
	if (needs(NEED_CGROUP | NEED_KSTACK | NEED_USTACK))
		submitter_task_rare(s, ctx, own_frames);
}

/* In a backup program: whether the first has noted who enters with @bio. */
static __always_inline bool submitter_is_noted(u64 bio, u64 sector)
{
	struct waiting *entry;

	if (cfg.backup != BACKUP_SECOND)
		return false;
	entry = bpf_map_lookup_elem(&entries, &bio);
	return entry && entry->sub.sector == sector && backup_done(&entry->sub.mark);
}

/*
 * Notes who enters the block layer with @bio, which will become a request at @sector, or several of
 * @more sectors behind the first.
 */
static __always_inline void submitter_enter(void *ctx, struct bio *bio, u64 sector, u32 more,
					    enum backup_hook hook, bool typed)
{
	struct waiting w = { .sub = { .sector = sector, .len = more, .mark = backup_mark() } };
	u64 key = (u64)bio;

	if (submitter_is_noted(key, sector))
		return;
	backup_stands_in(hook);
	submitter_task(&w.sub, ctx, STACK_OWN_FRAMES, typed);
	if (needs(NEED_OWNER))
		w.cause.owner_id = owner_id(bio, owner_task(typed), typed);
	bpf_map_update_elem(&entries, &key, &w, BPF_ANY);
}

/*
 * The cause of @s: that of @slot if @s is there, else the one beside it in struct waiting. With
 * NEED_CAUSE only: without, slots end before it.
 */
static __always_inline struct cause *submitter_cause(struct submitter *s, struct command_slot *slot)
{
	if (slot) {
		barrier_var(slot); /* or the compiler adds to it where it may be NULL */
		if (s == &slot->sub)
			return &slot->cause;
	}
	return &((struct waiting *)s)->cause;
}

/* Returns the entry of @bio if @sector lies in it; else NULL. */
static __always_inline struct waiting *submitter_entry(u64 bio, u64 sector)
{
	struct waiting *entry = bpf_map_lookup_elem(&entries, &bio);

	return entry && sector - entry->sub.sector <= entry->sub.len ? entry : NULL;
}

/*
 * Whether it was noted who entered with the request's bio; then that is left in @s and its cause.
 * Requests made without a bio of their own (passthrough, clones) or that a later bio was put in
 * front of have none. The front part of a bio that was split is a new one, and points to the rest.
 */
static __always_inline bool submitter_entered(struct submitter *s, struct command_slot *slot,
					      const struct rq *rq)
{
	struct bio *first = RQ(rq, bio);
	u64 bio = (u64)first, sector = RQ(rq, __sector);
	const struct waiting *entry = submitter_entry(bio, sector);

	if (!entry && needs(NEED_PLUG) && first) {
		bio = (u64)MEMBER(rq, first, bi_private);
		entry = submitter_entry(bio, sector);
	}
	if (!entry)
		return false;
	*s = entry->sub;
	if (needs(NEED_CAUSE))
		*submitter_cause(s, slot) = entry->cause;
	s->mark = 0; /* it was of that hook */
	if (sector + RQ(rq, __data_len) / 512 >= s->sector + s->len)
		bpf_map_delete_elem(&entries, &bio);
	return true;
}

/* By what submitter_is_of() will know @rq at its setup. */
static __always_inline void submitter_bind(struct submitter *s, const struct rq *rq)
{
	s->sector = RQ(rq, __sector);
	s->len = RQ(rq, __data_len);
}

/*
 * The same for its further attempts, without the length: submitter_complete() notes it after a
 * failure.
 */
static __always_inline void submitter_bind_set_up(struct submitter *s, const struct rq *rq)
{
	s->sector = RQ(rq, __sector);
	s->len = 0;
}

/* On whose behalf the current task submits @rq, which went through no scheduler that is known. */
static __always_inline void submitter_fill_cause(struct cause *cause, const struct rq *rq,
						 const struct queue_info *info)
{
	if (needs(NEED_OWNER))
		cause->owner_id = owner_of(rq);
	if (needs(NEED_SCHED))
		cause->sched = queue_hides_submitters(info) ? SCHED_UNKNOWN : SCHED_NONE;
}

/* Fills @s with who submits @rq. */
static __always_inline void submitter_fill(struct submitter *s, struct command_slot *slot,
					   void *ctx, const struct rq *rq,
					   const struct queue_info *info)
{
	if (needs(NEED_ENTRY | NEED_PLUG) && submitter_entered(s, slot, rq))
		return;
	if (PROG_THREADS || needs(NEED_TASK))
		submitter_task(s, ctx, STACK_OWN_FRAMES, rq->typed);
	if (needs(NEED_CAUSE))
		submitter_fill_cause(submitter_cause(s, slot), rq, info);
}

/* Whether the place that @s was noted for lies in @rq: others may have been merged into it. */
static __always_inline bool submitter_is_in(const struct submitter *s, const struct rq *rq)
{
	u64 before = s->sector - RQ(rq, __sector), sectors = RQ(rq, __data_len) / 512;

	return before <= sectors && s->len / 512 <= sectors - before;
}

/* Whether @rq is the flush command that borrows the tag of the request which @s was noted for. */
static __always_inline bool submitter_is_lent(const struct submitter *s, const struct rq *rq)
{
	return s->state == SUBMITTER_FLUSH && (u8)RQ(rq, cmd_flags) == REQ_OP_FLUSH;
}

/* Whether @s was noted for @rq, or for an earlier request of the same place. */
static __always_inline bool submitter_is_of(const struct submitter *s, const struct rq *rq)
{
	if (s->state == SUBMITTER_INSERTED)
		return submitter_is_in(s, rq);
	if (submitter_is_lent(s, rq))
		return true;
	return s->state && s->sector == RQ(rq, __sector) &&
	       ((!s->len && s->state != SUBMITTER_FLUSH) || s->len == RQ(rq, __data_len));
}

/*
 * At setup, by any task: whether @rq is no attempt of the request that failed, but another one of
 * the same place that got its tag. The driver has set its count of retries to 0 then
 * (nvme_clear_nvme_request()).
 */
static __always_inline bool submitter_is_over(const struct submitter *s, const struct rq *rq)
{
	return s->state == SUBMITTER_FAILED && !word_retries(rq_status_word(rq));
}

/* Notes that a slot filled on the fast path has a submitter, which was left out there. */
static __always_inline void submitter_of_fast(struct command_slot *slot)
{
	if (slot && slot->state & SLOT_FAST)
		slot->sub.state = SUBMITTER_KEPT;
}

/* The place of the submitter of @rq: by the scheduler's tag, or in the command slot. */
static __always_inline struct submitter *
submitter_of(const struct rq *rq, const struct queue_info *info, struct command_slot *slot)
{
	s32 tag = RQ(rq, internal_tag);
	struct waiting *waiting;
	u32 index;

	if (tag < 0) {
		submitter_of_fast(slot);
		return slot ? &slot->sub : NULL;
	}
	if (!cfg.sched_slots || (u32)tag >= info->sched_depth)
		return NULL;
	index = info->sched_base + tag;
	waiting = bpf_map_lookup_elem(&sched_slots, &index);
	return waiting ? &waiting->sub : NULL;
}

/* In a backup program: whether the first has noted the submitter of @rq, and not of an earlier request. */
static __always_inline bool submitter_was_put(struct submitter *s, const struct rq *rq)
{
	return backup_done(&s->mark) && submitter_is_of(s, rq);
}

/*
 * At block_rq_insert: the first insert of a request runs in its submitter, a further one in a
 * worker. A request that was set up is not inserted again (RQF_DONTPREP, blk_mq_requeue_work()), so
 * after a failure it is another one. The setup that follows may run in any task that happens to run
 * the hardware queue.
 */
static __always_inline void submitter_insert(struct submitter *s, struct command_slot *slot,
					     void *ctx, const struct rq *rq,
					     const struct queue_info *info)
{
	if (submitter_was_put(s, rq))
		return;
	backup_stands_in(BACKUP_INSERT);
	if (s->state == SUBMITTER_FAILED || !submitter_is_worker(rq->typed) ||
	    !submitter_is_of(s, rq)) {
		submitter_fill(s, slot, ctx, rq, info);
		submitter_bind(s, rq);
		s->insert_ns = needs(NEED_PHASES) ? bpf_ktime_get_ns() : 0;
	}
	if (needs(NEED_SCHED))
		submitter_cause(s, slot)->sched = sched_of(rq);
	s->state = SUBMITTER_INSERTED;
	s->mark = backup_mark();
}

/* At blk_insert_flush(), which runs once for a request, in its submitter. */
static __always_inline void submitter_flush(struct submitter *s, struct command_slot *slot,
					    void *ctx, const struct rq *rq,
					    const struct queue_info *info)
{
	if (submitter_was_put(s, rq))
		return;
	backup_stands_in(BACKUP_FLUSH);
	submitter_fill(s, slot, ctx, rq, info);
	submitter_bind(s, rq);
	s->insert_ns = 0;
	s->state = SUBMITTER_FLUSH;
	s->mark = backup_mark();
}

/*
 * As submitter_of() for a command with a slot; NULL: a scheduler's tag without a place. Without a
 * scheduler the request need not be asked for that tag.
 */
static __always_inline struct submitter *
submitter_of_command(const struct rq *rq, const struct queue_info *info, struct command_slot *slot)
{
	if (info->sched_depth)
		return submitter_of(rq, info, slot);
	submitter_of_fast(slot);
	return &slot->sub;
}

/* Whether nothing is asked but which scheduler held a command, and the queue has none. */
static __always_inline bool submitter_is_spared(const struct queue_info *info)
{
	return !needs(NEED_SUBMITTER & ~NEED_SCHED) && !info->sched_tags;
}

/* At setup: leaves the submitter of the command in slot->sub. */
static __always_inline void submitter_setup(struct command_slot *slot, void *ctx,
					    const struct rq *rq, const struct queue_info *info)
{
	struct submitter *s;

	if (submitter_is_spared(info))
		return;
	s = submitter_of_command(rq, info, slot);
	if (!s)
		s = &slot->sub;
	if (!submitter_is_of(s, rq) || submitter_is_over(s, rq)) {
		submitter_fill(s, slot, ctx, rq, info);
		s->insert_ns = 0;
	}
	s->mark =
		0; /* it was of the insert; the kernel may have skipped the backup program there */
	if (!submitter_is_lent(s, rq)) {
		submitter_bind_set_up(s, rq);
		s->state = SUBMITTER_KEPT;
	}
	if (s == &slot->sub)
		return;
	slot->sub = *s;
	if (needs(NEED_CAUSE))
		slot->cause = *submitter_cause(s, slot);
	slot->sub.state = SUBMITTER_KEPT;
}

/*
 * On the fast path: whether nobody was noted for the request before, nor could have been with a
 * scheduler's tag. So no scheduler held it.
 */
static __always_inline bool submitter_is_new(const struct submitter *s,
					     const struct queue_info *info)
{
	return !info->sched_tags && !s->state;
}

/* Whether a setup noted who submitted. What the fast path notes has no state: see SUBMITTER_KEPT. */
static __always_inline bool submitter_is_kept(const struct command_slot *slot)
{
	return PROG_ALWAYS & NEED_SUBMITTER || slot->sub.state;
}

/*
 * At completion: without an error the request is over, its submitter with it; a flush leaves the
 * one it borrowed.
 */
static __always_inline void submitter_complete(struct command_slot *slot, const struct rq *rq,
					       const struct queue_info *info, bool failed)
{
	u8 state = failed ? SUBMITTER_FAILED : SUBMITTER_NONE;
	struct submitter *s;

	if (!submitter_is_kept(slot) || submitter_is_lent(&slot->sub, rq))
		return;
	slot->sub.state = state;
	if (failed)
		slot->sub.len = RQ(rq, __data_len);
	if (!info->sched_depth || RQ(rq, internal_tag) < 0)
		return;
	s = submitter_of(rq, info, slot);
	if (s && !submitter_is_lent(s, rq))
		s->state = state;
}

#endif
