// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * The join of bpf/join.h once more, for the fast path: for reads and writes, of which most load
 * consists, where the session asks for nothing beside PROG_ALWAYS and PROG_FAST_NEEDS.
 *
 * The loader lets it run only where cfg.late_identify is 1, cfg.comm_padded if names are asked for,
 * and cfg.rdonly_cast or cfg.probe_read. A look at cfg takes two instructions, which the verifier
 * leaves although it drops what hangs on them: so nothing here looks where it can be spared.
 */
#ifndef NVT_FAST_H
#define NVT_FAST_H

#include "bpf/join.h"

/* The row that the queue remembers for reads, or for writes. 0: none. */
static __always_inline u32 fast_row_at_hand(const struct command *c, u32 cmd_flags)
{
	const u16 *row = &c->info->row[QUEUE_ROW(OPCODE_READ)];

	_Static_assert(QUEUE_ROW(OPCODE_WRITE) == QUEUE_ROW(OPCODE_READ) + REQ_OP_WRITE,
		       "rows that do not adjoin");
	return row[cmd_flags & REQ_OP_WRITE];
}

#define FAST_PLACE (NEED_CPU | NEED_CGROUP)

/* Notes where a command is submitted, as far as @needs ask. */
static __always_inline void fast_place(const struct command *c, u32 needs)
{
	if (!(needs & FAST_PLACE))
		return;
	if (needs & NEED_CPU)
		c->slot->cpu = bpf_get_smp_processor_id();
	if (needs & NEED_CGROUP)
		c->slot->sub.cgroup_id = bpf_get_current_cgroup_id();
}

/*
 * join_setup() for a read or write whose queue is at hand, whose slot is free, and whose driver
 * keeps until the completion what an event then reads. False: nothing was done.
 */
static __always_inline bool fast_enter(struct command *c, const struct sqe *sqe)
{
	c->cmd_flags = RQ(&c->rq, cmd_flags);
	if ((u8)c->cmd_flags > REQ_OP_WRITE)
		return false;
	c->info = queue_ready(&c->rq);
	if (!c->info || (PROG_TELLS_SQE && !c->info->keeps_sqe))
		return false;
	c->slot = command_slot(c);
	if (!c->slot || c->slot->state)
		return false;
	if (PROG_ALWAYS & NEED_SUBMITTER && !submitter_is_new(&c->slot->sub, c->info))
		return false;
	c->slot->owner = command_owner(c); /* the state follows */
	/* The request goes first: what was read of it before is lost with the first call. */
	if (PROG_ALWAYS & NEED_SUBMITTER)
		submitter_bind_set_up(&c->slot->sub, &c->rq);
	backup_note(c, sqe);
	join_begin(c);
	if (PROG_ALWAYS & NEED_SUBMITTER)
		submitter_read(&c->slot->sub);
	if (PROG_FAST_NEEDS & FAST_PLACE)
		fast_place(c, cfg.needs);
	c->slot->state = SLOT_BUSY | SLOT_FAST | c->info->selected;
	return true;
}

/* Frees the slot; the mark tells the backup program that this was done. */
static __always_inline void fast_end(const struct command *c)
{
	c->slot->state = backup(c) ? SLOT_MARK : 0;
}

static __always_inline enum join_outcome fast_leave_out(const struct command *c)
{
	fast_end(c);
	c->slot->filtered++;
	return JOIN_LEFT_OUT;
}

/* When a selected command completed, and how. */
static __always_inline enum join_outcome fast_outcome(struct command *c)
{
	if (PROG_FAST_CLOCK)
		c->now_ns = bpf_ktime_get_ns();
	if (PROG_FAST_STATUS)
		c->status_word = rq_status_surely(&c->rq);
	if (unlikely(PROG_SLOW_IF(c)))
		return JOIN_SLOW;
	if (PROG_FAST_LEAVES_OUT)
		return fast_leave_out(c);
	fast_end(c);
	c->slot->completes++;
	if (PROG_FAST_CLOCK)
		c->lat_ns = join_lat_ns(c->now_ns, c->slot->submit_ns);
	return JOIN_SELECTED;
}

/* The slot of a command whose queue is at hand; else NULL. */
static __always_inline struct command_slot *fast_slot(struct command *c)
{
	u64 q = PROG_FAST_CASTS ? queue_number(&c->rq, RQ_RARELY(&c->rq, mq_hctx))
				: queue_pointer(&c->rq);

	c->info = queue_at_hand(q);
	return c->info ? command_slot(c) : NULL;
}

/* join_complete() for what fast_enter() took. JOIN_SLOW: nothing was done. */
static __always_inline enum join_outcome fast_leave(struct command *c)
{
	u8 state;

	c->slot = fast_slot(c);
	if (!c->slot)
		return JOIN_SLOW;
	state = c->slot->state;
	if (unlikely(state != (SLOT_BUSY | SLOT_FAST | SLOT_SELECTED))) {
		if (state != (SLOT_BUSY | SLOT_FAST))
			return JOIN_SLOW;
		return fast_leave_out(c);
	}
	return fast_outcome(c);
}

/* In the backup program of a setup: the first program has been here, as far as is seen here. */
static __always_inline bool fast_entered(struct command *c, const struct sqe *sqe)
{
	c->slot = fast_slot(c);
	return c->slot && backup_is_in(c, sqe);
}

/* In that of a completion: likewise; the mark is taken away. */
static __always_inline bool fast_completed(struct command *c)
{
	struct command_slot *f = fast_slot(c);

	if (!f || f->state != SLOT_MARK)
		return false;
	f->state = 0;
	return true;
}

#endif
