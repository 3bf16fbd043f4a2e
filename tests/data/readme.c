// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes the recording that the tasks of README are shown on: two seconds of a database on one
 * drive. In the second of them a backup reads as well. It fills the queues, slows the database's
 * reads down, and meets a block that cannot be read.
 *
 *         make build/unit/lib.a   gcc -std=gnu11 -D_GNU_SOURCE -iquote . tests/data/readme.c
 * build/unit/lib.a -lbpf -lelf -lz -o /tmp/make        /tmp/make tests/data/readme.nvt
 */
#include "lib/base/str.h"
#include "lib/session/session.h"
#include "tests/data/made.h"

#define COMMANDS 1200
#define STEP_NS	 1650000 /* from one completion to the next */
#define BACKUP	 606 /* its first command */
#define BAD_READ 900 /* the first attempt of the read that fails */
#define ATTEMPTS 6
#define LOG_PAGE 240

enum { QUEUE_IO, QUEUE_ADMIN };

static const struct queue_info queues[] = {
	{ .ctrl_id = 0, .nsid = 1, .lba_bytes = 512, .major = 259, .disk = "nvme0n1" },
	{ .ctrl_id = 0, .admin = 1, .index = 1 },
};

static u32 state = 1, chunk;

/* xorshift: a number from @from up to and without @to. */
static u64 draw(u64 from, u64 to)
{
	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return from + state % (to - from);
}

static void submitter(struct event *ev, const char *comm, u32 pid)
{
	memcpy(ev->comm, comm, strlen(comm));
	ev->pid = ev->tid = pid;
}

static void range(struct event *ev, u8 opcode, u64 block, u32 bytes)
{
	ev->opcode = opcode;
	ev->bytes = bytes;
	ev->cdw[0] = (u32)block;
	ev->cdw[2] = bytes / 512 - 1;
}

static void took(struct event *ev, u64 queued_ns, u64 lat_ns)
{
	ev->submit_ns = ev->ts_ns - lat_ns;
	ev->queued_ns = ev->submit_ns - queued_ns;
}

/* The log page is of another vendor, so the drive refuses it. */
static void fill_log_page(struct event *ev)
{
	submitter(ev, "smartd", 912);
	took(ev, 0, 911044);
	ev->queue = QUEUE_ADMIN;
	ev->flags = EVENT_ADMIN | EVENT_PASSTHROUGH;
	ev->qid = 0;
	ev->opcode = 2;
	ev->nsid = ~0U;
	ev->queued_ns = 0;
	ev->cdw[0] = 0x007f00ca;
	ev->status = 0x4109;
}

static void fill_bad_read(struct event *ev, u32 attempt)
{
	submitter(ev, "tar", 3406);
	range(ev, 2, 423500000 + 256ULL * chunk, 131072);
	took(ev, 9000, draw(810000, 840000));
	ev->status = 0x281;
	ev->retries = (u8)attempt;
}

/* More than the drive takes at once, so each waits before it is sent. */
static void fill_backup(struct event *ev)
{
	submitter(ev, "tar", 3406);
	range(ev, 2, 423500000 + 256ULL * chunk++, 131072);
	took(ev, draw(2000000, 9000000), draw(900000, 2600000));
}

/* The journal's, or of a process that waits for nothing else in it. */
static void fill_flush(struct event *ev)
{
	if (draw(0, 4))
		submitter(ev, "jbd2/nvme0n1-8", 411);
	else
		submitter(ev, "postgres", 2107);
	took(ev, draw(2000, 5000), draw(380000, 900000));
}

static void fill_database(struct event *ev, bool busy)
{
	static const u32 pids[] = { 2107, 2112, 2131 };

	submitter(ev, "postgres", pids[draw(0, 3)]);
	if (!draw(0, 4)) {
		range(ev, 1, 16 * draw(0, 8000000), 8192);
		took(ev, draw(2000, 5000), draw(22000, 48000));
		return;
	}
	range(ev, 2, 16 * draw(0, 8000000), 8192);
	took(ev, draw(2000, 5000), busy ? draw(110000, 2900000) : draw(74000, 131000));
	if (busy && !draw(0, 40))
		took(ev, draw(2000, 5000), draw(3200000, 5400000));
}

static void fill_event(struct event *ev, u32 i)
{
	*ev = (struct event){ .kind = EVENT_IO, .nsid = 1, .kstack_id = -1, .ustack_id = -1 };
	ev->ts_ns = START_NS + 10000000 + (u64)i * STEP_NS + draw(0, STEP_NS);
	ev->qid = (u16)draw(1, 5);
	ev->submit_cpu = ev->complete_cpu = ev->qid - 1;
	ev->tag = i % 1024;
	ev->cid = (u16)(ev->tag | (i % 16) << 12);
	if (i == LOG_PAGE)
		fill_log_page(ev);
	else if (i >= BAD_READ && i < BAD_READ + ATTEMPTS)
		fill_bad_read(ev, i - BAD_READ);
	else if (i >= BACKUP && draw(0, 2))
		fill_backup(ev);
	else if (!draw(0, 40))
		fill_flush(ev);
	else
		fill_database(ev, i >= BACKUP);
}

static int add(struct record_writer *w, u32 i)
{
	struct event ev;
	struct view v = { .ev = &ev, .ctrl = "nvme0" };

	fill_event(&ev, i);
	v.queue = &queues[ev.queue];
	v.dev = ev.queue == QUEUE_ADMIN ? "nvme0" : "nvme0n1";
	v.wall_ns = ev.ts_ns + (u64)WALL_OFFSET_NS;
	return record_add(w, &v);
}

int main(int argc, char **argv)
{
	const u32 needs = NEED_PID | NEED_COMM | NEED_QUEUED | NEED_STATUS | NEED_RESULT |
			  NEED_SQE | NEED_CMD_FLAGS | NEED_AER | NEED_COMPLETE | NEED_IO | NEED_CPU;

	return made_main(argc, argv, "db1", needs, COMMANDS, add);
}
