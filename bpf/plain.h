// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* The path of bpf/path.h once more, for plain programs: for reads and writes, of which most load consists. */
#ifndef NVT_PLAIN_H
#define NVT_PLAIN_H

#include "bpf/path.h"

#ifndef PROG_PLAIN_OUTCOME
#define PROG_PLAIN_OUTCOME true
#endif

#define PLAIN_PLACE (NEED_CPU | NEED_CGROUP)

/* Where a plain command is submitted, as far as is needed. */
static __always_inline void plain_place(const struct command *c, u32 needs)
{
	if (!(needs & PLAIN_PLACE))
		return;
	if (needs & NEED_CPU)
		c->flight->cpu = bpf_get_smp_processor_id();
	if (needs & NEED_CGROUP)
		c->flight->sub.cgroup_id = bpf_get_current_cgroup_id();
}

/*
 * prog_setup() in plain programs, where nothing is asked for but PROG_ALWAYS and PROG_PLAIN_NEEDS, for a queue that is at
 * hand and an entry that is free; late_identify and one of probe_read and rdonly_cast are 1. Each look at cfg is two
 * instructions, which the verifier leaves where it drops what hangs on them: here are none that can be spared.
 * False: nothing was done.
 */
static __always_inline bool prog_setup_plain(struct command *c, const struct sqe *sqe)
{
	if ((u8)RQ(&c->rq, cmd_flags) > REQ_OP_WRITE)
		return false;
	c->facts = queue_ready(&c->rq);
	if (!c->facts)
		return false;
	c->flight = queue_flight(&c->rq, c->facts);
	if (!c->flight || c->flight->state)
		return false;
	if (PROG_ALWAYS & NEED_SUBMITTER && !submitter_is_new(&c->flight->sub, c->facts))
		return false;
	/* The request goes first: what was read of it before is lost with the first call. */
	if (PROG_ALWAYS & NEED_SUBMITTER)
		submitter_bind(&c->flight->sub, &c->rq);
	if (PROG_PLAIN_NOTES)
		plain_note(c);
	twice_note(c, sqe);
	prog_begin(c);
	if (PROG_ALWAYS & NEED_SUBMITTER)
		submitter_setup_plain(&c->flight->sub, c->rq.typed);
	if (PROG_PLAIN_NEEDS & PLAIN_PLACE)
		plain_place(c, cfg.needs);
	c->flight->state = FLIGHT_BUSY | FLIGHT_PLAIN | c->facts->selected;
	return true;
}

/* The part of a completion that each command has. */
static __always_inline void plain_end(const struct command *c)
{
	c->flight->state = twice(c) ? FLIGHT_MARK : 0;
	if (PROG_ALWAYS & NEED_SUBMITTER)
		c->flight->sub.state = SUBMITTER_NONE;
}

static __always_inline enum prog_outcome plain_leave_out(const struct command *c)
{
	plain_end(c);
	c->flight->filtered++;
	return PROG_LEFT_OUT;
}

static __always_inline void plain_take(const struct command *c)
{
	plain_end(c);
	c->flight->completes++;
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
	c->lat_ns = prog_lat_ns(c->now_ns, c->flight->submit_ns);
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

/* The same as prog_setup_plain() is to prog_setup(). */
static __always_inline enum prog_outcome prog_complete_plain(struct command *c)
{
	struct flight *f;
	u8 state;

	c->facts = queue_at_hand(queue_pointer(&c->rq));
	if (!c->facts)
		return PROG_NOT_PLAIN;
	c->flight = f = queue_flight(&c->rq, c->facts);
	if (!f)
		return PROG_NOT_PLAIN;
	state = f->state;
	if (unlikely(state != (FLIGHT_BUSY | FLIGHT_PLAIN | FLIGHT_SELECTED))) {
		if (state != (FLIGHT_BUSY | FLIGHT_PLAIN))
			return PROG_NOT_PLAIN;
		return plain_leave_out(c);
	}
	return plain_outcome(c);
}

/* The entry of a command whose queue is at hand, else NULL. */
static __always_inline struct flight *plain_flight(const struct rq *rq)
{
	struct queue_facts *facts = queue_at_hand(queue_pointer(rq));

	return facts ? queue_flight(rq, facts) : NULL;
}

/* Of the second programs: whether the first has been here. What is true and they do not see, the rest of the hook does. */
static __always_inline bool second_entered(const struct command *c, const struct sqe *sqe)
{
	const struct flight *f = plain_flight(&c->rq);

	return f && twice_is_in(f, sqe);
}

static __always_inline bool second_completed(const struct command *c)
{
	struct flight *f = plain_flight(&c->rq);

	if (!f || f->state != FLIGHT_MARK)
		return false;
	f->state = 0;
	return true;
}

#endif
