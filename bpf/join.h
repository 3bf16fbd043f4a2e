// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * The join: what every object does with a command at its setup and its completion, on the slow
 * path. Both find the command slot of the request, by its queue and tag.
 */
#ifndef NVT_JOIN_H
#define NVT_JOIN_H

#include "bpf/file.h"
#include "bpf/requeue.h"
#include "bpf/select.h"
#include "bpf/stamp.h"
#include "bpf/submitter.h"
#include "bpf/syncer.h"

/* NVM Base 2.1, figure 28: opcode bits 1:0 say whether and how data is transferred. */
#define OPCODE_DATA 3

/* From setup to completion; two clocks that disagree are counted, never a latency of centuries. */
static __always_inline u64 join_lat_ns(u64 now_ns, u64 submit_ns)
{
	u64 lat_ns = now_ns - submit_ns, same = lat_ns;

	if ((s64)lat_ns >= 0)
		return lat_ns;
	stat_inc(STAT_CLOCK);
	/* 0. The verifier must not know: it would follow all that comes once more for 0. */
	barrier_var(same);
	return lat_ns - same;
}

/*
 * Bytes that the command moves: the payload, but the list of ranges for a DSM, nothing for a flush.
 */
static __always_inline u32 join_bytes(const struct command *c, const struct sqe *sqe, u8 opcode)
{
	u8 code = opcode;

	if (opcode == OPCODE_WRITE ||
	    opcode == OPCODE_READ) /* data either way, as admin commands too */
		return RQ(&c->rq, __data_len);
	if (opcode == OPCODE_FABRICS)
		code = SQE(sqe, nsid);
	if (!(code & OPCODE_DATA))
		return 0;
	if (!c->info->admin && code == OPCODE_DSM)
		return ((SQE(sqe, cdw10[0]) & 0xff) + 1) * 16;
	return RQ(&c->rq, __data_len);
}

/* When the bio entered the block layer; 0: not known. */
static __always_inline u64 join_queued_ns(const struct rq *rq, u64 now_ns)
{
	struct bio *bio = RQ(rq, bio);

	if (needs(NEED_STAMP)) {
		u64 stamp_ns = stamp_of_request(rq);

		return stamp_ns < now_ns ? stamp_ns : now_ns;
	}
	if (!bpf_core_field_exists(struct bio, bi_issue) || !bio)
		return 0;
	return wire_issue_ns(MEMBER(rq, bio, bi_issue.value), now_ns);
}

/* Its identifier and dwords. */
static __always_inline void join_fill_dwords(struct command_slot *f, const struct sqe *sqe)
{
	f->cid = SQE(sqe, command_id);
	for (u32 i = 0; i < PROG_CDWS; i++)
		f->cdw[i] = SQE(sqe, cdw10[i]);
}

static __always_inline void join_fill_nsid(struct command_slot *f, u32 nsid)
{
	f->nsid = nsid;
	f->fctype = nsid;
}

/* Fills the entry from the command. */
static __always_inline void join_fill(struct command *c, const struct sqe *sqe)
{
	struct command_slot *f = c->slot;
	u8 opcode = SQE(sqe, opcode);

	f->opcode = opcode;
	f->bytes = join_bytes(c, sqe, opcode);
	if (more_at_setup(&c->rq) || opcode == OPCODE_FABRICS)
		join_fill_nsid(f, SQE(sqe, nsid));
	if (!(PROG_ALWAYS & NEED_SQE))
		backup_note(c, sqe);
}

/* Members that few commands need. A look at cfg.needs stays in the program: so they share one. */
#define JOIN_RARE                                                                                  \
	(NEED_CMD_FLAGS | NEED_CPU | NEED_SQE | NEED_QUEUED | NEED_PHASES | NEED_FILE | NEED_SYNCER)

