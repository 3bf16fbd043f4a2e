// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * The path of bpf/path.h once more, for plain programs: for reads and writes, of which most load
 * consists.
 */
#ifndef NVT_PLAIN_H
#define NVT_PLAIN_H

#include "bpf/path.h"

#ifndef PROG_PLAIN_OUTCOME
#define PROG_PLAIN_OUTCOME true
#endif

/* The row that the queue remembers for reads, or for writes. 0: none. */
static __always_inline u32 plain_row_at_hand(const struct command *c, u32 cmd_flags)
{
	const u16 *row = &c->info->row[QUEUE_ROW(OPCODE_READ)];

	_Static_assert(QUEUE_ROW(OPCODE_WRITE) == QUEUE_ROW(OPCODE_READ) + REQ_OP_WRITE,
		       "rows that do not adjoin");
	return row[cmd_flags & REQ_OP_WRITE];
}

/*
 * Where a look at the request costs much, a helper call in raw programs and checks for faults
 * before 6.2 (bpf_rdonly_cast() came with what made the arguments of tracepoints trusted), a setup
 * notes where the entry is, and what else a completion asks for. cfg.twice is 0 there. The entry
 * tells whether it is that of the request: two may have one place here.
 */
#ifdef PROG_PLAIN_NOTED
#define PLAIN_REQUESTS 16384 /* a power of two */
u32 by_request[PLAIN_REQUESTS] SEC(".bss.requests");

static __always_inline u32 *plain_noted(u64 request)
{
	/* Those of a queue lie side by side, at the beginning of a cache line each. */
	return &by_request[request / 64 % PLAIN_REQUESTS];
}

/* The entry that was noted for the request, if it is that still. */
static __always_inline struct command_slot *plain_slot_noted(const struct rq *rq)
{
	u64 request = queue_number(rq, rq->ptr);
	struct command_slot *f = queue_command_slot_at(rq, *plain_noted(request));

	return f && f->request == request ? f : NULL;
}

/* A setup that is not a plain one: what one before has noted for the request holds no more. */
static __always_inline void plain_forget(const struct rq *rq)
{
	*plain_noted(queue_number(rq, rq->ptr)) = ~0U;
}

/* The row in which the command will be counted, and its size. False: no row is known. */
static __always_inline bool plain_note_row(const struct command *c)
{
#ifdef PROG_PLAIN_RAW
	u32 row = plain_row_at_hand(c, c->cmd_flags);

	if (!row)
		return false;
	c->slot->row = row;
	c->slot->bytes = RQ(&c->rq, __data_len);
#endif
	return true;
}

/* False: a plain completion would not know enough. */
static __always_inline bool plain_note_request(const struct command *c)
{
	u64 request = prog_request(c);
	u32 index = c->info->slot_base + c->tag;

	if (!plain_note_row(c))
		return false;
	c->slot->request = request;
	*plain_noted(request) = index;
	return true;
}
#else
#define plain_slot_noted(rq)  NULL
#define plain_note_request(c) true
#endif

#define PLAIN_PLACE (NEED_CPU | NEED_CGROUP)

/* Where a plain command is submitted, as far as is needed. */
static __always_inline void plain_place(const struct command *c, u32 needs)
{
	if (!(needs & PLAIN_PLACE))
		return;
	if (needs & NEED_CPU)
		c->slot->cpu = bpf_get_smp_processor_id();
	if (needs & NEED_CGROUP)
		c->slot->sub.cgroup_id = bpf_get_current_cgroup_id();
}

/*
 * prog_setup() in plain programs, where nothing is asked for but PROG_ALWAYS and PROG_PLAIN_NEEDS,
 * for a queue that is at hand and an entry that is free, and whose driver keeps until the
 * completion what an event then reads; late_identify, comm_padded where names are asked for, and
 * one of probe_read and rdonly_cast are 1. Each look at cfg is two instructions, which the verifier
 * leaves where it drops what hangs on them: here are none that can be spared. False: nothing was
 * done.
 */
