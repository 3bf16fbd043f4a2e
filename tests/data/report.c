// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes a recording for report: all that a page can show, with names that would be markup, were
 * they not escaped: of the host, a process, a cgroup, and functions. Reads of nvme0n1 fail while
 * its controller is reset.
 *
 *         make build/unit/lib.a   gcc -std=gnu11 -D_GNU_SOURCE -iquote . tests/data/report.c
 * build/unit/lib.a -lbpf -lelf -lz -lm -o /tmp/make      /tmp/make tests/data/report.nvt
 */
#include "lib/base/str.h"
#include "lib/record/entry.h"
#include "lib/session/session.h"
#include "tests/data/made.h"

#ifndef COMMANDS
#define COMMANDS  600 /* tests/build/million.bats wants more of both */
#define PROCESSES 3
#endif
#ifdef HOSTILE /* tests/build/hostile.bats: whatever a name may do to a reader, one of them of 64 KiB */
#define CGROUP(i)  ((i) % 5)
#define DISK	   "x y\n<b>\"'&\xe2\x80\xae\xff"
#define LONG_BYTES 65535 /* the most that an entry of a recording has */
#else
#define CGROUP(i)  ((i) % 3 % 2)
#define DISK	   "nvme0n1"
#define LONG_BYTES 0
#endif
#ifndef HOST
#define HOST "</title><script>document.title='owned'</script>\"'&amp;\xe2\x80\xae"
#endif

static struct queue_info queues[] = {
	{ .lba_bytes = 512, .nsid = 1, .major = 259, .qid = 1, .disk = DISK },
	{ .lba_bytes = 4096,
	  .nsid = 1,
	  .major = 259,
	  .minor = 1,
	  .ctrl_id = 1,
	  .qid = 2,
	  .index = 1,
	  .disk = "nvme1n1" },
};

#ifdef HOSTILE
static char longest[LONG_BYTES + 1], other_end[LONG_BYTES + 1];
static const char *const comms[] = { "</title><scrip", "\"'&,;\xff\x1b[2J\r\n",
				     "\xe2\x80\xae\xe2\x81\xa6"
				     "a\x7f\xc2\x9b" };
static const char *const cgroups[] = { longest, other_end, "/a b",
				       "/\xff\xfe\"'&\x1b]0;x\x07\xe2\x80\xae,\n.service", "/a_b" };
static const char *const kernel[] = { "</title><script>alert(1)</script> [nvme]",
				      "a;b\n\xe2\x81\xa6", "\xc3(\x1b[2J" };
static const char *const user[] = { "\" onload='alert(1)'", "&lt;main&#0;", "_start\xed\xa0\x80" };

static void make_longest(void)
{
	static const char piece[] = "/</title><script>alert(1)</script>";

	for (u32 i = 0; i < LONG_BYTES; i++)
		longest[i] = other_end[i] = piece[i % strlen(piece)];
	longest[LONG_BYTES - 1] = '1';
	other_end[LONG_BYTES - 1] = '2';
}

/* Our writer cuts a cgroup at 4096 bytes, as the kernel does; others may write what they like. */
void __real_entry_put_text(struct record_entries *e, const char *s, size_t max);
void __wrap_entry_put_text(struct record_entries *e, const char *s, size_t max);

void __wrap_entry_put_text(struct record_entries *e, const char *s, size_t max)
{
	__real_entry_put_text(e, s, s == longest || s == other_end ? LONG_BYTES : max);
}
#else
static const char *const comms[] = { "</pre><script>", "\"onload=alert(1", "postgres" };
static const char *const cgroups[] = { "/</title><script>alert(1)</script>",
				       "/system.slice/db\xe2\x80\xae.service" };
static const char *const kernel[] = { "nvme_queue_rq [nvme]", "blk_mq_submit_bio", "vfs_read" };
static const char *const user[] = { "operator<<(std::ostream&, \"x\")", "main", "_start" };

static void make_longest(void)
{
}
#endif

/* The kind of event @i: resets, timeouts and asynchronous events stand between the commands. */
static u8 kind_of(u32 i)
{
	switch (i) {
	case 300:
		return EVENT_TIMEOUT;
	case 301:
		return EVENT_RESET;
	case 340:
		return EVENT_AER;
	default:
		return EVENT_IO;
	}
}

/* They rise; beyond the recording of 600 commands they spread as well, as far as a map reaches. */
static u64 lat_ns(u32 i)
{
	u64 spread = i < 600 ? 0 : i * 2654435761U % 90000 * (i % 97 ? 1 : 41);

	return 80000 + i % 600 * 300 + spread;
}

static void fill_event(struct event *ev, u32 i)
{
	u32 who = i % 3;
	bool during = i >= 290 && i < 330;

	*ev = (struct event){ .ts_ns = START_NS + (i + 1) * 1000000ULL, .kind = kind_of(i) };
	ev->queue = ev->kind == EVENT_RESET ? 0 : i % 2;
	ev->qid = queues[ev->queue].qid;
	ev->nsid = 1;
	ev->cid = ev->tag = (u16)(i % 64);
	ev->opcode = i % 5 ? 2 : 1;
	ev->bytes = who ? 4096 : 65536;
	ev->cdw[0] = who ? i * 7919 % 100000 * 8 : i * 128;
	ev->cdw[2] = ev->bytes / queues[ev->queue].lba_bytes - 1;
	ev->submit_ns = ev->ts_ns - (during && !ev->queue ? 30000000 : lat_ns(i));
	ev->status = during && !ev->queue ? 0x371 : 0; /* Command Aborted By Host */
	ev->pid = ev->tid = 100 + i % PROCESSES;
	ev->cgroup_id = 10 + CGROUP(i);
	memcpy(ev->comm, comms[who], strlen(comms[who]));
	ev->kstack_id = ev->ustack_id = 0;
	if (ev->kind == EVENT_AER)
		ev->result = 0x020101; /* SMART / health: temperature */
}

static int add(struct record_writer *w, u32 i)
{
	static const u64 addr[] = { 0xffffffff81000010, 0xffffffff81000020, 0xffffffff81000030 };
	struct event ev;
	struct view v = { .ev = &ev,
			  .kstack = addr,
			  .ustack = addr,
			  .ktext = kernel,
			  .utext = user,
			  .kstack_len = ARRAY_SIZE(kernel),
			  .ustack_len = ARRAY_SIZE(user) };

	fill_event(&ev, i);
	v.queue = &queues[ev.queue];
	v.ctrl = ev.queue ? "nvme1" : "nvme0";
	v.dev = event_is_of_ctrl(&ev) ? v.ctrl : v.queue->disk;
	v.cgroup = cgroups[ev.cgroup_id - 10];
	v.wall_ns = ev.ts_ns + (u64)WALL_OFFSET_NS;
	return record_add(w, &v);
}

int main(int argc, char **argv)
{
	const struct made made = { .host = HOST,
				   .needs = NEED_PID | NEED_COMM | NEED_CGROUP | NEED_STATUS |
					    NEED_RESULT | NEED_SQE | NEED_KSTACK | NEED_USTACK |
					    NEED_IO | NEED_CPU | NEED_AER | NEED_TIMEOUT |
					    NEED_RESET | NEED_COMPLETE,
				   .events = COMMANDS,
				   .commands = COMMANDS - 3,
				   .add = add };

	make_longest();
	return made_run(argc, argv, &made);
}