static __always_inline void join_fill_rare(struct command *c, const struct sqe *sqe)
{
	struct command_slot *f = c->slot;

	if (rq_needs(&c->rq, NEED_CMD_FLAGS))
		f->cmd_flags = RQ(&c->rq, cmd_flags);
	if (rq_needs(&c->rq, NEED_CPU))
		f->cpu = bpf_get_smp_processor_id();
	if (rq_needs(&c->rq, NEED_SQE)) {
		f->sqe_flags = SQE(sqe, flags);
		join_fill_dwords(f, sqe);
	}
	if (rq_needs(&c->rq, NEED_QUEUED))
		f->queued_ns = c->info->admin ? 0 : join_queued_ns(&c->rq, c->now_ns);
	if (rq_needs(&c->rq, NEED_PHASES))
		f->complete_ns = 0;
	if (rq_needs(&c->rq, NEED_FILE))
		file_setup(f, &c->rq);
	if (rq_needs(&c->rq, NEED_SYNCER))
		syncer_setup(c, sqe);
}

/* The members that some commands need. */
static __always_inline void join_fill_more(struct command *c, const struct sqe *sqe, void *ctx)
{
	if (rq_needs(&c->rq, NEED_SUBMITTER))
		submitter_setup(c->slot, ctx, &c->rq, c->info);
	if (rq_needs(&c->rq, JOIN_RARE))
		join_fill_rare(c, sqe);
}

/*
 * The entry of a command that is set up; NULL: there is none, which is counted where there should
 * be one.
 */
static __always_inline struct command_slot *join_enter(struct command *c, const struct sqe *sqe)
{
	struct command_slot *f = NULL;

	c->info = queue_of_setup(&c->rq, sqe);
	if (c->info)
		f = command_slot(c);
	if (!f && !command_apart(c, BACKUP_SETUP) && cfg.backup != BACKUP_SECOND)
		stat_inc(STAT_INFLIGHT_FULL);
	return f;
}

/* Does what some commands and filters ask for at each setup; returns whether it is selected. */
static __always_inline bool join_setup_more(struct command *c, const struct sqe *sqe, void *ctx)
{
	bool selected = c->info->selected;

	join_fill_more(c, sqe, ctx);
	if (!c->rq.fast && filter.any && selected)
		selected = select_command(c, sqe);
	if (rq_needs(&c->rq, NEED_INFLIGHT | NEED_DURING)) {
		if (rq_needs(&c->rq, NEED_INFLIGHT)) {
			selected &= !command_crowded(c);
			command_outstanding(c, 1);
		}
		if (rq_needs(&c->rq, NEED_DURING))
			during_setup(c->info, c->slot, c->tag);
	}
	return selected;
}

/* The part of a setup that each command has. */
static __always_inline void join_begin(struct command *c)
{
	struct command_slot *f = c->slot;

	c->now_ns = bpf_ktime_get_ns();
	f->submit_ns = c->now_ns;
}

/* The common part of nvme_setup_cmd. False: there is no entry for the command. */
static __always_inline bool join_setup(struct command *c, const struct sqe *sqe, void *ctx)
{
	struct command_slot *f;
	bool selected;
	u8 state;

	f = c->slot = join_enter(c, sqe);
	if (!f || (backup(c) && backup_entered(c, sqe)))
		return false;
	state = f->state;
	c->again = state & (SLOT_BUSY | SLOT_BACK) && command_owns(c, f->owner);
	if (!requeue_before(c)) {
		stat_inc(STAT_INFLIGHT_FULL);
		return false;
	}
	/* submitter_of_fast() looks at FAST. */
	f->owner = (command_owner(c) & ~(u64)SLOT_STATES) | (state & SLOT_FAST);
	join_begin(c);
	join_fill(c, sqe);
	selected = more_at_setup(&c->rq) ? join_setup_more(c, sqe, ctx) : c->info->selected;
	state = SLOT_BUSY | (selected ? SLOT_SELECTED : 0);
	if (selected && command_busies(c))
		state |= busy_begin(c->info, c->now_ns);
	f->state = state;
	return true;
}

