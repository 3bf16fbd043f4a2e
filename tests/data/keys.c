// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes a recording with the keys of record --keys: a hundred writes that a worker submits for two
 * cgroups by two schedulers, and a hundred reads of a process by none, some of them while an admin
 * command was in flight. The writes are of two files with the same inode number, of which one has a
 * path, that is renamed; a read in ten is of the block device. For three writes in ten two processes wait, for one a
 * third.
 *
 *         make build/unit/lib.a   gcc -std=gnu11 -D_GNU_SOURCE -iquote . tests/data/keys.c
 * build/unit/lib.a -lbpf -lelf -lz -o /tmp/make      /tmp/make tests/data/keys.nvt
 */
#include "lib/base/str.h"
#include "lib/session/session.h"
#include "tests/data/made.h"

#define COMMANDS 200

static const char *path_of(u64 cgroup_id)
{
	static const char *const paths[] = { "/", "/db", "/batch" };

	return paths[cgroup_id - 1];
}

/* Seven writes in ten are of /db, three of /batch; half of all go through each scheduler. */
static void fill_write(struct event *ev, u32 i)
{
	ev->opcode = 1;
	ev->bytes = 4096;
	ev->pid = ev->tid = 77;
	ev->cgroup_id = 1;
	ev->owner_id = i / 2 % 10 < 7 ? 2 : 3;
	ev->sched = i < COMMANDS / 2 ? 1 : 2;
	ev->flags = EVENT_WORKER;
	snprintf(ev->comm, sizeof(ev->comm), "kworker/u8:1");
}

static void fill_syncer(struct event *ev, u32 i)
{
	u32 n = i / 2 % 10;

	if (i % 2 || n > 3)
		return;
	ev->syncer_pid = n < 3 ? 310 : 311;
	ev->syncers = n < 3 ? 2 : 1;
	snprintf(ev->syncer_comm, sizeof(ev->syncer_comm), "mysqld");
}

static void fill_file(struct event *ev, u32 i)
{
	if (!(i % 2)) {
		ev->ino = 12;
		ev->ino_gen = i / 2 % 5 < 3 ? 5 : 6;
		ev->ino_dev = 259U << 20 | 1;
	} else if (i / 2 % 10 == 0) {
		ev->ino_dev = 259U << 20;
	}
}

static const char *path_of_file(const struct event *ev, u32 i)
{
	if (ev->ino_gen == 5)
		return i < COMMANDS / 2 ? "/srv/new" : "/srv/db";
	return ev->ino_dev && !ev->ino ? "/dev/nvme0n1" : NULL;
}

/* Three reads in ten had an admin command beside them; of one it is not known. */
static const u16 meanwhile[10] = { 1 + 0x02, 1 + 0x06, 1 + (OPCODE_FABRICS | 0x04 << 8),
				   DURING_UNKNOWN };

static void fill_read(struct event *ev, u32 i)
{
	ev->opcode = 2;
	ev->bytes = 512;
	ev->pid = ev->tid = 99;
	ev->cgroup_id = ev->owner_id = 3;
	ev->during = meanwhile[i / 2 % 10];
	snprintf(ev->comm, sizeof(ev->comm), "fio");
}

static int add(struct record_writer *w, u32 i)
{
	static const char *const scheds[] = { NULL, "mq-deadline", "bfq" };
	struct event ev = {
		.ts_ns = START_NS + (i + 1) * 1000000ULL,
		.submit_ns = START_NS + (i + 1) * 1000000ULL - 10000,
		.kind = EVENT_IO,
		.kstack_id = -1,
		.ustack_id = -1,
		.qid = 1,
		.nsid = 1,
		.cdw = { i },
	};
	const struct queue_info queue = {
		.lba_bytes = 512, .nsid = 1, .major = 259, .disk = "nvme0n1"
	};
	struct view v = { .ev = &ev, .queue = &queue, .ctrl = "nvme0", .dev = "nvme0n1" };

	if (i % 2)
		fill_read(&ev, i);
	else
		fill_write(&ev, i);
	fill_file(&ev, i);
	fill_syncer(&ev, i);
	v.file_path = path_of_file(&ev, i);
	v.cgroup = path_of(ev.cgroup_id);
	v.owner = path_of(ev.owner_id);
	v.sched = scheds[ev.sched];
	v.wall_ns = ev.ts_ns + (u64)WALL_OFFSET_NS;
	return record_add(w, &v);
}

int main(int argc, char **argv)
{
	const u32 needs = NEED_PID | NEED_COMM | NEED_CGROUP | NEED_STATUS | NEED_SQE |
			  NEED_COMPLETE | NEED_RESULT | NEED_IO | NEED_CPU | NEED_CMD_FLAGS |
			  NEED_OWNER | NEED_SCHED | NEED_DURING | NEED_FILE | NEED_SYNCER;

	return made_main(argc, argv, "host-k", needs, COMMANDS, add);
}
