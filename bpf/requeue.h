// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Commands that were set up and not sent: the block layer takes them back, to have them set up again,
 * or gives them up.
 */
#ifndef NVT_REQUEUE_H
#define NVT_REQUEUE_H

#include "bpf/command.h"
#include "bpf/during.h"

/* The command, which was set up, is not in flight any more, nor was it sent. */
static __always_inline void requeue_unsent(const struct command *c)
{
	if (!rq_needs(&c->rq, NEED_INFLIGHT | NEED_DURING | NEED_BUSY))
		return;
	if (command_busies(c) && c->slot->state & SLOT_BUSY_AT)
		busy_end(c->info, c->slot->state, bpf_ktime_get_ns());
	if (rq_needs(&c->rq, NEED_INFLIGHT))
		command_outstanding(c, -1);
	if (rq_needs(&c->rq, NEED_DURING))
		during_unsent(c->info, c->slot, c->tag);
}

/*
 * The command was taken back before it was sent: the block layer said so, or this setup finds its
 * entry busy.
 */
static __always_inline void requeue_count(const struct command *c)
{
	c->slot->requeued++;
	requeue_unsent(c);
}

/*
 * The tag that the request had when it was set up. With a scheduler the block layer has given it
 * away when it tells that it takes the request back: then it is read of the command's identifier,
 * which the driver keeps. -1: not known.
 */
static __always_inline s32 requeue_tag(const struct rq *rq)
{
	s32 tag = RQ(rq, tag);

	if (tag >= 0 || !cfg.off.known)
		return tag;
	return nvme_sqe_word(rq, 0) >> 16 & NVME_TAG_MASK;
}

/*
 * The state of the entry of a request that was set up, is not completed, and will not be: the block
 * layer has it. 0: it has none. Another CPU may set another request up with its tag by now: that
 * writes which one it is first and the state last, so here the state is read first.
 */
static __always_inline u8 requeue_state(struct command *c)
{
	u8 state;

	c->info = queue_of_complete(&c->rq);
	if (!c->info)
		return 0;
	c->tag = requeue_tag(&c->rq);
	c->slot = queue_command_slot(&c->rq, c->info, c->tag);
	if (!c->slot)
		return 0;
	state = c->slot->state;
	barrier();
	return c->slot->request == command_request(c) ? state : 0;
}

#if PROG_HOLDS
/* The command completed, and its event waits: the block layer will not tell of this attempt. */
static __always_inline void on_held(const struct command *c);
#endif

/* Sees to an event that waits in vain: its command is tried again. */
static __always_inline void requeue_held(const struct command *c)
{
#if PROG_HOLDS
	if (needs(NEED_BLOCK | NEED_PHASES) && c->slot->state & SLOT_HELD)
		on_held(c);
#endif
}

/* block_rq_requeue: the driver could not send it, or wants to try it again. */
static __always_inline void requeue_taken_back(void *ctx, struct command *c)
{
	u8 state = requeue_state(c);

	if (state)
		requeue_held(c);
	if (!(state & SLOT_BUSY))
		return;
	requeue_count(c);
	c->slot->state = (s32)RQ(&c->rq, tag) < 0 ? 0 : SLOT_BACK | (state & SLOT_FAST);
}

/* block_rq_error: the driver could not send it, and never will. */
static __always_inline void requeue_given_up(void *ctx, struct command *c)
{
	u8 state = requeue_state(c);

	if (!(state & (SLOT_BUSY | SLOT_BACK)))
		return;
	if (state & SLOT_BUSY) {
		stat_inc(STAT_FAILED_SETUP);
		requeue_unsent(c);
	}
	c->slot->state = 0;
}

#endif
