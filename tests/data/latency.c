// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes the recording that replay tests use: two controllers, three namespaces, four processes
 * with hostile names, two cgroups, reads, writes, flushes, a few errors, and some admin commands.
 *
 *         make build/unit/lib.a   gcc -std=gnu11 -D_GNU_SOURCE -iquote . tests/data/latency.c
 * build/unit/lib.a -lbpf -lelf -lz -o /tmp/make       /tmp/make tests/data/latency.nvt
 */
#include "lib/base/str.h"
#include "lib/nvme/reqflags.h"
#include "lib/session/session.h"
#include "tests/data/made.h"

#define COMMANDS 1000

static const struct queue_info queues[] = {
	{ .ctrl_id = 0, .nsid = 1, .lba_bytes = 512, .major = 259, .minor = 0, .disk = "nvme0n1" },
	{ .ctrl_id = 0,
	  .nsid = 2,
	  .lba_bytes = 4096,
	  .major = 259,
	  .minor = 1,
	  .disk = "nvme0n2",
	  .index = 1 },
	{ .ctrl_id = 1,
	  .nsid = 1,
	  .lba_bytes = 512,
	  .major = 259,
	  .minor = 2,
	  .disk = "nvme1n1",
	  .index = 2 },
	{ .ctrl_id = 1, .admin = 1, .index = 3 },
};

static const char *const comms[] = { "fio", "a,\"b\"", "\x1b[2Jx\n", "\xff\xc3(\\" };

static u64 seed = 1;

static u32 draw(u32 below)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (u32)(seed >> 33) % below;
}

/* Latencies from 9 us up, with a long tail. */
static u64 draw_latency(void)
{
	u64 ns = 9000 + draw(90000);

	if (!draw(20))
		ns *= 10 + draw(100);
	return ns;
}

static void fill_io(struct event *ev)
{
	static const u8 opcodes[] = { 2, 2, 2, 1, 1, 0 };

	ev->opcode = opcodes[draw(6)];
	ev->bytes = ev->opcode ? 4096U << draw(6) : 0;
	ev->nsid = queues[ev->queue].nsid;
	ev->qid = (u16)(1 + draw(4));
	ev->cdw[0] = draw(1 << 20) * 8;
	ev->cdw[2] = ev->bytes ? ev->bytes / queues[ev->queue].lba_bytes - 1 : 0;
	ev->status = draw(100) ? 0 : 0x281;
	ev->queued_ns = ev->submit_ns - draw(5000);
	ev->cmd_flags = draw(2) ? 1 << REQ_FLAG_SYNC | 1 << REQ_FLAG_IDLE : 0;
}

static void fill_event(struct event *ev, u32 i)
{
	*ev = (struct event){ .kind = EVENT_IO, .kstack_id = -1, .ustack_id = -1 };
	ev->ts_ns = START_NS + 10000000 + i * 1000000ULL + draw(900000);
	ev->submit_ns = ev->ts_ns - draw_latency();
	ev->queue = draw(50) ? draw(3) : 3;
	ev->pid = ev->tid = 1000 + draw(4);
	ev->cgroup_id = 10 + ev->pid % 2;
	ev->submit_cpu = ev->complete_cpu = (u16)draw(4);
	ev->cid = (u16)(i & 0xfff);
	ev->tag = ev->cid;
	memcpy(ev->comm, comms[ev->pid - 1000], strlen(comms[ev->pid - 1000]));
	if (ev->queue < 3) {
		fill_io(ev);
		return;
	}
	ev->opcode = 0x02; /* Get Log Page, SMART */
	ev->flags = EVENT_ADMIN | EVENT_PASSTHROUGH;
	ev->bytes = 512;
	ev->cdw[0] = 0x007f0002;
	ev->nsid = ~0U;
}

static int add(struct record_writer *w, u32 i)
{
	static const char *const cgroups[] = { "/user.slice", "/system.slice/db\x1b.service" };
	static const char *const ctrls[] = { "nvme0", "nvme1" };
	struct event ev;
	struct view v = { .ev = &ev };

	fill_event(&ev, i);
	v.queue = &queues[ev.queue];
	v.ctrl = ctrls[v.queue->ctrl_id];
	v.dev = v.queue->admin ? v.ctrl : v.queue->disk;
	v.cgroup = cgroups[ev.cgroup_id - 10];
	v.flags = ev.cmd_flags;
	v.wall_ns = ev.ts_ns + (u64)WALL_OFFSET_NS;
	return record_add(w, &v);
}

int main(int argc, char **argv)
{
	const u32 needs = NEED_PID | NEED_COMM | NEED_CGROUP | NEED_QUEUED | NEED_STATUS |
			  NEED_RESULT | NEED_SQE | NEED_CMD_FLAGS | NEED_IO | NEED_CPU;

	return made_main(argc, argv, "host-a", needs, COMMANDS, add);
}
