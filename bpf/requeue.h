// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Commands that were set up and not sent: the block layer takes them back, to have them set up again,
 * or gives them up.
 *
 * With a scheduler the block layer puts the tag before it tells, so another CPU may set up the tag's
 * next command while a program here looks at the slot. Each of the two ends what the slot had by one
 * atomic operation on its owner (requeue_turn()), and the first one counts it. The owner names the
 * request, which is not set up before we return, so it cannot be there again.
 */
#ifndef NVT_REQUEUE_H
#define NVT_REQUEUE_H

#include "bpf/command.h"
#include "bpf/during.h"

#if PROG_HOLDS
/* The command completed, and its event waits: the block layer will not tell of this attempt. */
static __always_inline void on_held(const struct command *c);
#endif

/* The command, whose slot had @state, was set up and not sent. */
static __always_inline void requeue_unsent(const struct command *c, u8 state)
{
	if (!rq_needs(&c->rq, NEED_INFLIGHT | NEED_DURING | NEED_BUSY))
		return;
	if (command_busies(c) && state & SLOT_BUSY_AT)
		busy_end(c->info, state, bpf_ktime_get_ns());
	if (rq_needs(&c->rq, NEED_INFLIGHT))
		command_outstanding(c, -1);
	if (rq_needs(&c->rq, NEED_DURING))
		during_unsent(c->info, c->slot, c->tag);
}

/* Counts that a command was set up and not sent, whose slot had @state. */
static __always_inline void requeue_count(const struct command *c, u8 state)
{
	__sync_fetch_and_add(&c->slot->requeued, 1);
	requeue_unsent(c, state);
}

/* Sends an event that waits in vain: its command is tried again. */
static __always_inline void requeue_send(const struct command *c)
{
#if PROG_HOLDS
	if (needs(NEED_BLOCK | NEED_PHASES))
		on_held(c);
#endif
}

/*
 * Whether programs find the slot of a command whose tag is given away. They need BPF_CMPXCHG, and
 * the command's identifier, which the driver keeps. Raw programs of old kernels have neither.
 */
static __always_inline bool requeue_finds(const struct rq *rq)
{
	return rq->typed || cfg.raw_finds;
}

/*
 * Has the slot, whose owner was @from, say @to. False: another CPU was first, which cannot be where
 * the tag is still the command's.
 */
static __always_inline bool requeue_turn(const struct command *c, u64 from, u64 to)
{
	if (requeue_finds(&c->rq))
		return __sync_val_compare_and_swap(&c->slot->owner, from, to) == from;
	if (*(volatile u64 *)&c->slot->owner != from)
		return false;
	c->slot->owner = to;
	return true;
}

/*
 * At a setup: ends what was in the slot, and was not over. An event that waits there for another
 * request is lost, since that would tell the rest of it. False: requeue_taken_back() makes an event
 * of the slot, so that this command has none.
 */
static __always_inline bool requeue_before(const struct command *c)
{
	u64 owner = *(volatile u64 *)&c->slot->owner;

	if (!(owner & (SLOT_BUSY | SLOT_HELD)))
		return true;
	if ((owner & SLOT_TOLD) == SLOT_TOLD)
		return false;
	if (!requeue_turn(c, owner, 0))
		return !(*(volatile u64 *)&c->slot->owner & SLOT_HELD);
	if (owner & SLOT_BUSY)
		requeue_count(c, owner);
	else if (command_owns(c, owner))
		requeue_send(c);
	else
		stat_inc(STAT_RING_FULL);
	return true;
}

/*
 * The tag that the request had when it was set up. With a scheduler the block layer has given it
 * away when it tells that it takes the request back: then it is read of the command's identifier,
 * if that can be: else, -1, the next setup with the tag finds what is left there.
 */
static __always_inline s32 requeue_tag(const struct rq *rq)
{
	s32 tag = RQ(rq, tag);

	if (tag >= 0 || !requeue_finds(rq))
		return tag;
	return nvme_sqe_word(rq, 0) >> 16 & NVME_TAG_MASK;
}

/*
 * Finds the slot of a request that the block layer has again, and returns its owner; 0: the request
 * has none. With a scheduler another CPU may set up a command with the tag meanwhile.
 */
static __always_inline u64 requeue_find(struct command *c)
{
	u64 owner;

	c->info = queue_of_complete(&c->rq);
	if (!c->info)
		return 0;
	c->tag = requeue_tag(&c->rq);
	c->slot = queue_command_slot(&c->rq, c->info, c->tag);
	if (!c->slot)
		return 0;
	owner = *(volatile u64 *)&c->slot->owner;
	return command_owns(c, owner) ? owner : 0;
}

/*
 * block_rq_requeue: the driver could not send it, or wants to try it again. Without a scheduler it
 * keeps its tag.
 */
static __always_inline void requeue_taken_back(void *ctx, struct command *c)
{
	u64 owner = requeue_find(c);

	if (owner & SLOT_HELD && requeue_turn(c, owner, owner | SLOT_TOLD)) {
		requeue_send(c);
		c->slot->owner = 0;
	}
	if (!(owner & SLOT_BUSY) || !requeue_turn(c, owner, 0))
		return;
	requeue_count(c, owner);
	if ((s32)RQ(&c->rq, tag) >= 0)
		c->slot->owner = (owner & ~(u64)SLOT_STATES) | SLOT_BACK | (owner & SLOT_FAST);
}

/* block_rq_error: the driver could not send it, and never will. */
static __always_inline void requeue_given_up(void *ctx, struct command *c)
{
	u64 owner = requeue_find(c);

	if (!(owner & (SLOT_BUSY | SLOT_BACK)) || !requeue_turn(c, owner, 0))
		return;
	if (owner & SLOT_BUSY) {
		stat_inc(STAT_FAILED_SETUP);
		requeue_unsent(c, owner);
	}
}

#endif
