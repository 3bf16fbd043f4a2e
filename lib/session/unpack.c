// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/session/unpack.h"

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
	ev->insert_ns = ev->done_ns = 0;
	memcpy(ev, record, size < sizeof(*ev) ? EVENT_BRIEF : sizeof(*ev));
	return true;
}
