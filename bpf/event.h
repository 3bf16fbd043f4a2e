// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Events of commands through one ring, for the objects that print commands one by one. */
#ifndef NVT_EVENT_H
#define NVT_EVENT_H

#include "bpf/join.h"
#include "bpf/ring.h"

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} events SEC(".maps");

static __always_inline struct event *event_reserve(u8 kind, enum stat_id loss)
{
	u64 bytes = needs(NEED_PHASES | NEED_SYNCER) ? sizeof(struct event) : EVENT_BRIEF;
	struct event *ev = bpf_ringbuf_reserve(&events, bytes, 0);

	if (!ev) {
		stat_inc(loss);
		return NULL;
	}
	if (needs(NEED_PHASES | NEED_SYNCER)) {
		ev->insert_ns = ev->done_ns = 0;
		ev->syncer_pid = ev->syncers = 0;
		__builtin_memset(ev->syncer_comm, 0, WIRE_COMM);
	}
	ev->kind = kind;
	return ev;
}

#define EVENT_LOOK_EVERY 16 /* events between two looks at how full the ring is */

static __always_inline void event_submit(void *record)
{
	ring_submit(&events, record, EVENT_LOOK_EVERY);
}

#define SIDE_BY_SIDE(type, a, b)                                                                   \
	_Static_assert(__builtin_offsetof(type, a) % sizeof(u64) == 0 &&                           \
			       __builtin_offsetof(type, b) ==                                      \
				       __builtin_offsetof(type, a) + sizeof(u32),                  \
		       "members to be copied together")
SIDE_BY_SIDE(struct event, bytes, nsid);
SIDE_BY_SIDE(struct command_slot, bytes, nsid);
SIDE_BY_SIDE(struct event, cmd_flags, cid);
SIDE_BY_SIDE(struct command_slot, cmd_flags, cid);
SIDE_BY_SIDE(struct event, ino_dev, ino_gen);
SIDE_BY_SIDE(struct file_id, ino_dev, ino_gen);
SIDE_BY_SIDE(struct event, pid, tid);
SIDE_BY_SIDE(struct submitter, pid, tid);

/* Both are aligned, which the compiler would not see. */
static __always_inline void copy_words(void *to, const void *from, u32 bytes)
{
	__builtin_memcpy(__builtin_assume_aligned(to, sizeof(u64)),
			 __builtin_assume_aligned(from, sizeof(u64)), bytes);
}

/* A stack that was not asked for is -1: its slot member is 0, which is a stack's number. */
static __always_inline void event_from_submitter(struct event *ev, const struct command *c)
{
	const struct submitter *sub = &c->slot->sub;

	ev->cgroup_id = sub->cgroup_id;
	ev->owner_id = 0;
	ev->sched = SCHED_NONE;
	if (rq_needs(&c->rq, NEED_CAUSE)) {
		ev->owner_id = c->slot->cause.owner_id;
		ev->sched = command_sched(c->info, c->slot);
	}
	ev->ino = 0;
	ev->ino_dev = ev->ino_gen = 0;
	if (rq_needs(&c->rq, NEED_FILE)) {
		ev->ino = c->slot->file.ino;
		copy_words(&ev->ino_dev, &c->slot->file.ino_dev, sizeof(u64));
	}
	ev->during = rq_needs(&c->rq, NEED_DURING) ? c->slot->during : DURING_NONE;
	copy_words(&ev->pid, &sub->pid, sizeof(u64));
	ev->kstack_id = ev->ustack_id = -1;
	if (rq_needs(&c->rq, NEED_KSTACK | NEED_USTACK)) {
		if (needs(NEED_KSTACK))
			ev->kstack_id = sub->kstack_id;
		if (needs(NEED_USTACK))
			ev->ustack_id = sub->ustack_id;
	}
	copy_words(ev->comm, sub->comm, WIRE_COMM);
	if (sub->worker)
		ev->flags |= EVENT_WORKER;
}

/* Tells where a trim is. */
static __always_inline void event_range(struct event *ev, const struct command *c)
{
	if (event_may_have_range(ev, RQ(&c->rq, cmd_flags)))
		event_set_range(ev, RQ(&c->rq, __sector), RQ(&c->rq, __data_len));
}

