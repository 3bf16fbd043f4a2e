// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes a recording for diff: one of a drive before a change, or, if the name of the file has
 * "after" in it, of another host after it. Reads take 1.5 times as long then, writes are as before,
 * flushes are few.
 *
 *         make build/unit/lib.a   gcc -std=gnu11 -D_GNU_SOURCE -iquote . tests/data/diff.c
 * build/unit/lib.a -lbpf -lelf -lz -lm -o /tmp/make      /tmp/make tests/data/before.nvt
 *         /tmp/make tests/data/after.nvt
 */
#include "lib/base/str.h"
#include "lib/session/session.h"
#include "tests/data/made.h"

#define COMMANDS 3000
#define CPUS	 600 /* more than diff has rows */

static bool after;

/* Numbers of a sequence that is the same everywhere, below @end. */
static u64 draw(u64 end)
{
	static u64 seed;
	u64 z = seed += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return (z ^ z >> 31) % end;
}

/* Around 100 us, with a tail: 2 of 100 take ten times as long. */
static u64 draw_lat_ns(void)
{
	u64 lat_ns = 60000 + draw(40000) + draw(40000);

	return draw(50) ? lat_ns : 10 * lat_ns;
}

static int add(struct record_writer *w, u32 i)
{
	u8 opcode = i % 500 == 0 ? 0 : i % 3 ? OPCODE_READ : OPCODE_WRITE;
	u64 lat_ns = draw_lat_ns();
	struct event ev = {
		.ts_ns = START_NS + (i + 1) * 1000000ULL,
		.kind = EVENT_IO,
		.kstack_id = -1,
		.ustack_id = -1,
		.qid = 1,
		.nsid = 1,
		.opcode = opcode,
		.bytes = opcode ? 4096 : 0,
		.comm = "fio",
		.submit_cpu = (u16)(i % CPUS),
		.pid = after ? 200 : 100,
	};
	struct queue_info queue = { .lba_bytes = 512, .nsid = 1, .major = 259, .disk = "nvme0n1" };
	struct view v = { .ev = &ev, .queue = &queue, .ctrl = "nvme0", .dev = "nvme0n1" };

	if (after && opcode == OPCODE_READ)
		lat_ns += lat_ns / 2;
	ev.submit_ns = ev.ts_ns - lat_ns;
	v.wall_ns = ev.ts_ns + (u64)WALL_OFFSET_NS;
	return record_add(w, &v);
}

int main(int argc, char **argv)
{
	const u32 needs = NEED_PID | NEED_COMM | NEED_CGROUP | NEED_STATUS | NEED_SQE |
			  NEED_COMPLETE | NEED_RESULT | NEED_IO | NEED_CPU | NEED_CMD_FLAGS;

	after = argc == 2 && strstr(argv[1], "after");
	for (u32 i = 0; after && i < 12345; i++)
		draw(1); /* other numbers of the sequence */
	return made_main(argc, argv, after ? "host-b" : "host-a", needs, COMMANDS, add);
}
