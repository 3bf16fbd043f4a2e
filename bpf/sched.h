// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * The I/O scheduler that a request went through, NEED_SCHED. It is read at block_rq_insert, where
 * the scheduler gets the request. It cannot change before the request completes, because the kernel
 * freezes a queue to change its scheduler. Requests that are not inserted went through none:
 * flushes, passthrough, and all of a queue without a scheduler.
 */
#ifndef NVT_SCHED_H
#define NVT_SCHED_H

#include "bpf/queue.h"

/* By the type of the scheduler, which is constant data of the kernel or of a module. */
struct scheduler schedulers[WIRE_SCHEDS] SEC(".bss.scheds");

/* Takes entry @index for a scheduler that is met the first time. 1: it is taken. */
__noinline int sched_try(u64 index)
{
	return !schedulers[index & (WIRE_SCHEDS - 1)].type && claim_take(CLAIM_SCHEDULER, index);
}

/*
 * Adds a scheduler to the table, and returns its number. Two CPUs that meet one at the same moment
 * may each add it: user space tells schedulers apart by their names.
 */
static __noinline u32 sched_take(u64 type, u64 name)
{
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): the verifier is to see a number */
	const u64 *words = (const u64 *)name;

	for (u32 i = 0; i < WIRE_SCHEDS; i++) {
		u64 *to = (u64 *)schedulers[i].name;

		if (!sched_try(i))
			continue;
		to[0] = kernel_word(&words[0]);
		to[1] = kernel_word(&words[1]);
		schedulers[i].type = type;
		return i + 1;
	}
	return SCHED_UNKNOWN;
}

/* At block_rq_insert: the number of the scheduler that gets @rq. */
static __always_inline u8 sched_of(const struct rq *rq)
{
	struct request_queue *q = RQ_RARELY(rq, q);
	struct elevator_queue *elevator = MEMBER(rq, q, elevator);
	struct elevator_type *kind;
	u64 type;

	if (!elevator)
		return SCHED_NONE;
	kind = MEMBER(rq, elevator, type);
	type = queue_number(rq, kind);
	for (u32 i = 0; i < WIRE_SCHEDS; i++) {
		if (schedulers[i].type == type)
			return i + 1;
	}
	return sched_take(type, (u64)MEMBER(rq, kind, elevator_name));
}

#endif
