// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Events of commands through one ring, for the objects that print commands one by one. */
#ifndef NVT_EVENT_H
#define NVT_EVENT_H

#include "bpf/prog.h"
#include "bpf/ring.h"

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} events SEC(".maps");

static __always_inline struct event *event_reserve(u8 kind, enum stat_id loss)
{
	struct event *ev = bpf_ringbuf_reserve(&events, sizeof(*ev), 0);

	if (!ev) {
		stat_inc(loss);
		return NULL;
	}
	ev->kind = kind;
	return ev;
}

#define EVENT_LOOK_EVERY 16 /* events between two looks at how full the ring is */

static __always_inline void event_submit(struct event *ev)
{
	ring_submit(&events, ev, EVENT_LOOK_EVERY);
}

/* What was not asked for is 0 there, but a stack's number has to be negative. */
static __always_inline void event_from_submitter(struct event *ev, const struct submitter *sub)
{
	ev->cgroup_id = sub->cgroup_id;
	ev->pid = sub->pid;
	ev->tid = sub->tid;
	ev->kstack_id = ev->ustack_id = -1;
	if (needs(NEED_KSTACK | NEED_USTACK)) {
		if (needs(NEED_KSTACK))
			ev->kstack_id = sub->kstack_id;
		if (needs(NEED_USTACK))
			ev->ustack_id = sub->ustack_id;
	}
	__builtin_memcpy(ev->comm, sub->comm, WIRE_COMM);
	if (sub->worker)
		ev->flags |= EVENT_WORKER;
}

/* What the submission left in the entry of the command. */
static __always_inline void event_from_flight(struct event *ev, const struct flight *f)
{
	ev->submit_ns = f->submit_ns;
	ev->queued_ns = f->queued_ns;
	ev->bytes = f->bytes;
	ev->nsid = f->nsid;
	ev->cmd_flags = f->cmd_flags;
	ev->opcode = f->opcode;
	ev->fctype = f->fctype;
	ev->sqe_flags = f->sqe_flags;
	ev->cid = f->cid;
	ev->submit_cpu = f->cpu;
	__builtin_memcpy(__builtin_assume_aligned(ev->cdw, 8),
			 __builtin_assume_aligned(f->cdw, 8), sizeof(ev->cdw));
	event_from_submitter(ev, &f->sub);
}

static __always_inline void event_without_flight(struct event *ev)
{
	ev->submit_ns = ev->queued_ns = ev->cgroup_id = 0;
	__builtin_memset(ev->cdw, 0, sizeof(ev->cdw));
	ev->nsid = ev->bytes = ev->cmd_flags = ev->pid = ev->tid = 0;
	ev->kstack_id = ev->ustack_id = -1;
	ev->opcode = ev->fctype = ev->sqe_flags = 0;
	ev->cid = ev->submit_cpu = 0;
	__builtin_memset(ev->comm, 0, WIRE_COMM);
}

/* Where the command ran; the members that a completion adds are 0. */
static __always_inline void event_from_queue(struct event *ev, const struct command *c)
{
	ev->queue = c->facts->index;
	ev->qid = command_qid(c);
	ev->tag = RQ(&c->rq, tag);
	ev->flags = c->facts->admin ? EVENT_ADMIN : 0;
	ev->status = ev->complete_cpu = 0;
	ev->retries = ev->outcome = ev->block_error = 0;
	ev->result = 0;
}

static __always_inline void event_from_completion(struct event *ev, const struct command *c)
{
	ev->status = word_status(c->status_word);
	ev->retries = word_retries(c->status_word);
	ev->complete_cpu = bpf_get_smp_processor_id();
	if (needs(NEED_RESULT))
		ev->result = nvme_request_word(&c->rq, cfg.off.req_result);
}

/* The event of a submission. */
static __always_inline void event_put_setup(const struct command *c)
{
	struct event *ev = event_reserve(EVENT_SUBMIT, STAT_RING_FULL_EXTRA);

	if (!ev)
		return;
	event_from_queue(ev, c);
	event_from_flight(ev, c->flight);
	ev->ts_ns = c->now_ns;
	event_submit(ev);
}

/* The event of a command whose setup and completion were seen. NULL: no room, which is counted. */
static __always_inline struct event *event_of_command(const struct command *c)
{
	struct event *ev = event_reserve(EVENT_IO, STAT_RING_FULL);

	if (!ev)
		return NULL;
	event_from_queue(ev, c);
	event_from_flight(ev, c->flight);
	event_from_completion(ev, c);
	ev->ts_ns = c->now_ns;
	return ev;
}

/*
 * The event of a completion whose submission was not seen: it came before we did, or the host ended the command
 * without sending it (3/70). What it was is not known, so it passes no filter that is about that. NULL: none.
 */
static __always_inline struct event *event_of_orphan(const struct command *c)
{
	struct event *ev;

	if (!c->facts->selected || filter.any)
		return NULL;
	if (filter.any_complete &&
	    !filter_complete(&filter, 0, word_status(c->status_word), word_retries(c->status_word)))
		return NULL;
	ev = event_reserve(EVENT_COMPLETE, STAT_RING_FULL_EXTRA);
	if (!ev)
		return NULL;
	event_from_queue(ev, c);
	event_without_flight(ev);
	event_from_completion(ev, c);
	ev->flags |= EVENT_NO_SUBMIT;
	ev->ts_ns = bpf_ktime_get_ns();
	return ev;
}

#endif