/*
 * Fills in cid, nsid and dwords from the SQE, where the driver keeps that. Its flags are 0: the
 * transport added its own after the setup.
 */
static __always_inline void fast_fill_sqe(const struct command *c)
{
	struct command_slot *f = c->slot;
	u64 word = nvme_sqe_word(&c->rq, 0);

	f->cid = word >> 16;
	join_fill_nsid(f, word >> 32);
	f->sqe_flags = 0;
	for (u32 i = 0; i < PROG_CDWS / 2; i++) {
		word = nvme_sqe_word(&c->rq, 5 + i);
		f->cdw[2 * i] = word;
		f->cdw[2 * i + 1] = word >> 32;
	}
}

/* Fills in what fast_enter() left out: the request tells it until it completes. */
static __always_inline void fast_fill(const struct command *c)
{
	u32 cmd_flags = RQ(&c->rq, cmd_flags);

	c->slot->opcode = wire_opcode(cmd_flags);
	c->slot->bytes = RQ(&c->rq, __data_len);
	if (PROG_FAST_NEEDS & NEED_CMD_FLAGS)
		c->slot->cmd_flags = cmd_flags;
	if (PROG_TELLS_SQE)
		fast_fill_sqe(c);
}

/* A completion whose submission was not seen: why? */
static __always_inline bool join_orphan(struct command *c, struct command_slot *f)
{
	if (control.stopping) {
		stat_inc(STAT_STOPPED);
		return false;
	}
	if (!c->info || c->info->admin)
		queue_suspect_all(); /* it may have been an Identify command */
	if (command_apart(c, BACKUP_COMPLETE))
		return false;
	if (word_status(rq_status_word(&c->rq)) == STATUS_HOST_PATH_ERROR)
		stat_inc(STAT_UNSENT);
	else if (c->info ? f && !f->submit_ns : !queue_entries_gone())
		stat_inc(STAT_BEFORE_ATTACH);
	else
		stat_inc(STAT_UNMATCHED);
	if (f && needs(NEED_PHASES))
		f->complete_ns = 0;
	c->slot = NULL;
	if (!needs(NEED_COMPLETE))
		return false;
	if (c->rq.typed)
		c->rq = rq_rare(c->rq.ptr);
	c->info = queue_of_any(&c->rq);
	return c->info;
}

enum join_outcome { JOIN_LEFT_OUT, JOIN_SELECTED, JOIN_ORPHAN, JOIN_SLOW };

/* The entry of a command whose queue is known; NULL: there is none. */
static __always_inline struct command_slot *join_leave(struct command *c)
{
	c->info = queue_of_complete(&c->rq);
	return c->info ? command_slot(c) : NULL;
}

/*
 * The entry of a command at block_rq_complete, where requests of every driver come by; NULL: there
 * is none, or another request's.
 */
static __always_inline struct command_slot *join_leave_block(struct command *c)
{
	struct command_slot *f = queue_is_nvme(&c->rq, true) ? join_leave(c) : NULL;

	return f && command_owns(c, f->owner) ? f : NULL;
}

/* Whether there is something of this kind. */
static __always_inline bool more_at_complete(const struct command *c)
{
	return PROG_ALWAYS & NEED_AT_COMPLETE || (!c->rq.fast && cfg.more_at_complete);
}

/*
 * Does what some commands and filters ask for at each completion; returns whether it is selected.
 */
static __always_inline bool join_complete_more(struct command *c)
{
	if (rq_needs(&c->rq, NEED_INFLIGHT | NEED_DURING)) {
		if (rq_needs(&c->rq, NEED_INFLIGHT))
			command_outstanding(c, -1);
		if (rq_needs(&c->rq, NEED_DURING))
			during_complete(c->info, c->slot, c->tag);
	}
	if (rq_needs(&c->rq, NEED_SUBMITTER))
		submitter_complete(c->slot, &c->rq, c->info, word_failed(c->status_word));
	return !filters_complete(&c->rq) ||
	       filter_complete(&filter, c->lat_ns, word_status(c->status_word),
			       word_retries(c->status_word));
}

