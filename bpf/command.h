// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * A command at one of the hooks, and what is counted of it there.
 */
#ifndef NVT_COMMAND_H
#define NVT_COMMAND_H

#include "bpf/queue.h"

/* Whether other programs of ours may count on this CPU before this one ends. */
static __always_inline bool command_shares_cpu(const struct rq *rq)
{
	return rq->fast ? !rq->alone : cfg.xadd;
}

static __always_inline void command_count(const struct rq *rq, u64 *count)
{
	if (command_shares_cpu(rq))
		__sync_fetch_and_add(count, 1);
	else
		++*count;
}

static __always_inline struct reached *command_reached_here(void)
{
	return &reached[bpf_get_smp_processor_id() & (WIRE_CPUS - 1)];
}

/*
 * Counts a run at a hook before anything is looked up. loader_counters() compares the sum with the
 * number of commands that were joined. A backup program does not count, because the kernel counts
 * the runs for which it skips the first program. False: the caller does nothing else. Only tests get
 * that: they build programs that do not see some events (PROG_UNSEEN), or see and forget them
 * (PROG_MISSED).
 */
static __always_inline bool command_reached(const struct rq *rq, enum backup_hook hook)
{
	u64 *count = &command_reached_here()->hook[hook];

	if (!rq->alone && cfg.backup == BACKUP_SECOND)
		return true;
#ifdef PROG_UNSEEN
	if (PROG_UNSEEN(rq, hook))
		return false;
#endif
	command_count(rq, count);
#ifdef PROG_MISSED
	if (PROG_MISSED(hook, *count))
		return false;
#endif
	return true;
}

/* A command at one of the hooks, as handlers get it. */
struct command {
	struct rq rq;
	struct queue_info *info; /* on_orphan: NULL unless NEED_COMPLETE */
	struct command_slot *slot; /* on_orphan: NULL */
	u64 now_ns;
	u64 lat_ns; /* at completion: since setup */
	u64 status_word; /* at completion: see rq_status_word() */
	u32 cmd_flags; /* at a setup of the fast path: of the request */
	u32 tag; /* with `slot`: of the request */
	bool again; /* at setup: the driver had taken the command back before it was sent */
};

/*
 * Whether the queue is QUEUE_APART: then its command is taken from what was reached, and in no
 * account.
 */
static __always_inline bool command_apart(const struct command *c, enum backup_hook hook)
{
	if (!c->info || !queue_is_apart(c->info))
		return false;
	if (cfg.backup != BACKUP_SECOND)
		command_count(&c->rq, &command_reached_here()->apart[hook]);
	return true;
}

/* Finds its entry, once its queue is known; NULL: there is none. */
static __always_inline struct command_slot *command_slot(struct command *c)
{
	c->tag = RQ(&c->rq, tag);
	return queue_command_slot(&c->rq, c->info, c->tag);
}

static __always_inline u16 command_qid(const struct command *c)
{
	return c->info->qid;
}

#define OWNER_STATE_BITS 8 /* of command_slot.owner */

/*
 * The owner of the slot of a command: the request's number, of which the state takes the lowest
 * byte. No two requests have the rest in common: with what the driver keeps behind it, each takes
 * more than 256 bytes.
 */
static __always_inline u64 command_owner(const struct command *c)
{
	return queue_number(&c->rq, c->rq.ptr);
}

/* Whether @owner, of a slot, is the command's request. */
static __always_inline bool command_owns(const struct command *c, u64 owner)
{
	return !((owner ^ command_owner(c)) >> OWNER_STATE_BITS);
}

static __always_inline void command_outstanding(const struct command *c, s64 by)
{
	if (!c->info->admin)
		__sync_fetch_and_add(&outstanding[c->info->ctrl_id & (WIRE_OUTSTANDING - 1)], by);
}

/* More commands outstanding on the controller than --max-inflight, before this one is counted. */
static __always_inline bool command_crowded(const struct command *c)
{
	return !c->info->admin &&
	       outstanding[c->info->ctrl_id & (WIRE_OUTSTANDING - 1)] >= cfg.max_inflight;
}

static __always_inline bool command_busies(const struct command *c)
{
	return PROG_BUSY && c->rq.typed && rq_needs(&c->rq, NEED_BUSY);
}

#endif
