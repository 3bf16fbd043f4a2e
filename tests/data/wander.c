// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes a recording of reads whose latency wanders slowly: an AR(1) process with a correlation time
 * of a fifth of the recording, so that diff finds it too short.
 *
 *         make build/unit/lib.a   gcc -std=gnu11 -D_GNU_SOURCE -iquote . tests/data/wander.c
 * build/unit/lib.a -lbpf -lelf -lz -lm -o /tmp/make      /tmp/make tests/data/wander.nvt
 */
#include <math.h>

#include "lib/base/str.h"
#include "lib/session/session.h"
#include "tests/data/made.h"

#define COMMANDS 3000
#define TIME	 600

/* Numbers of a sequence that is the same everywhere, above 0 and below 1. */
static double draw(void)
{
	static u64 seed;
	u64 z = seed += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return ((double)((z ^ z >> 31) >> 12) + 0.5) / 4503599627370496.0;
}

/* Nearly normal: of deviation 1. */
static double draw_normal(void)
{
	double sum = -6;

	for (u32 i = 0; i < 12; i++)
		sum += draw();
	return sum;
}

static u64 draw_lat_ns(void)
{
	static double level;
	const double kept = 1 - 1.0 / TIME;

	level = kept * level + sqrt(1 - kept * kept) * 0.3 * draw_normal();
	return (u64)(90000 * exp(level + 0.1 * draw_normal()));
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
		.opcode = OPCODE_READ,
		.bytes = 4096,
		.comm = "fio",
		.pid = 100,
	};
	struct queue_info queue = { .lba_bytes = 512, .nsid = 1, .major = 259, .disk = "nvme0n1" };
	struct view v = { .ev = &ev, .queue = &queue, .ctrl = "nvme0", .dev = "nvme0n1" };

	ev.submit_ns = ev.ts_ns - draw_lat_ns();
	v.wall_ns = ev.ts_ns + (u64)WALL_OFFSET_NS;
	return record_add(w, &v);
}

int main(int argc, char **argv)
{
	const u32 needs = NEED_PID | NEED_COMM | NEED_CGROUP | NEED_STATUS | NEED_SQE |
			  NEED_COMPLETE | NEED_RESULT | NEED_IO | NEED_CPU | NEED_CMD_FLAGS;

	return made_main(argc, argv, "host-a", needs, COMMANDS, add);
}