static __always_inline void join_stamp(struct command *c)
{
	c->now_ns = bpf_ktime_get_ns();
	c->lat_ns = join_lat_ns(c->now_ns, c->slot->submit_ns);
}

/* When it completed, and how. */
static __always_inline void join_outcome_read(struct command *c)
{
	if (PROG_STATUS)
		c->status_word = rq_status_word(&c->rq);
	if (PROG_CLOCK(c))
		join_stamp(c);
}

/* The common part of nvme_complete_rq. */
static __always_inline enum join_outcome join_complete(struct command *c)
{
	struct command_slot *f = join_leave(c);
	u8 state, mark = 0;

	if (backup(c)) {
		if (backup_completed(f))
			return JOIN_LEFT_OUT;
		mark = backup_mark() ? SLOT_MARK : 0;
	}
	if (!f || !(f->state & SLOT_BUSY) || !command_owns(c, f->owner)) {
		if (f)
			f->state |= mark;
		return join_orphan(c, f) ? JOIN_ORPHAN : JOIN_LEFT_OUT;
	}
	c->slot = f;
	state = f->state;
	f->state = mark;
	if (c->rq.fast && state & SLOT_FAST)
		fast_fill(c);
	join_outcome_read(c);
	if (state & SLOT_BUSY_AT && command_busies(c))
		busy_end(c->info, state, c->now_ns);
	if ((more_at_complete(c) && !join_complete_more(c)) || !(state & SLOT_SELECTED) ||
	    PROG_LEAVES_OUT(c)) {
		f->filtered++;
		return JOIN_LEFT_OUT;
	}
	f->completes++;
	return JOIN_SELECTED;
}

/* The place for the submitter of a request that is not set up yet; NULL: there is none. */
static __always_inline struct submitter *join_waiting(struct command *c)
{
	if (!queue_is_nvme(&c->rq, false)) /* what waits is for a disk */
		return NULL;
	c->info = queue_of_insert(&c->rq);
	if (!c->info)
		return NULL;
	c->slot = command_slot(c);
	return submitter_of(&c->rq, c->info, c->slot);
}

/* block_rq_insert: notes the submitter of a request that a scheduler or a full queue holds back. */
static __always_inline void join_insert(void *ctx, struct command *c)
{
	struct submitter *s = join_waiting(c);

	if (s)
		submitter_insert(s, c->slot, ctx, &c->rq, c->info);
	else if (c->info && queue_hides_submitters(c->info) && cfg.backup != BACKUP_SECOND)
		stat_inc(STAT_QUEUES_FULL);
}

/* blk_insert_flush(): the same of a request that waits for a flush. */
static __always_inline void join_flush(void *ctx, struct command *c)
{
	struct submitter *s = join_waiting(c);

	if (s)
		submitter_flush(s, c->slot, ctx, &c->rq, c->info);
}

/*
 * Copies the submission queue entry, in a raw program. Of a read or write nothing but the opcode is
 * looked at where a setup has no more to do, and the request tells that (nvme_setup_cmd()): which
 * saves a helper call, a tenth of all.
 */
static __always_inline void join_read_sqe(const struct sqe *sqe, const struct rq *rq)
{
	u32 cmd_flags = RQ(rq, cmd_flags);

	if (!more_at_setup(rq) && !cfg.backup && (u8)cmd_flags <= REQ_OP_WRITE) {
		__builtin_memset(sqe->ptr, 0, sizeof(*sqe->ptr));
		sqe->ptr->opcode = wire_opcode(cmd_flags);
		return;
	}
	bpf_probe_read_kernel(sqe->ptr, sizeof(*sqe->ptr), sqe->kernel);
}

#endif
