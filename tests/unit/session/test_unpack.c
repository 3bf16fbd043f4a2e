// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Events of the records of reads and writes: what the record leaves out, from blocks of each size.
 */
#include "bpf/shared/slot.h"
#include "bpf/shared/trace.h"
#include "lib/nvme/reqflags.h"
#include "lib/base/str.h"
#include "lib/session/unpack.h"
#include "tests/unit/test.h"

#define SLBA 0x123456789aULL

static const struct queue_info queue = { .nsid = 7, .qid = 3, .lba_bytes = 512 };

static struct trace_fast_record record_of(u64 slba, u32 nlb, u32 block_bytes)
{
	return (struct trace_fast_record){
		.sector = slba * (block_bytes / 512),
		.bytes = nlb * block_bytes,
		.cdw12_15 = { nlb - 1 },
	};
}

/* As the driver would have computed it, whatever the queue's blocks are by now. */
TEST(slba)
{
	static const u32 block_bytes[] = { 512, 1024, 4096, 65536 },
			 nlb[] = { 1, 2, 3, 7, 8, 65535, 65536 };

	for (u32 i = 0; i < ARRAY_SIZE(block_bytes); i++) {
		for (u32 k = 0; k < ARRAY_SIZE(nlb); k++) {
			struct trace_fast_record r;
			struct event ev;

			if ((u64)nlb[k] * block_bytes[i] > UINT32_MAX)
				continue;
			r = record_of(SLBA, nlb[k], block_bytes[i]);
			trace_unpack_fast(&ev, &r, &queue);
			assert_int_equal((u64)ev.cdw[1] << 32 | ev.cdw[0], SLBA);
			assert_int_equal(ev.cdw[2], nlb[k] - 1);
			assert_int_equal(ev.bytes, r.bytes);
		}
	}
}

/* The upper half of dword 12 are no blocks. */
TEST(flags_of_dword_12)
{
	struct trace_fast_record r = record_of(SLBA, 8, 4096);
	struct event ev;

	r.cdw12_15[0] |= 0xc0000000; /* LR, FUA */
	trace_unpack_fast(&ev, &r, &queue);
	assert_int_equal((u64)ev.cdw[1] << 32 | ev.cdw[0], SLBA);
	assert_int_equal(ev.cdw[2], 0xc0000007);
}

TEST(members)
{
	struct trace_fast_record r = record_of(0, 1, 512);
	struct event ev;

	r.cmd_flags = 0x800 | REQ_OP_WRITE;
	r.comm[0] = 'x';
	r.tag = 12;
	r.cid = 0x400c;
	r.worker = 1;
	trace_unpack_fast(&ev, &r, &queue);
	assert_int_equal(ev.kind, EVENT_IO);
	assert_int_equal(ev.opcode, OPCODE_WRITE);
	assert_int_equal(ev.nsid, queue.nsid);
	assert_int_equal(ev.qid, queue.qid);
	assert_int_equal(ev.tag, 12);
	assert_int_equal(ev.cid, 0x400c);
	assert_int_equal(ev.cmd_flags, r.cmd_flags);
	assert_int_equal(ev.flags, EVENT_WORKER);
	assert_string_equal(ev.comm, "x");
	r.cmd_flags = 0;
	r.worker = 0;
	trace_unpack_fast(&ev, &r, &queue);
	assert_int_equal(ev.opcode, OPCODE_READ);
	assert_int_equal(ev.flags, 0);
}

/*
 * A whole event is taken as it is, one that ends before the phases has none, and what is shorter than
 * any record is none.
 */
TEST(sizes)
{
	struct event whole = { .kind = EVENT_AER, .result = 5 }, ev;

	assert_true(trace_unpack(NULL, &ev, &whole, sizeof(whole)));
	assert_memory_equal(&ev, &whole, sizeof(ev));
	memset(&ev, 0xff, sizeof(ev));
	assert_true(trace_unpack(NULL, &ev, &whole, EVENT_BRIEF));
	assert_memory_equal(&ev, &whole, sizeof(ev));
	assert_false(event_unpack(&ev, &whole, EVENT_BRIEF - 1));
	assert_false(trace_unpack(NULL, &ev, &whole, sizeof(struct trace_fast_record) - 1));
}