/* Fills in what the submission left in the command slot. */
static __always_inline void event_from_slot(struct event *ev, const struct command *c)
{
	const struct command_slot *f = c->slot;

	ev->submit_ns = f->submit_ns;
	ev->queued_ns = PROG_NEVER & NEED_QUEUED ? 0 : f->queued_ns;
	copy_words(&ev->bytes, &f->bytes, sizeof(u64));
	copy_words(&ev->cmd_flags, &f->cmd_flags, sizeof(u64));
	ev->opcode = f->opcode;
	ev->fctype = f->fctype;
	ev->sqe_flags = f->sqe_flags;
	copy_words(ev->cdw, f->cdw, sizeof(ev->cdw));
	event_range(ev, c);
	event_from_submitter(ev, c);
	if (needs(NEED_PHASES))
		ev->insert_ns = f->sub.insert_ns;
	if (needs(NEED_SYNCER)) {
		ev->syncer_pid = f->syncer.pid;
		ev->syncers = (u8)f->syncer.n;
		__builtin_memcpy(ev->syncer_comm, f->syncer.comm, WIRE_COMM);
	}
}

static __always_inline void event_without_slot(struct event *ev)
{
	ev->submit_ns = ev->queued_ns = ev->cgroup_id = ev->owner_id = ev->ino = 0;
	ev->sched = SCHED_NONE;
	ev->during = DURING_UNKNOWN;
	__builtin_memset(ev->cdw, 0, sizeof(ev->cdw));
	ev->nsid = ev->bytes = ev->cmd_flags = ev->pid = ev->tid = 0;
	ev->ino_dev = ev->ino_gen = 0;
	ev->kstack_id = ev->ustack_id = -1;
	ev->opcode = ev->fctype = ev->sqe_flags = 0;
	ev->cid = ev->submit_cpu = 0;
	__builtin_memset(ev->comm, 0, WIRE_COMM);
}

/* The CPU that runs this. */
static __always_inline void event_from_queue(struct event *ev, const struct command *c)
{
	ev->queue = c->info->index;
	ev->qid = command_qid(c);
	ev->tag = c->slot ? c->tag : RQ(&c->rq, tag);
	ev->flags = c->info->admin * EVENT_ADMIN;
	ev->outcome = ev->block_error = 0;
}

/* The members that a completion adds. */
static __always_inline void event_without_completion(struct event *ev)
{
	ev->status = ev->complete_cpu = 0;
	ev->retries = 0;
	ev->result = 0;
}

static __always_inline u16 event_cpu(void)
{
	return needs(NEED_CPU) ? bpf_get_smp_processor_id() : 0;
}

static __always_inline u64 event_result(const struct command *c)
{
	return needs(NEED_RESULT) ? nvme_request_word(&c->rq, cfg.off.req_result) : 0;
}

static __always_inline void event_from_completion(struct event *ev, const struct command *c)
{
	ev->status = word_status(c->status_word);
	ev->retries = word_retries(c->status_word);
	ev->complete_cpu = event_cpu();
	ev->result = event_result(c);
}

/* The event of a submission. */
static __always_inline void event_put_setup(const struct command *c)
{
	struct event *ev = event_reserve(EVENT_SUBMIT, STAT_RING_FULL_EXTRA);

	if (!ev)
		return;
	event_from_queue(ev, c);
	event_from_slot(ev, c);
	event_without_completion(ev);
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
	event_from_slot(ev, c);
	event_from_completion(ev, c);
	ev->ts_ns = c->now_ns;
	return ev;
}

/*
 * The event of a completion whose submission was not seen: it came before we did, or the host ended
 * the command without sending it (3/70). What it was is not known, so it passes no filter that is
 * about that; about -q and -d, which are about its queue, user space decides. NULL: none.
 */
static __always_inline struct event *event_of_orphan(const struct command *c)
{
	struct event *ev;

	if (!c->info->selected || filter.any_submit)
		return NULL;
	if (filter.any_complete &&
	    !filter_complete(&filter, 0, word_status(c->status_word), word_retries(c->status_word)))
		return NULL;
	ev = event_reserve(EVENT_COMPLETE, STAT_RING_FULL_EXTRA);
	if (!ev)
		return NULL;
	event_from_queue(ev, c);
	event_without_slot(ev);
	event_from_completion(ev, c);
	ev->flags |= EVENT_NO_SUBMIT;
	ev->ts_ns = bpf_ktime_get_ns();
	return ev;
}

#endif