static __always_inline bool prog_setup_plain(struct command *c, const struct sqe *sqe)
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
	if (!c->rq.noted)
		c->slot->request = prog_request(c);
	else if (!plain_note_request(c))
		return false;
	/* The request goes first: what was read of it before is lost with the first call. */
	if (PROG_ALWAYS & NEED_SUBMITTER)
		submitter_bind_plain(&c->slot->sub, &c->rq);
	backup_note(c, sqe);
	prog_begin(c);
	if (PROG_ALWAYS & NEED_SUBMITTER)
		submitter_read(&c->slot->sub);
	if (PROG_PLAIN_NEEDS & PLAIN_PLACE)
		plain_place(c, cfg.needs);
	c->slot->state = SLOT_BUSY | SLOT_PLAIN | c->info->selected;
	return true;
}

/* The part of a completion that each command has. */
static __always_inline void plain_end(const struct command *c)
{
	c->slot->state = backup(c) ? SLOT_MARK : 0;
}

static __always_inline enum prog_outcome plain_leave_out(const struct command *c)
{
	plain_end(c);
	c->slot->filtered++;
	return PROG_LEFT_OUT;
}

static __always_inline void plain_take(const struct command *c)
{
	plain_end(c);
	c->slot->completes++;
}

/* When a selected command completed, and how. */
#ifdef PROG_PLAIN_REST
static __always_inline enum prog_outcome plain_outcome(struct command *c)
{
	if (PROG_PLAIN_OUTCOME)
		c->now_ns = bpf_ktime_get_ns();
	c->status_word = rq_status_surely(&c->rq);
	if (unlikely(PROG_PLAIN_REST(c)))
		return PROG_NOT_PLAIN;
	if (!PROG_PLAIN_OUTCOME)
		return plain_leave_out(c);
	plain_take(c);
	c->lat_ns = prog_lat_ns(c->now_ns, c->slot->submit_ns);
	return PROG_SELECTED;
}
#else
static __always_inline enum prog_outcome plain_outcome(struct command *c)
{
	plain_take(c);
	if (PROG_PLAIN_OUTCOME) {
		prog_stamp(c);
		c->status_word = rq_status_surely(&c->rq);
	}
	return PROG_SELECTED;
}
#endif

/* The number of the hardware queue of a plain completion: see PROG_PLAIN_CASTS. */
static __always_inline u64 plain_queue(const struct rq *rq)
{
#ifdef PROG_PLAIN_CASTS
	return queue_number(rq, RQ_RARELY(rq, mq_hctx));
#else
	return queue_pointer(rq);
#endif
}

/* The entry of a command whose queue is at hand, or that a setup has noted; else NULL. */
static __always_inline struct command_slot *plain_slot(struct command *c)
{
	if (c->rq.noted)
		return plain_slot_noted(&c->rq);
	c->info = queue_at_hand(plain_queue(&c->rq));
	return c->info ? command_slot(c) : NULL;
}

/* The same as prog_setup_plain() is to prog_setup(). */
static __always_inline enum prog_outcome prog_complete_plain(struct command *c)
{
	u8 state;

	c->slot = plain_slot(c);
	if (!c->slot)
		return PROG_NOT_PLAIN;
	state = c->slot->state;
	if (unlikely(state != (SLOT_BUSY | SLOT_PLAIN | SLOT_SELECTED))) {
		if (state != (SLOT_BUSY | SLOT_PLAIN))
			return PROG_NOT_PLAIN;
		return plain_leave_out(c);
	}
	return plain_outcome(c);
}

/*
 * Of the second programs: whether the first has been here. What is true and they do not see, the
 * rest of the hook does.
 */
static __always_inline bool second_entered(struct command *c, const struct sqe *sqe)
{
	const struct command_slot *f = plain_slot(c);

	return f && backup_is_in(f, sqe);
}

static __always_inline bool second_completed(struct command *c)
{
	struct command_slot *f = plain_slot(c);

	if (!f || f->state != SLOT_MARK)
		return false;
	f->state = 0;
	return true;
}

#endif
