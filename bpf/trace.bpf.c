// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* trace and record: an event for each command, and for what else was asked for, through one ring. */
#define PROG_PLAIN(c)	   trace_complete(NULL, c)
#define PROG_PLAIN_SETUP   trace_plain_setup
#define PROG_PLAIN_SQE	   true
#define PROG_PLAIN_REST(c) word_failed((c)->status_word)
#define PROG_PLAIN_NOTES   true
#define PROG_PLAIN_FLIGHT  sizeof(struct flight)
#define PROG_ALWAYS	   (NEED_IO | NEED_STATUS | NEED_SQE | NEED_PID | NEED_COMM)
#define PROG_PLAIN_NEEDS   (NEED_CPU | NEED_CMD_FLAGS | NEED_CGROUP)
#define PROG_NEVER                                                                                 \
	(NEED_PHASES | NEED_INFLIGHT | NEED_TIMEOUT | NEED_RESET | NEED_BLOCK | NEED_ENTRY |       \
	 NEED_NSID)

#include "bpf/aer.h"

static __always_inline void trace_setup(void *ctx, const struct command *c)
{
	if (needs(NEED_SUBMIT) && c->flight->state & FLIGHT_SELECTED)
		event_put_setup(c);
}

static __always_inline void trace_complete(void *ctx, const struct command *c)
{
	struct event *ev = event_of_command(c);

	if (ev)
		event_submit(ev);
}

/* Of a read or write, the namespace is that of its queue, and the driver gives it no flags (nvme_setup_rw()). */
static __always_inline void trace_plain_setup(const struct command *c, const struct sqe *sqe)
{
	prog_fill_nsid(c->flight, c->facts->nsid);
	c->flight->sqe_flags = 0;
	prog_fill_dwords(c->flight, sqe);
}

static __always_inline void trace_orphan(void *ctx, struct command *c)
{
	struct event *ev;

	c->status_word = rq_status_word(&c->rq);
	ev = event_of_orphan(c);
	if (ev)
		event_submit(ev);
}

PROGRAMS(trace_setup, trace_complete, trace_orphan)
STAMPS

/* Once per completion queue entry: how far the drive has read the submission queue. */
static __always_inline void trace_sq(struct command *c, u16 head, int tail)
{
	struct event *ev;

	c->facts = queue_of_complete(&c->rq);
	if (!c->facts || !c->facts->selected)
		return;
	ev = event_reserve(EVENT_SQ, STAT_RING_FULL_EXTRA);
	if (!ev)
		return;
	event_from_queue(ev, c);
	event_without_flight(ev);
	event_without_completion(ev);
	ev->ts_ns = bpf_ktime_get_ns();
	ev->cdw[0] = head;
	ev->cdw[1] = tail;
	event_submit(ev);
}

SEC("tp_btf/nvme_sq")
int BPF_PROG(sq_btf, struct request *request, u16 head, int tail)
{
	struct command c = {};

	if (!request)
		return 0;
	c.rq = rq_typed(request);
	trace_sq(&c, head, tail);
	return 0;
}

SEC("raw_tp/nvme_sq")
int BPF_PROG(sq_raw, struct request *request, u16 head, int tail)
{
	u64 copy[RQ_HEAD / sizeof(u64)];
	struct command c = { .rq = rq_raw(request, copy) };

	trace_sq(&c, head, tail);
	return 0;
}
