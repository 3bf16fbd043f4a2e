// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes the recording that tests of `stacks` replay: kernel stacks that differ in offsets alone, a
 * worker, user stacks of one frame, of none and with hostile names, commands whose stack was not
 * recorded, errors.
 *
 *         make build/unit/lib.a   gcc -std=gnu11 -D_GNU_SOURCE -iquote . tests/data/stacks.c
 * build/unit/lib.a -lbpf -lelf -lz -o /tmp/make        /tmp/make tests/data/stacks.nvt
 */
#include "lib/base/str.h"
#include "lib/session/session.h"
#include "tests/data/made.h"

#define COMMANDS 120
#define FRAMES	 4

static const struct queue_info queues[] = {
	{ .ctrl_id = 0, .nsid = 1, .lba_bytes = 512, .major = 259, .disk = "nvme0n1" },
	{ .ctrl_id = 1, .admin = 1, .index = 1 },
};

struct stack {
	const char *text[FRAMES];
	u32 len;
};

static const struct stack kernel[] = {
	{ { "nvme_setup_cmd+0x1 [nvme_core]", "nvme_queue_rq+0x64 [nvme]", "vfs_read+0x23c",
	    "entry+0x6e" },
	  4 },
	{ { "nvme_setup_cmd+0x1 [nvme_core]", "nvme_queue_rq+0x99 [nvme]", "vfs_read+0x23c",
	    "entry+0x6e" },
	  4 },
	{ { "__traceiter_block_rq_insert+0x4", "blk_mq_insert+0x7", "wb_workfn+0x2",
	    "kthread+0xd7" },
	  4 },
};

static const struct stack user[] = {
	{ { "inner+0x10 [fio]", "main+0x20 [fio]" }, 2 },
	{ { "0x7f0010 [libc.so.6]" }, 1 },
	{ { "a;b\x1b[2J+0x1 [x (deleted)]", "\xff+0x2", "tail+0x4711" }, 3 },
};

static const char *const comms[] = { "fio", "dd", "x;\"y\",\x1b\n", "kworker/u8:1" };

/* Makes the @i-th command, of one of four kinds. */
static void fill_event(struct event *ev, u32 i)
{
	u32 kind = i % 4;

	*ev = (struct event){ .kind = EVENT_IO,
			      .kstack_id = -1,
			      .ustack_id = -1,
			      .opcode = 2,
			      .bytes = 4096,
			      .nsid = 1,
			      .qid = 1 };
	ev->ts_ns = START_NS + (i + 1) * 1000000ULL;
	ev->submit_ns = ev->ts_ns - 1000ULL * (i + 1);
	ev->pid = ev->tid = 100 + kind;
	ev->cgroup_id = 10 + kind % 2;
	memcpy(ev->comm, comms[kind], strlen(comms[kind]));
	ev->kstack_id = kind == 0 ? (s32)(i / 4 % 2) : kind == 3 ? 2 : 0;
	ev->ustack_id = kind < 3 ? (s32)kind : -1;
	if (kind == 3) {
		ev->flags = EVENT_WORKER;
		ev->opcode = 1;
		ev->bytes = 65536;
	}
	if (i % 40 == 1)
		ev->status = 0x281;
	if (i == 2)
		ev->kstack_id = ev->ustack_id = -1;
	if (i >= 116) {
		ev->queue = 1;
		ev->qid = 0;
		ev->opcode = 6; /* Identify */
		ev->flags |= EVENT_ADMIN;
	}
}

static int add(struct record_writer *w, u32 i)
{
	static const u64 addr[FRAMES] = { 0xffffffff81000010, 0xffffffff81000020,
					  0xffffffff81000030, 0xffffffff81000040 };
	static const char *const cgroups[] = { "/user.slice", "/system.slice/db\x1b.service" };
	struct event ev;
	struct view v = { .ev = &ev };

	fill_event(&ev, i);
	v.queue = &queues[ev.queue];
	v.ctrl = ev.queue ? "nvme1" : "nvme0";
	v.dev = ev.queue ? "nvme1" : "nvme0n1";
	v.cgroup = cgroups[ev.cgroup_id - 10];
	v.wall_ns = ev.ts_ns + (u64)WALL_OFFSET_NS;
	v.kstack = v.ustack = addr;
	if (ev.kstack_id >= 0) {
		v.kstack_len = kernel[ev.kstack_id].len;
		v.ktext = kernel[ev.kstack_id].text;
	}
	if (ev.ustack_id >= 0) {
		v.ustack_len = user[ev.ustack_id].len;
		v.utext = user[ev.ustack_id].text;
	}
	return record_add(w, &v);
}

int main(int argc, char **argv)
{
	const u32 needs = NEED_PID | NEED_COMM | NEED_CGROUP | NEED_STATUS | NEED_SQE |
			  NEED_KSTACK | NEED_USTACK | NEED_IO | NEED_CPU;

	return made_main(argc, argv, "host-a", needs, COMMANDS, add);
}
