// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * trace and record: an event for each command, and for what else was asked for, through one ring.
 */
#include "bpf/shared/trace.h"

#define PROG_SYNCERS	1
#define PROG_STAMPS	1
#define PROG_HOLDS	1
#define PROG_FAST	1
#define PROG_FAST_SQE	true
#define PROG_FAST_CASTS true
#define PROG_SLOW_IF(c) word_told((c)->status_word)
#define PROG_FAST_SLOT	SLOT_CAUSE
#define PROG_ALWAYS	(NEED_IO | NEED_STATUS | NEED_SQE | NEED_PID | NEED_COMM)
#define PROG_FAST_NEEDS (NEED_CPU | NEED_CMD_FLAGS | NEED_CGROUP | NEED_SCHED)
#define PROG_NEVER	(NEED_INFLIGHT | NEED_BLOCK | NEED_ENTRY | NEED_NSID | NEED_BUSY)

#include "bpf/prog.h"
#include "bpf/sync.h"
#include "bpf/aer.h"
#include "bpf/flushes.h"
#include "bpf/timeout_event.h"

static __always_inline void on_setup(void *ctx, const struct command *c)
{
	if (needs(NEED_SUBMIT) && c->slot->state & SLOT_SELECTED)
		event_put_setup(c);
}

/*
 * With NEED_PHASES the event waits until the block layer has the request back. That of a failure does
 * not where it would not be found when the driver tries again, with another tag: requeue_tag().
 */
static __always_inline void on_complete(void *ctx, const struct command *c)
{
	struct event *ev;

	if (needs(NEED_PHASES) && (requeue_finds(&c->rq) || RQ(&c->rq, internal_tag) < 0 ||
				   !word_failed(c->status_word))) {
		c->slot->complete_ns = c->now_ns;
		c->slot->status_word = c->status_word;
		c->slot->state |= SLOT_HELD;
		return;
	}
	ev = event_of_command(c);
	if (ev)
		event_submit(ev);
}

/* Sends the event that waited. */
static __always_inline void trace_release(struct command *c, u64 done_ns)
{
	struct event *ev;

	c->now_ns = c->slot->complete_ns;
	c->status_word = c->slot->status_word;
	c->tag = c->slot->cid & NVME_TAG_MASK;
	ev = event_of_command(c);
	if (!ev)
		return;
	ev->done_ns = done_ns;
	event_submit(ev);
}

/* trace_release() as a function, so that the object has its code once. @typed is a constant in each program. */
static __noinline int release_call(struct request *request, struct queue_info *info,
				   struct command_slot *slot, u64 done_ns, u64 typed)
{
	u64 head[RQ_HEAD / sizeof(u64)];
	struct command c = {
		.rq = { .ptr = request, .head = head, .typed = typed },
		.info = info,
		.slot = slot,
	};

	if (!typed)
		bpf_probe_read_kernel(head, sizeof(head), request);
	trace_release(&c, done_ns);
	return 0;
}

static __always_inline void release(const struct command *c, u64 done_ns)
{
	release_call(c->rq.ptr, c->info, c->slot, done_ns, c->rq.typed);
}

static __always_inline void on_held(const struct command *c)
{
	release(c, 0);
}

/*
 * block_rq_complete, NEED_PHASES. A request that the driver wanted to try again, and that ends
 * without a further attempt, is idle.
 */
static __always_inline void trace_done(void *ctx, struct command *c)
{
	struct request *request = c->rq.ptr;

	c->slot = join_leave_block(c);
	if (!c->slot || !(c->slot->state & SLOT_HELD))
		return;
	backup_stands_in(BACKUP_DONE);
	c->slot->state &= ~SLOT_HELD;
	release(c, MEMBER(&c->rq, request, state) == MQ_RQ_IDLE ? 0 : bpf_ktime_get_ns());
}

BTF_PROGRAM(done_btf, "tp_btf/block_rq_complete", rq_typed, trace_done)
RAW_PROGRAM(done_raw, "raw_tp/block_rq_complete", false, trace_done)

/* Notes what the completion would read of the request again, or cannot. */
static __always_inline void on_fast_setup(const struct command *c, const struct sqe *sqe)
{
	struct command_slot *f = c->slot;

	f->cmd_flags = c->cmd_flags;
	f->bytes = RQ(&c->rq, __data_len);
	f->cid = SQE(sqe, command_id);
	for (u32 i = 2; i < PROG_CDWS; i++)
		f->cdw[i] = SQE(sqe, cdw10[i]);
}

SIDE_BY_SIDE(struct trace_fast_record, cmd_flags, cid);
SIDE_BY_SIDE(struct trace_fast_record, pid, tid);

static __always_inline void on_fast_complete(const struct command *c)
{
	const struct command_slot *f = c->slot;
	struct trace_fast_record *r = bpf_ringbuf_reserve(&events, sizeof(*r), 0);

	if (!r) {
		stat_inc(STAT_RING_FULL);
		return;
	}
	r->ts_ns = c->now_ns;
	r->submit_ns = f->submit_ns;
	r->sector = f->sub.sector;
	r->result = event_result(c);
	r->cgroup_id = f->sub.cgroup_id;
	copy_words(r->cdw12_15, &f->cdw[2], sizeof(r->cdw12_15));
	copy_words(&r->cmd_flags, &f->cmd_flags, sizeof(u64));
	copy_words(&r->pid, &f->sub.pid, sizeof(u64));
	copy_words(r->comm, f->sub.comm, WIRE_COMM);
	r->bytes = f->bytes;
	r->queue = c->info->index;
	r->tag = c->tag;
	r->complete_cpu = event_cpu();
	r->worker = f->sub.worker;
	event_submit(r);
}

static __always_inline void on_orphan(void *ctx, struct command *c)
{
	struct event *ev;

	c->status_word = rq_status_word(&c->rq);
	ev = event_of_orphan(c);
	if (ev)
		event_submit(ev);
}

/* Once per completion queue entry: how far the drive has read the submission queue. */
static __always_inline void trace_sq(struct command *c, u16 head, int tail)
{
	struct event *ev;

	c->info = queue_of_complete(&c->rq);
	if (!c->info || !c->info->selected)
		return;
	ev = event_reserve(EVENT_SQ, STAT_RING_FULL_EXTRA);
	if (!ev)
		return;
	event_from_queue(ev, c);
	event_without_slot(ev);
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
