// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Shared by the programs of a flood: how many events a system call asks for, and their queue.
 */
#ifndef NVT_FLOOD_QUEUE_H
#define NVT_FLOOD_QUEUE_H

#include "bpf/join.h"
#include "tests/bench/flood.h"

#define FLOOD_QUEUE 1 /* of `queues`: the one that all are of */

/* The queue as a setup would have left it. */
static __always_inline void flood_queue(void)
{
	struct queue_info *q = &queues[FLOOD_QUEUE];

	q->index = FLOOD_QUEUE;
	q->lba_bytes = 512;
	q->nsid = 1;
	q->qid = 1;
	__builtin_memcpy(q->disk, "nvme0n1", 8);
	q->q = 1;
}

/* An entry of the table in flight takes the account, as if every command had had its tag. */
static __always_inline void flood_account(struct command_slot *f)
{
	const struct rq rq = {};

	command_reached(&rq, BACKUP_SETUP);
	command_reached(&rq, BACKUP_COMPLETE);
	__sync_fetch_and_add(&f->completes, 1);
}

/* How many events the system call @number asks for; the queue is there then. */
static __always_inline u64 flood_asked(u64 number)
{
	u64 n = number - FLOOD_CALL;

	if (n > FLOOD_EVENTS)
		return 0;
	if (!queues[FLOOD_QUEUE].q)
		flood_queue();
	return n;
}

#endif