static struct command_slot slot_of(u8 state)
{
	struct command_slot slot = {
		.submit_ns = 1000,
		.state = state,
		.opcode = OPCODE_DSM,
		.sqe_flags = 1,
		.queued_ns = 900,
		.bytes = 8192,
		.nsid = 9,
		.cid = 0x1005,
		.cpu = 2,
		.sub = { .cgroup_id = 5,
			 .sector = 64,
			 .insert_ns = 950,
			 .pid = 77,
			 .tid = 78,
			 .kstack_id = 3,
			 .ustack_id = 4,
			 .worker = 1,
			 .comm = "fio" },
		.cdw = { 1, 2, 15, 4, 5, 6 },
		.cause = { .owner_id = 6 },
		.during = 8,
		.file = { .ino = 11, .ino_dev = 10, .ino_gen = 12 },
	};

	return slot;
}

/* The slow path notes all that was asked for; the rest is of a command before it. */
TEST(slot_in_flight)
{
	struct command_slot slot = slot_of(SLOT_BUSY | SLOT_SELECTED);
	struct event ev;

	trace_unpack_slot(&ev, &slot, &queue, 5, 0);
	assert_int_equal(ev.kind, EVENT_INFLIGHT);
	assert_int_equal(ev.submit_ns, 1000);
	assert_int_equal(ev.opcode, OPCODE_DSM);
	assert_int_equal(ev.nsid, 9);
	assert_int_equal(ev.bytes, 8192);
	assert_int_equal(ev.cdw[0], 1);
	assert_int_equal(ev.cdw[5], 6);
	assert_int_equal(ev.cid, 0x1005);
	assert_int_equal(ev.tag, 5);
	assert_int_equal(ev.qid, 3);
	assert_int_equal(ev.pid, 77);
	assert_string_equal(ev.comm, "fio");
	assert_int_equal(ev.cgroup_id, 5);
	assert_int_equal(ev.flags, EVENT_WORKER);
	assert_int_equal(ev.queued_ns, 0);
	assert_int_equal(ev.insert_ns, 0);
	assert_int_equal(ev.kstack_id, -1);
	assert_int_equal(ev.ustack_id, -1);
	assert_int_equal(ev.owner_id, 0);
	assert_int_equal(ev.ino, 0);
	assert_int_equal(ev.during, DURING_NONE);
	trace_unpack_slot(&ev, &slot, &queue, 5, ~0U);
	assert_int_equal(ev.queued_ns, 900);
	assert_int_equal(ev.insert_ns, 950);
	assert_int_equal(ev.kstack_id, 3);
	assert_int_equal(ev.ustack_id, 4);
	assert_int_equal(ev.owner_id, 6);
	assert_int_equal(ev.ino, 11);
	assert_int_equal(ev.ino_dev, 10);
	assert_int_equal(ev.ino_gen, 12);
	assert_int_equal(ev.during, 8);
}

/* The fast path notes flags, and neither opcode nor namespace: those in the slot are old. */
TEST(fast_slot_in_flight)
{
	struct command_slot slot = slot_of(SLOT_BUSY | SLOT_SELECTED | SLOT_FAST);
	struct event ev;

	slot.cmd_flags = REQ_OP_WRITE;
	trace_unpack_slot(&ev, &slot, &queue, 5, ~0U);
	assert_int_equal(ev.kind, EVENT_INFLIGHT);
	assert_int_equal(ev.opcode, OPCODE_WRITE);
	assert_int_equal(ev.nsid, 7);
	assert_int_equal((u64)ev.cdw[1] << 32 | ev.cdw[0], 64);
	assert_int_equal(ev.cdw[2], 15);
	assert_int_equal(ev.bytes, 8192);
	assert_int_equal(ev.submit_ns, 1000);
	assert_int_equal(ev.pid, 77);
	assert_int_equal(ev.tid, 78);
	assert_string_equal(ev.comm, "fio");
	assert_int_equal(ev.cgroup_id, 5);
	assert_int_equal(ev.submit_cpu, 2);
	assert_int_equal(ev.cid, 0x1005);
	assert_int_equal(ev.tag, 5);
	assert_int_equal(ev.queued_ns, 0);
	assert_int_equal(ev.kstack_id, -1);
}
