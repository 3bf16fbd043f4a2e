// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes a recording of commands that differ in one thing that is easily overlooked: the type of a
 * status whose code is the same, the number of a control group whose path is the same, one namespace
 * of three. Some are trims.
 *
 *         make build/unit/lib.a   gcc -std=gnu11 -D_GNU_SOURCE -iquote . tests/data/alike.c
 * build/unit/lib.a -lbpf -lelf -lz -o /tmp/make        /tmp/make tests/data/alike.nvt
 */
#include "lib/base/str.h"
#include "lib/session/session.h"
#include "tests/data/made.h"

#define NAMESPACES 3
#define LBA_BYTES  512

struct command {
	u64 cgroup_id;
	u32 bytes;
	u16 status;
	u8 opcode, nsid;
};

static const struct command commands[] = {
	{ .opcode = OPCODE_READ, .nsid = 1, .cgroup_id = 10, .bytes = 4096, .status = 0x81 },
	{ .opcode = OPCODE_READ, .nsid = 1, .cgroup_id = 11, .bytes = 4096, .status = 0x281 },
	{ .opcode = OPCODE_READ, .nsid = 1, .cgroup_id = 11, .bytes = 4096, .status = 0x281 },
	{ .opcode = OPCODE_READ, .nsid = 2, .cgroup_id = 10, .bytes = 8192 },
	{ .opcode = OPCODE_WRITE, .nsid = 2, .cgroup_id = 11, .bytes = 8192 },
	{ .opcode = OPCODE_READ, .nsid = 3, .cgroup_id = 10, .bytes = 512 },
	{ .opcode = OPCODE_WRITE, .nsid = 3, .cgroup_id = 10, .bytes = 512 },
	{ .opcode = OPCODE_DSM, .nsid = 3, .cgroup_id = 10, .bytes = 16 },
	{ .opcode = OPCODE_DSM, .nsid = 3, .cgroup_id = 11, .bytes = 16 },
};

static void fill_event(struct event *ev, const struct command *from, u32 i)
{
	*ev = (struct event){ .kind = EVENT_IO,
			      .kstack_id = -1,
			      .ustack_id = -1,
			      .queue = from->nsid - 1U,
			      .qid = 1,
			      .nsid = from->nsid,
			      .pid = 100,
			      .tid = 100,
			      .comm = "fio",
			      .cgroup_id = from->cgroup_id,
			      .opcode = from->opcode,
			      .status = from->status,
			      .bytes = from->bytes };
	ev->ts_ns = START_NS + (i + 1) * 1000000ULL;
	ev->submit_ns = ev->ts_ns - 10000;
	if (from->opcode == OPCODE_DSM) {
		ev->cdw[1] = 4; /* deallocate, one range */
		event_set_range(ev, 128ULL * i, 65536);
		return;
	}
	ev->cdw[0] = 64 * i;
	ev->cdw[2] = from->bytes / LBA_BYTES - 1;
}

static int add(struct record_writer *w, u32 i)
{
	static const char *const devs[NAMESPACES] = { "nvme0n1", "nvme0n2", "nvme0n3" };
	struct queue_info queue = { .lba_bytes = LBA_BYTES, .major = 259 };
	struct event ev;
	struct view v = { .ev = &ev, .queue = &queue, .ctrl = "nvme0", .cgroup = "/user.slice" };

	fill_event(&ev, &commands[i], i);
	queue.index = queue.minor = ev.queue;
	queue.nsid = ev.nsid;
	v.dev = devs[ev.queue];
	snprintf(queue.disk, sizeof(queue.disk), "%s", v.dev);
	v.wall_ns = ev.ts_ns + (u64)WALL_OFFSET_NS;
	return record_add(w, &v);
}

int main(int argc, char **argv)
{
	const u32 needs = NEED_PID | NEED_COMM | NEED_CGROUP | NEED_STATUS | NEED_SQE | NEED_IO;

	return made_main(argc, argv, "host-c", needs, ARRAY_SIZE(commands), add);
}
