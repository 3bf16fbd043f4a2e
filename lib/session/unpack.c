// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/session/unpack.h"

#include "bpf/shared/keys.h"
#include "bpf/shared/trace.h"
#include "lib/base/str.h"
#include "lib/session/lookup.h"
#include "lib/session/session.h"

/* The size of a block. That of the queue may have changed since; the record tells it. */
static u32 block_bytes(const struct trace_fast_record *r)
{
	return r->bytes / ((u16)r->cdw12_15[0] + 1U);
}

void trace_unpack_fast(struct event *ev, const struct trace_fast_record *r,
		       const struct queue_info *queue)
{
	const u32 *cdw = r->cdw12_15;
	u64 slba = r->sector >> wire_block_shift(block_bytes(r));

	*ev = (struct event){
		.ts_ns = r->ts_ns,
		.submit_ns = r->submit_ns,
		.result = r->result,
		.cgroup_id = r->cgroup_id,
		.cdw = { (u32)slba, (u32)(slba >> 32), cdw[0], cdw[1], cdw[2], cdw[3] },
		.bytes = r->bytes,
		.nsid = queue->nsid,
		.cmd_flags = r->cmd_flags,
		.cid = r->cid,
		.submit_cpu = r->submit_cpu,
		.pid = r->pid,
		.tid = r->tid,
		.queue = r->queue,
		.kstack_id = -1,
		.ustack_id = -1,
		.qid = queue->qid,
		.tag = r->tag,
		.complete_cpu = r->complete_cpu,
		.kind = EVENT_IO,
		.flags = r->worker ? EVENT_WORKER : 0,
		.opcode = wire_opcode(r->cmd_flags),
	};
	memcpy(ev->comm, r->comm, sizeof(ev->comm));
}

/* As on_fast_setup() of bpf/trace.bpf.c has filled the slot. */
static void unpack_fast_slot(struct event *ev, const struct command_slot *slot,
			     const struct queue_info *queue, u32 tag)
{
	struct trace_fast_record r = {
		.submit_ns = slot->submit_ns,
		.sector = slot->sub.sector,
		.cgroup_id = slot->sub.cgroup_id,
		.cmd_flags = slot->cmd_flags,
		.cid = slot->cid,
		.submit_cpu = slot->cpu,
		.pid = slot->sub.pid,
		.tid = slot->sub.tid,
		.bytes = slot->bytes,
		.queue = queue->index,
		.tag = (u16)tag,
		.worker = slot->sub.worker,
	};

	memcpy(r.cdw12_15, &slot->cdw[2], sizeof(r.cdw12_15));
	memcpy(r.comm, slot->sub.comm, sizeof(r.comm));
	trace_unpack_fast(ev, &r, queue);
}

/* As event_from_slot() of bpf/event.h reads it: a member that was not asked for may be an old one. */
static void unpack_slow_slot(struct event *ev, const struct command_slot *slot,
			     const struct queue_info *queue, u32 tag, u32 needs)
{
	const struct submitter *sub = &slot->sub;

	*ev = (struct event){
		.submit_ns = slot->submit_ns,
		.queued_ns = needs & NEED_QUEUED ? slot->queued_ns : 0,
		.cgroup_id = sub->cgroup_id,
		.owner_id = needs & NEED_OWNER ? slot->cause.owner_id : 0,
		.ino = needs & NEED_FILE ? slot->file.ino : 0,
		.bytes = slot->bytes,
		.nsid = slot->nsid,
		.cmd_flags = slot->cmd_flags,
		.cid = slot->cid,
		.submit_cpu = slot->cpu,
		.pid = sub->pid,
		.tid = sub->tid,
		.queue = queue->index,
		.kstack_id = needs & NEED_KSTACK ? sub->kstack_id : -1,
		.ustack_id = needs & NEED_USTACK ? sub->ustack_id : -1,
		.qid = queue->qid,
		.tag = (u16)tag,
		.flags = (queue->admin ? EVENT_ADMIN : 0) | (sub->worker ? EVENT_WORKER : 0),
		.opcode = slot->opcode,
		.sqe_flags = slot->sqe_flags,
		.fctype = slot->fctype,
		.sched = needs & NEED_SCHED ? command_sched(queue, slot) : SCHED_NONE,
		.during = needs & NEED_DURING ? slot->during : DURING_NONE,
		.ino_dev = needs & NEED_FILE ? slot->file.ino_dev : 0,
		.ino_gen = needs & NEED_FILE ? slot->file.ino_gen : 0,
		.insert_ns = needs & NEED_PHASES ? sub->insert_ns : 0,
	};
	memcpy(ev->cdw, slot->cdw, sizeof(ev->cdw));
	memcpy(ev->comm, sub->comm, sizeof(ev->comm));
	if (needs & NEED_SYNCER) {
		ev->syncer_pid = slot->syncer.pid;
		ev->syncers = (u8)slot->syncer.n;
		memcpy(ev->syncer_comm, slot->syncer.comm, WIRE_COMM);
	}
}

void trace_unpack_slot(struct event *ev, const struct command_slot *slot,
		       const struct queue_info *queue, u32 tag, u32 needs)
{
	if (slot->state & SLOT_FAST)
		unpack_fast_slot(ev, slot, queue, tag);
	else
		unpack_slow_slot(ev, slot, queue, tag, needs);
	ev->kind = EVENT_INFLIGHT;
}

bool trace_unpack(struct session *s, struct event *ev, const void *record, size_t size)
{
	const struct trace_fast_record *plain = record;

	if (size < sizeof(*plain) || size >= EVENT_BRIEF)
		return event_unpack(ev, record, size);
	trace_unpack_fast(ev, plain, session_queue(s, plain->queue));
	return true;
}

bool event_unpack(struct event *ev, const void *record, size_t size)
{
	if (size < EVENT_BRIEF)
		return false;
	memcpy(ev, record, size < sizeof(*ev) ? EVENT_BRIEF : sizeof(*ev));
	if (size < sizeof(*ev)) {
		ev->insert_ns = ev->done_ns = 0;
		ev->syncer_pid = ev->syncers = 0;
		memset(ev->syncer_comm, 0, WIRE_COMM);
	}
	return true;
}
