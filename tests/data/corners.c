// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes the recording of what is rare but may be: many controllers and processes, fabrics commands
 * and their statuses, addresses up to the end of 64 bits, a status without a name, a submitter
 * without a name and a control group, one that is called "-", which stands for those elsewhere.
 *
 *         make build/unit/lib.a   gcc -std=gnu11 -D_GNU_SOURCE -iquote . tests/data/corners.c
 * build/unit/lib.a -lbpf -lelf -lz -o /tmp/make       /tmp/make tests/data/corners.nvt
 */
#include "lib/base/str.h"
#include "lib/session/session.h"
#include "tests/data/made.h"

#define CTRLS 64 /* each has a namespace */
#define MANY  1280 /* commands of as many processes, over all controllers */

enum { QUEUE_FAR = CTRLS, QUEUE_ADMIN, QUEUES };

struct odd {
	u64 lba;
	u32 nsid;
	u16 queue, status;
	u8 opcode, fctype, retries;
};

static const struct odd odd[] = {
	{ .queue = QUEUE_ADMIN,
	  .opcode = 0x7f,
	  .fctype = 1,
	  .nsid = 1,
	  .status = 0x182 }, /* Connect */
	{ .queue = QUEUE_ADMIN, .opcode = 0x7f, .fctype = 4, .nsid = 4 }, /* Property Get */
	{ .queue = QUEUE_ADMIN, .opcode = 6, .nsid = 1 }, /* Identify */
	{ .queue = QUEUE_FAR, .opcode = 1, .nsid = 1, .status = 0x182 },
	{ .queue = QUEUE_FAR, .opcode = 9, .nsid = 1, .status = 0x401 },
	{ .queue = QUEUE_FAR, .opcode = 1, .nsid = 1, .status = 0x281, .retries = 5 },
	{ .queue = QUEUE_FAR, .opcode = 1, .nsid = 1, .retries = 6 },
	{ .queue = QUEUE_FAR, .opcode = 2, .nsid = 1, .lba = 0 },
	{ .queue = QUEUE_FAR, .opcode = 2, .nsid = 1, .lba = 1ULL << 63 },
	{ .queue = QUEUE_FAR, .opcode = 2, .nsid = 1, .lba = 0 },
	{ .queue = QUEUE_FAR, .opcode = 2, .nsid = 1, .lba = (1ULL << 55) + 1 },
	{ .queue = QUEUE_FAR, .opcode = 2, .nsid = 1, .lba = ~0ULL },
	{ .queue = QUEUE_FAR, .opcode = 2, .nsid = 1, .lba = 0 },
};

#define COMMANDS (MANY + ARRAY_SIZE(odd))

static void fill_many(struct event *ev, u32 i)
{
	static const u8 opcodes[] = { 2, 1, 0, 9 };

	ev->queue = i % CTRLS;
	ev->qid = 1;
	ev->nsid = 1;
	ev->opcode = opcodes[i / CTRLS % ARRAY_SIZE(opcodes)];
	ev->pid = ev->tid = 1000 + i;
	ev->cgroup_id = 10;
	if (i == MANY - 1)
		ev->comm[0] = '-';
	else
		memcpy(ev->comm, "fio", 3);
}

static void fill_odd(struct event *ev, const struct odd *from)
{
	ev->queue = from->queue;
	ev->qid = from->queue == QUEUE_FAR;
	ev->flags = ev->qid ? 0 : EVENT_ADMIN;
	ev->nsid = from->nsid;
	ev->opcode = from->opcode;
	ev->fctype = from->fctype;
	ev->bytes = from->opcode < 3 ? 512 : 0;
	ev->cdw[0] = (u32)from->lba;
	ev->cdw[1] = (u32)(from->lba >> 32);
	ev->status = from->status;
	ev->retries = from->retries;
}

static int add(struct record_writer *w, u32 i)
{
	char ctrl[16], dev[24];
	struct event ev = { .kind = EVENT_IO, .kstack_id = -1, .ustack_id = -1 };
	struct queue_info queue = { .lba_bytes = 512, .nsid = 1, .major = 259 };
	struct view v = { .ev = &ev, .queue = &queue, .ctrl = ctrl, .dev = dev };

	ev.ts_ns = START_NS + (i + 1) * 1000000ULL;
	ev.submit_ns = ev.ts_ns - 10000;
	if (i < MANY)
		fill_many(&ev, i);
	else
		fill_odd(&ev, &odd[i - MANY]);
	queue.index = queue.minor = ev.queue;
	queue.ctrl_id = (s32)ev.queue;
	snprintf(ctrl, sizeof(ctrl), "nvme%u", (u8)ev.queue);
	snprintf(dev, sizeof(dev), "%sn1", ctrl);
	snprintf(queue.disk, sizeof(queue.disk), "%s", dev);
	if (ev.queue == QUEUE_ADMIN) {
		queue.admin = 1;
		queue.nsid = queue.lba_bytes = queue.major = queue.minor = 0;
		queue.disk[0] = '\0';
		v.dev = ctrl;
	}
	v.cgroup = ev.cgroup_id ? "/user.slice" : NULL;
	v.wall_ns = ev.ts_ns + (u64)WALL_OFFSET_NS;
	return record_add(w, &v);
}

int main(int argc, char **argv)
{
	const u32 needs = NEED_PID | NEED_COMM | NEED_CGROUP | NEED_STATUS | NEED_SQE |
			  NEED_COMPLETE | NEED_RESULT | NEED_KSTACK | NEED_IO | NEED_CPU |
			  NEED_CMD_FLAGS;

	return made_main(argc, argv, "host-b", needs, COMMANDS, add);
}
