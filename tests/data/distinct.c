// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes the recording of errors of more processes than a table holds, the last ones of another drive.
 *
 *         make build/unit/lib.a   gcc -std=gnu11 -D_GNU_SOURCE -iquote . tests/data/distinct.c
 * build/unit/lib.a -lbpf -lelf -lz -o /tmp/make      /tmp/make tests/data/distinct.nvt
 */
#include "lib/base/str.h"
#include "lib/session/session.h"
#include "tests/data/made.h"

#define FIRST	 4098 /* of nvme0, unrecovered reads */
#define COMMANDS 4100 /* of nvme1, write faults */

static int add(struct record_writer *w, u32 i)
{
	bool first = i < FIRST;
	struct event ev = {
		.ts_ns = START_NS + (i + 1) * 1000000ULL,
		.submit_ns = START_NS + (i + 1) * 1000000ULL - 10000,
		.kind = EVENT_IO,
		.kstack_id = -1,
		.ustack_id = -1,
		.queue = !first,
		.qid = 1,
		.nsid = 1,
		.opcode = first ? 2 : 1,
		.cdw = { i },
		.bytes = 512,
		.pid = 1000 + i,
		.status = first ? 0x281 : 0x280,
	};
	struct queue_info queue = { .lba_bytes = 512, .nsid = 1, .major = 259 };
	struct view v = { .ev = &ev, .queue = &queue };

	queue.index = queue.minor = ev.queue;
	queue.ctrl_id = (s32)ev.queue;
	v.ctrl = first ? "nvme0" : "nvme1";
	v.dev = first ? "nvme0n1" : "nvme1n1";
	snprintf(queue.disk, sizeof(queue.disk), "%s", v.dev);
	v.wall_ns = ev.ts_ns + (u64)WALL_OFFSET_NS;
	return record_add(w, &v);
}

int main(int argc, char **argv)
{
	const u32 needs = NEED_PID | NEED_COMM | NEED_CGROUP | NEED_STATUS | NEED_SQE |
			  NEED_COMPLETE | NEED_RESULT | NEED_IO | NEED_CPU | NEED_CMD_FLAGS;

	return made_main(argc, argv, "host-c", needs, COMMANDS, add);
}
