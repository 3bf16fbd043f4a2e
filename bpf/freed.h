// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Commands that ended and that no hook told of. What the driver sets up and then gives up has no
 * block_rq_error if it is passthrough, its request RQF_QUIET or its disk dead (blk_update_request());
 * block_rq_complete would tell, for 63 to 80 instructions of every command. But a request that is
 * freed has no hardware queue (__blk_mq_free_request()), and gets one before it is set up; one that
 * the block layer takes back behind a scheduler has another tag, or none. So when user space reads
 * what is in flight (lib/loader/loader_inflight.c), it asks of each command: nothing is attached, the
 * program runs in our own task.
 *
 * The request is found by the number in the slot: the driver's tags do not lead to one that was never
 * sent (6.12). A queue that is gone has freed the memory of its requests, so that none is found.
 *
 * It is asked only while programs are attached to the hooks that tell of ends. They run before the
 * request is freed: so a slot that is still busy when its request was seen free had no such end.
 *
 * While commands are set up, a slot is ended by compare and swap (freed_end()). Where there is none
 * (requeue_finds(), before 5.13), the program changes nothing. It only answers that the command is
 * over. User space compares the time of the setup before and after. If it is the same, the answer is
 * about this command, and user space leaves it out of what is in flight. If the command ended between
 * the two, that is right as well. So each reading asks anew, and counts nothing. The command counts once: as taken back, if
 * a setup finds its slot busy, else when no program sets up any more, since then nobody else writes the
 * slot. Three things stay wrong until then: `outstanding` (--max-inflight), `during`, and a reading in
 * the moment in which the request is another command's already and not set up yet.
 */
#ifndef NVT_FREED_H
#define NVT_FREED_H

#include "bpf/address.h"
#include "bpf/requeue.h"

#define CACHE_LINE 64 /* the smallest there is */

/* The address of `queues`, as a number: the verifier adds no unknown one to a pointer. */
u64 queues_at SEC(".bss.freed");

/* The word at @addr; 0 where there is none. */
static __always_inline u64 freed_word(u64 addr)
{
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): what is read is a number */
	return kernel_word((void *)kernel_address(addr, kernel_bit()));
}

/* The address of which queue_number() made @number. */
static __always_inline u64 freed_address(u64 number, bool typed)
{
	if (!typed)
		return number;
	*(volatile u64 *)&queues_at = (u64)queues;
	return number + *(volatile u64 *)&queues_at;
}

/* The word at member @m of the structure @type at @addr. */
#define FREED_READ(addr, type, m) freed_word((addr) + bpf_core_field_offset(type, m))

/* The tag of the request at @rq. */
static __always_inline s32 freed_tag(u64 rq)
{
	return FREED_READ(rq, struct request, tag);
}

/* Whether the request at @rq is not the command's any more. */
static __always_inline bool freed(const struct command *c, u64 rq)
{
	return !FREED_READ(rq, struct request, mq_hctx) || freed_tag(rq) != (s32)c->tag;
}

/* Counts that the command of the request at @rq, whose slot had @state, was set up and not sent. */
static __always_inline void freed_count(const struct command *c, u64 rq, u8 state)
{
	if (freed_tag(rq) != (s32)c->tag) {
		requeue_count(c, state);
	} else {
		stat_inc(STAT_FAILED_SETUP);
		requeue_unsent(c, state);
	}
}

/*
 * Ends the command in the slot of @c, of the request at @rq, if that is free. A mark, BACK beside
 * BUSY, tells whether anything has happened to the slot between the look at the request and the end.
 * Returns whether the command is over, and stays in its slot while @setups may come.
 */
static __always_inline bool freed_end(const struct command *c, u64 owner, u64 rq, bool setups)
{
	if (!freed(c, rq))
		return false;
	if (setups && !requeue_finds(&c->rq))
		return true;
	if (!requeue_turn(c, owner, owner | SLOT_BACK))
		return false;
	if (!freed(c, rq))
		requeue_turn(c, owner | SLOT_BACK, owner);
	else if (requeue_turn(c, owner | SLOT_BACK, 0))
		freed_count(c, rq, owner);
	return false;
}

/* The tag set of the queue @q. */
static __always_inline u64 freed_tags(u64 q)
{
	return FREED_READ(q, struct request_queue, tag_set);
}

/*
 * The request that begins behind @at, where the state of a slot took the lowest byte of its number: at
 * a cache line (blk_mq_alloc_rqs()), with the queue of one with the same @tags. 0: there is none.
 */
static __always_inline u64 freed_find(u64 at, u64 tags)
{
	for (u32 i = 0; i < 1 << OWNER_STATE_BITS; i += CACHE_LINE) {
		if (freed_tags(FREED_READ(at + i, struct request, q)) == tags)
			return at + i;
	}
	return 0;
}

/*
 * @ctx: the index of a queue, a tag, and whether commands may be set up. @typed is constant in each
 * program. Returns 1 if the command with this tag is over, and still in its slot.
 */
static __always_inline int freed_look(const u64 *ctx, bool typed)
{
	struct command c = { .rq = { .typed = typed }, .tag = ctx[1] };
	u64 hctx, tags, rq, owner;

	c.info = queue_entry(ctx[0]);
	c.slot = queue_command_slot(&c.rq, c.info, c.tag);
	if (!c.slot || !c.info->q)
		return 0;
	owner = *(volatile u64 *)&c.slot->owner;
	hctx = freed_address(c.info->q, typed);
	tags = freed_tags(FREED_READ(hctx, struct blk_mq_hw_ctx, queue));
	rq = tags ? freed_find(freed_address(owner & ~(u64)SLOT_STATES, typed), tags) : 0;
	return rq && owner & SLOT_BUSY && freed_end(&c, owner, rq, ctx[2]);
}

#endif
