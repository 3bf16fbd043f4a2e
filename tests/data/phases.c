// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes a recording of record --phases: reads that no scheduler held, writes that one did, a read
 * that is tried again once, and one of which it is not known when it entered the block layer.
 *
 *         make build/unit/lib.a   gcc -std=gnu11 -D_GNU_SOURCE -iquote . tests/data/phases.c
 * build/unit/lib.a -lbpf -lelf -lz -o /tmp/make      /tmp/make tests/data/phases.nvt
 */
#include "lib/base/str.h"
#include "lib/session/session.h"
#include "tests/data/made.h"

/* Times in us: from the one to the next; 0 for none. */
static const struct command {
	u8 opcode, retries;
	u16 status;
	u32 queue, scheduler, device, completion;
} commands[] = {
	{ OPCODE_READ, 0, 0, 3, 0, 80, 2 },
	{ OPCODE_WRITE, 0, 0, 2, 5, 20, 1 },
	{ OPCODE_READ, 0, 0, 4, 0, 90, 2 },
	{ OPCODE_WRITE, 0, 0, 7, 500, 30, 1 },
	{ OPCODE_READ, 0, 0x281, 5, 0, 70, 0 } /* tried again */,
	{ OPCODE_READ, 1, 0, 105, 0, 70, 4 },
	{ OPCODE_READ, 0, 0, 0, 0, 60, 3 },
};

static int add(struct record_writer *w, u32 i)
{
	const struct command *c = &commands[i];
	u64 submit_ns = START_NS + (i + 1) * 1000000ULL, ts_ns = submit_ns + c->device * 1000ULL;
	u64 insert_ns = c->scheduler ? submit_ns - c->scheduler * 1000ULL : 0;
	struct event ev = {
		.ts_ns = ts_ns,
		.submit_ns = submit_ns,
		.insert_ns = insert_ns,
		.queued_ns =
			c->queue ? (c->scheduler ? insert_ns : submit_ns) - c->queue * 1000ULL : 0,
		.done_ns = c->completion ? ts_ns + c->completion * 1000ULL : 0,
		.kind = EVENT_IO,
		.opcode = c->opcode,
		.status = c->status,
		.retries = c->retries,
		.bytes = 4096,
		.pid = 99,
		.tid = 99,
		.comm = "fio",
		.kstack_id = -1,
		.ustack_id = -1,
		.qid = 1,
		.nsid = 1,
		.cdw = { i },
	};
	const struct queue_info queue = {
		.lba_bytes = 512, .nsid = 1, .major = 259, .disk = "nvme0n1"
	};
	struct view v = { .ev = &ev, .queue = &queue, .ctrl = "nvme0", .dev = "nvme0n1" };

	v.wall_ns = ev.ts_ns + (u64)WALL_OFFSET_NS;
	return record_add(w, &v);
}

int main(int argc, char **argv)
{
	const u32 needs = NEED_PID | NEED_COMM | NEED_CGROUP | NEED_STATUS | NEED_SQE |
			  NEED_COMPLETE | NEED_RESULT | NEED_IO | NEED_CPU | NEED_CMD_FLAGS |
			  NEED_QUEUED | NEED_PHASES;

	return made_main(argc, argv, "host-p", needs, ARRAY_SIZE(commands), add);
}
