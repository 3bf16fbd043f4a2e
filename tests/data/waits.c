// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes a recording of 400 reads of a process, and of 400 flushes that take most of the time: a journal
 * sends them, and nine in ten have a process that waits for them.
 *
 *         make build/unit/lib.a   gcc -std=gnu11 -D_GNU_SOURCE -iquote . tests/data/waits.c
 * build/unit/lib.a -lbpf -lelf -lz -o /tmp/make      /tmp/make tests/data/waits.nvt
 */
#include "lib/base/str.h"
#include "lib/session/session.h"
#include "tests/data/made.h"

#define COMMANDS 800

static void fill_flush(struct event *ev, u32 i)
{
	ev->submit_ns = ev->ts_ns - 800000;
	ev->pid = ev->tid = 55;
	snprintf(ev->comm, sizeof(ev->comm), "jbd2/nvme0n1-8");
	if (i / 2 % 10 == 9)
		return;
	ev->syncer_pid = 2107;
	ev->syncers = 1;
	snprintf(ev->syncer_comm, sizeof(ev->syncer_comm), "postgres");
}

static void fill_read(struct event *ev)
{
	ev->submit_ns = ev->ts_ns - 90000;
	ev->opcode = 2;
	ev->bytes = 4096;
	ev->pid = ev->tid = 99;
	snprintf(ev->comm, sizeof(ev->comm), "fio");
}

static int add(struct record_writer *w, u32 i)
{
	struct event ev = {
		.ts_ns = START_NS + (i + 1) * 1000000ULL,
		.kind = EVENT_IO,
		.kstack_id = -1,
		.ustack_id = -1,
		.qid = 1,
		.nsid = 1,
		.cdw = { i * 8, 0, 7 },
	};
	const struct queue_info queue = {
		.lba_bytes = 512, .nsid = 1, .major = 259, .disk = "nvme0n1"
	};
	const struct view v = { .ev = &ev,
				.queue = &queue,
				.ctrl = "nvme0",
				.dev = "nvme0n1",
				.wall_ns = ev.ts_ns + (u64)WALL_OFFSET_NS };

	if (i % 2)
		fill_read(&ev);
	else
		fill_flush(&ev, i);
	return record_add(w, &v);
}

int main(int argc, char **argv)
{
	const u32 needs = NEED_PID | NEED_COMM | NEED_STATUS | NEED_SQE | NEED_COMPLETE |
			  NEED_RESULT | NEED_IO | NEED_CPU | NEED_CMD_FLAGS | NEED_SYNCER;

	return made_main(argc, argv, "host-w", needs, COMMANDS, add);
}
