// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes a recording with flush requests of devices above two drives: a mirror of both, and an
 * encrypted volume on one of them.
 *
 *         make build/unit/lib.a   gcc -std=gnu11 -D_GNU_SOURCE -iquote . tests/data/flushes.c
 * build/unit/lib.a -lbpf -lelf -lz -o /tmp/make        /tmp/make tests/data/flushes.nvt
 */
#include "lib/base/str.h"
#include "lib/nvme/reqflags.h"
#include "lib/session/session.h"
#include "tests/data/made.h"

#define STEP_NS	 1000000
#define COMMANDS 2 /* flushes of the drives: the first lines */
#define UNKNOWN	 (~0U)

enum { DISK0, DISK1, MD0, DM3 };

static const struct queue_info queues[] = {
	{ .ctrl_id = 0, .nsid = 1, .lba_bytes = 512, .major = 259, .disk = "nvme0n1" },
	{ .ctrl_id = 1, .nsid = 7, .lba_bytes = 512, .major = 259, .disk = "nvme1n7" },
	{ .ctrl_id = -1, .major = 9, .disk = "md0" },
	{ .ctrl_id = -1, .major = 253, .minor = 3, .disk = "dm-3" },
};
static const char *const ctrls[] = { "nvme0", "nvme1", "-", "-" };
static const char *const members[] = { NULL, NULL, "nvme0n1 nvme1n7", "nvme1n7" };

struct line {
	u32 queue, lat_ns, pid;
	const char *comm;
	u32 bytes, flags, commands, shared;
};

/* clang-format off */
static const struct line lines[] = {
	{ DISK0, 400000, 3218, "fio", 0, 0, 0, 0 },
	{ DISK1, 410000, 3218, "fio", 0, 0, 0, 0 },
	{ MD0, 450000, 3218, "fio", 0, 0, 2, 1 },
	{ MD0, 2100000, 411, "jbd2/md0-8", 4096, 1U << REQ_FLAG_FUA, 2, 3 },
	{ MD0, 700000, 4411, "postgres", 0, 0, UNKNOWN, UNKNOWN },
	{ DM3, 12000, 4411, "postgres", 0, 0, 0, UNKNOWN },
};
/* clang-format on */

static int add(struct record_writer *w, u32 i)
{
	const struct line *l = &lines[i];
	bool above = members[l->queue];
	struct event ev = {
		.kind = above ? EVENT_FLUSH : EVENT_IO,
		.ts_ns = START_NS + 10000000 + (u64)i * STEP_NS,
		.cgroup_id = 100 + l->queue,
		.cdw = { l->commands, l->shared },
		.bytes = l->bytes,
		.nsid = above ? 0 : queues[l->queue].nsid,
		.queue = l->queue,
		.kstack_id = -1,
		.ustack_id = -1,
		.qid = above ? 0 : 1,
		.pid = l->pid,
		.tid = l->pid,
	};
	struct view v = {
		.ev = &ev,
		.queue = &queues[l->queue],
		.ctrl = ctrls[l->queue],
		.dev = queues[l->queue].disk,
		.members = members[l->queue],
		.cgroup = l->queue == DM3 ? "/db" : "/",
		.flags = l->flags,
	};

	ev.submit_ns = ev.ts_ns - l->lat_ns;
	memcpy(ev.comm, l->comm, strlen(l->comm));
	v.wall_ns = ev.ts_ns + (u64)WALL_OFFSET_NS;
	return record_add(w, &v);
}

int main(int argc, char **argv)
{
	const struct made made = {
		.host = "db1",
		.needs = NEED_PID | NEED_COMM | NEED_STATUS | NEED_RESULT | NEED_SQE | NEED_CGROUP |
			 NEED_CMD_FLAGS | NEED_COMPLETE | NEED_IO | NEED_CPU | NEED_FLUSHES,
		.events = ARRAY_SIZE(lines),
		.commands = COMMANDS,
		.add = add,
	};

	return made_run(argc, argv, &made);
}
