// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The recordings in tests/data are made here, so that everybody can see what is in them: mixed.nvt
 * has a bit of everything, stream.nvt some thousand commands of a load, bits.nvt statuses without a
 * code. WRITE=DIR has test_data write them anew.
 */
#include "lib/base/env.h"
#include "lib/base/str.h"
#include "lib/nvme/reqflags.h"
#include "lib/nvme/spec.h"
#include "lib/record/record.h"
#include "lib/session/session.h"
#include "tests/unit/test.h"

#define START_NS 1000000000000ULL /* attached: 1000 s after boot */
#define WALL_NS	 (1763700000000000000ULL - START_NS)
#define STREAM	 3000

enum queue { Q_ADMIN0, Q_NS1, Q_PATH, Q_NS2, Q_ADMIN1 };

static const struct queue_info queues[] = {
	[Q_ADMIN0] = { .ctrl_id = 0, .admin = 1 },
	[Q_NS1] = { .ctrl_id = 0, .nsid = 1, .lba_bytes = 512, .major = 259, .disk = "nvme0n1" },
	[Q_PATH] = { .ctrl_id = 1, .nsid = 1, .lba_bytes = 512, .disk = "nvme1c1n1" },
	[Q_NS2] = { .ctrl_id = 1,
		    .nsid = 2,
		    .lba_bytes = 4096,
		    .major = 259,
		    .minor = 3,
		    .disk = "nvme1n2" },
	[Q_ADMIN1] = { .ctrl_id = 1, .admin = 1 },
};
static const char *const devs[] = { "nvme0", "nvme0n1", "nvme1n1", "nvme1n2", "nvme1" };

static const u64 kernel_frames[] = { 0xffffffffc0201234, 0xffffffff81500010, 0xffffffff81300abc };
static const char *const kernel_text[] = { "nvme_queue_rq+0x34 [nvme]", "submit_bio+0x10",
					   "bad\x1b[2Jname+0xabc [evil\n]" };
static const u64 user_frames[] = { 0x55550001234, 0x7f0000004711 };
static const char *const user_text[] = { "fio+0x1234", "libc.so.6+0x4711" };

/* A command: times in microseconds after the attach, latency in nanoseconds. */
struct line {
	u32 at_us, lat_ns;
	u8 kind;
	enum queue queue;
	u16 qid, cid;
	u8 opcode, fctype;
	u32 nsid;
	u32 cdw[6];
	u32 bytes, pid;
	const char *comm;
	u16 status;
	u64 result;
	u8 flags, retries, sqe_flags;
	u32 req_flags, queued_ns;
	bool kstack, ustack;
};

#define SYNC (1U << REQ_FLAG_SYNC)
#define FUA  (1U << REQ_FLAG_FUA)
#define IO   .kind = EVENT_IO
#define READ .opcode = 0x02, IO, .req_flags = SYNC
/* clang-format off */
static const struct line mixed[] = {
	{ 100, 84200, READ, .queue = Q_NS1, .qid = 3, .cid = 448, .nsid = 1, .cdw = { 8000, 0, 7 },
	  .bytes = 4096, .pid = 3218, .comm = "fio", .kstack = true, .ustack = true },
	{ 433, 212900, IO, .opcode = 1, .queue = Q_NS1, .qid = 3, .cid = 4544, .nsid = 1,
	  .cdw = { 166400, 0, 255 | 1U << 30 }, .bytes = 131072, .pid = 3218, .comm = "fio",
	  .req_flags = SYNC | FUA, .queued_ns = 1500 },
	{ 500, 90000, READ, .queue = Q_NS1, .qid = 3, .cid = 449, .nsid = 1, .cdw = { 8008, 0, 7 },
	  .bytes = 4096, .pid = 3218, .comm = "fio", .kstack = true },
	{ 640, 911000, IO, .opcode = 0x02, .queue = Q_ADMIN0, .qid = 0, .cid = 24, .nsid = 0xffffffff,
	  .cdw = { 0x007f0002 }, .bytes = 512, .pid = 912, .comm = "smartd",
	  .flags = EVENT_ADMIN | EVENT_PASSTHROUGH },
	{ 700, 9120400, READ, .queue = Q_NS1, .qid = 1, .cid = 77, .nsid = 1,
	  .cdw = { 423660112, 0, 7 }, .bytes = 4096, .pid = 4411, .comm = "postgres", .status = 0x281 },
	{ 750, 8000000, READ, .queue = Q_NS1, .qid = 1, .cid = 4173, .nsid = 1, .retries = 1,
	  .cdw = { 423660112, 0, 7 }, .bytes = 4096, .pid = 4411, .comm = "postgres", .status = 0x4281 },
	{ 800, 15000, IO, .opcode = 0, .queue = Q_PATH, .qid = 2, .cid = 0x3005, .nsid = 1,
	  .pid = 77, .comm = "jbd2/nvme1n1-8" },
	{ 810, 55000, IO, .opcode = 9, .queue = Q_PATH, .qid = 2, .cid = 0x3006, .nsid = 1,
	  .cdw = { 3, 4 }, .bytes = 64, .pid = 501, .comm = "fstrim" },
	{ 820, 20000, IO, .opcode = 8, .queue = Q_PATH, .qid = 2, .cid = 0x3007, .nsid = 1,
	  .cdw = { 0x10, 0x1, 0xff | 1U << 25 }, .pid = 502, .comm = "mkfs.ext4" },
	{ 830, 4321, IO, .opcode = 5, .queue = Q_NS2, .qid = 1, .cid = 9, .nsid = 2,
	  .cdw = { 64, 0, 0 }, .bytes = 4096, .pid = 600, .comm = "cmp\x1b[31m\"q\",\n", .status = 0x285 },
	{ 840, 61000, IO, .opcode = 0x7d, .queue = Q_NS2, .qid = 1, .cid = 10, .nsid = 2,
	  .cdw = { 0x80000, 0, 31 }, .bytes = 131072, .pid = 601, .comm = "\xff\xfe\x80zoned\\",
	  .result = 0x80020 },
	{ 850, 62000, IO, .opcode = 0x79, .queue = Q_NS2, .qid = 1, .cid = 11, .nsid = 2,
	  .cdw = { 0x80000, 0, 0, 4 }, .pid = 601, .comm = "=cmd|' /C'!A0" },
	{ 860, 5000, IO, .opcode = 0xc5, .queue = Q_NS2, .qid = 1, .cid = 12, .nsid = 2,
	  .cdw = { 0xdeadbeef, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff },
	  .pid = 602, .comm = "caf\xc3\xa9", .status = 0x4001, .flags = EVENT_PASSTHROUGH },
	{ 900, 120000, IO, .opcode = 6, .queue = Q_ADMIN1, .qid = 0, .cid = 0x1000, .cdw = { 1 },
	  .bytes = 4096, .pid = 700, .comm = "nvme", .flags = EVENT_ADMIN | EVENT_PASSTHROUGH },
	{ 910, 130000, IO, .opcode = 9, .queue = Q_ADMIN1, .qid = 0, .cid = 0x1001,
	  .cdw = { 0x80000006, 1 }, .pid = 700, .comm = "nvme", .result = 1,
	  .flags = EVENT_ADMIN | EVENT_PASSTHROUGH, .status = 0x2002 },
	{ 920, 140000, IO, .opcode = 0x80, .queue = Q_ADMIN1, .qid = 0, .cid = 0x1002, .nsid = 2,
	  .cdw = { 0x201 }, .pid = 700, .comm = "nvme", .flags = EVENT_ADMIN | EVENT_PASSTHROUGH },
	{ 930, 150000, IO, .opcode = 0x7f, .fctype = 1, .queue = Q_ADMIN1, .qid = 0, .cid = 0x1003,
	  .nsid = 1, .cdw = { 0x10000, 0x1f }, .bytes = 1024, .pid = 33, .comm = "kworker/0:1H",
	  .flags = EVENT_ADMIN | EVENT_PASSTHROUGH | EVENT_WORKER },
	{ 935, 1000, IO, .opcode = 0x7f, .fctype = 4, .queue = Q_ADMIN1, .qid = 0, .cid = 0x1004,
	  .nsid = 4, .cdw = { 0, 0x1c }, .pid = 33, .comm = "kworker/0:1H", .result = 1,
	  .flags = EVENT_ADMIN | EVENT_PASSTHROUGH | EVENT_WORKER },
	{ 940, .kind = EVENT_AER, .queue = Q_ADMIN0, .result = 0x020101, .flags = EVENT_ADMIN },
	{ 950, .kind = EVENT_SQ, .queue = Q_NS1, .qid = 3, .cdw = { 17, 18 } },
	{ 960, .kind = EVENT_COMPLETE, .queue = Q_NS1, .qid = 2, .status = 0x371, .flags = EVENT_UNSENT },
	{ 970, .kind = EVENT_COMPLETE, .queue = Q_NS1, .qid = 4, .flags = EVENT_NO_SUBMIT },
	{ 980, 7000, READ, .queue = Q_NS1, .qid = 4, .cid = 5, .nsid = 1, .cdw = { 1, 0, 0 },
	  .bytes = 512, .pid = 3218, .comm = "", .flags = EVENT_NO_STATUS },
	{ 1000, 3000, READ, .queue = Q_NS1, .qid = 4, .cid = 6, .nsid = 1, .cdw = { 8016, 0, 7 },
	  .bytes = 4096, .pid = 3218, .comm = "123456789012345" },
};
/* clang-format on */

static void make_line(struct event *ev, const struct line *l)
{
	u64 submit_ns = START_NS + l->at_us * 1000ULL;
	bool command = l->kind == EVENT_IO;

	*ev = (struct event){ .kind = l->kind,
			      .queue = l->queue,
			      .qid = l->qid,
			      .cid = l->cid,
			      .opcode = l->opcode,
			      .fctype = l->fctype,
			      .bytes = l->bytes,
			      .nsid = l->kind == EVENT_AER ? 0 : l->nsid,
			      .status = l->status,
			      .result = l->result,
			      .flags = l->flags,
			      .retries = l->retries,
			      .sqe_flags = l->sqe_flags,
			      .cmd_flags = l->req_flags,
			      .pid = l->pid,
			      .tid = l->pid ? l->pid + 1 : 0,
			      .complete_cpu = 1 };
	ev->ts_ns = submit_ns + l->lat_ns;
	ev->submit_ns = command ? submit_ns : 0;
	ev->submit_cpu = command ? 2 : 0;
	ev->queued_ns = l->queued_ns ? submit_ns - l->queued_ns : 0;
	ev->tag = l->kind == EVENT_COMPLETE ? 99 : l->cid & 0xfff;
	ev->kstack_id = l->kstack ? 4 : -1;
	ev->ustack_id = l->ustack ? 5 : -1;
	ev->cgroup_id = command ? 4000 + l->pid % 2 : 0;
	memcpy(ev->cdw, l->cdw, sizeof(ev->cdw));
	if (l->comm)
		snprintf(ev->comm, sizeof(ev->comm), "%s", l->comm);
}

static void make_mixed(struct event *ev, u32 i)
{
	make_line(ev, &mixed[i]);
}

/* A success, and statuses of DNR, MORE and CRD alone, which are none. */
static void make_bits(struct event *ev, u32 i)
{
	static const u16 status[] = { 0, 0x4000, 0x2000, 0x0800 };
	/* clang-format off */
	const struct line line = {
		100 * i, 50000, READ, .queue = Q_NS1, .qid = 1, .cid = (u16)i, .nsid = 1, .cdw = { 8 * i, 0, 7 },
		.bytes = 4096, .pid = 1, .comm = "dd", .status = status[i]
	};
	/* clang-format on */

	make_line(ev, &line);
}

static u64 mix(u64 x)
{
	x ^= x >> 33;
	x *= 0xff51afd7ed558ccdULL;
	return x ^ x >> 29;
}

/*
 * Two processes: one reads in sequence, one reads and writes at random; one in five hundred fails.
 */
static void make_stream(struct event *ev, u32 i)
{
	u64 r = mix(i + 1);
	bool sequential = i % 2;

	*ev = (struct event){ .kind = EVENT_IO,
			      .queue = i % 3 ? Q_NS1 : Q_NS2,
			      .kstack_id = -1,
			      .ustack_id = -1,
			      .nsid = i % 3 ? 1 : 2,
			      .qid = 1 + i % 4,
			      .submit_cpu = i % 4,
			      .complete_cpu = i % 4,
			      .cgroup_id = 4000 };
	ev->ts_ns = START_NS + i * 1000000ULL + r % 900000;
	ev->submit_ns = ev->ts_ns - 20000 - (r >> 20) % 300000 - (i % 100 ? 0 : 5000000);
	ev->opcode = !sequential && r >> 50 & 1 ? 1 : 2;
	ev->bytes = sequential ? 131072 : 4096 << (r >> 40 & 3);
	ev->cdw[2] = ev->bytes / (i % 3 ? 512 : 4096) - 1;
	ev->cdw[0] = sequential ? (u64)(i / 2) * (ev->cdw[2] + 1) : r >> 8 & 0xfffff8;
	ev->tag = i % 64;
	ev->cid = ev->tag | (i / 64 & 15) << 12;
	ev->status = i % 500 ? 0 : 0x281;
	ev->pid = ev->tid = sequential ? 100 : 200;
	ev->cmd_flags = SYNC;
	snprintf(ev->comm, sizeof(ev->comm), sequential ? "seq" : "rand");
}

static void make_view(struct view *v, const struct event *ev)
{
	*v = (struct view){ .ev = ev,
			    .queue = &queues[ev->queue],
			    .dev = devs[ev->queue],
			    .flags = ev->cmd_flags,
			    .wall_ns = ev->ts_ns + WALL_NS };
	v->ctrl = ev->queue == Q_ADMIN0 || ev->queue == Q_NS1 ? "nvme0" : "nvme1";
	v->path = ev->queue == Q_PATH ? "nvme1c1n1" : NULL;
	v->cgroup = ev->cgroup_id == 4000 ? "/system.slice" : NULL;
	if (ev->kstack_id >= 0) {
		v->kstack = kernel_frames;
		v->ktext = kernel_text;
		v->kstack_len = ARRAY_SIZE(kernel_frames);
	}
	if (ev->ustack_id >= 0) {
		v->ustack = user_frames;
		v->utext = user_text;
		v->ustack_len = ARRAY_SIZE(user_frames);
	}
}

struct data {
	const char *file;
	void (*make)(struct event *ev, u32 i);
	u32 n, needs;
	struct counters total;
};

#define BASE                                                                                       \
	(NEED_IO | NEED_COMPLETE | NEED_PID | NEED_COMM | NEED_CGROUP | NEED_STATUS |              \
	 NEED_RESULT | NEED_SQE | NEED_CMD_FLAGS | NEED_CPU)

static const struct data data[] = {
	{ "mixed.nvt",
	  make_mixed,
	  ARRAY_SIZE(mixed),
	  BASE | NEED_QUEUED | NEED_KSTACK | NEED_USTACK | NEED_AER | NEED_SQ,
	  { .submitted = 20,
	    .completed = 22,
	    .paired = 20,
	    .emitted = 20,
	    .errors = 5,
	    .before_attach = 1,
	    .unsent = 1,
	    .events = true,
	    .recursion_known = true } },
	{ "stream.nvt",
	  make_stream,
	  STREAM,
	  BASE,
	  { .submitted = STREAM + 2,
	    .completed = STREAM + 1,
	    .paired = STREAM,
	    .emitted = STREAM,
	    .errors = STREAM / 500,
	    .before_attach = 1,
	    .inflight_at_exit = 2,
	    .oldest_ns = 1500000,
	    .events = true,
	    .recursion_known = true } },
	{ "bits.nvt",
	  make_bits,
	  4,
	  BASE,
	  { .submitted = 4,
	    .completed = 4,
	    .paired = 4,
	    .emitted = 4,
	    .errors = 3,
	    .events = true,
	    .recursion_known = true } },
};

/* The events in the order of time, as they are recorded. */
static u32 sorted(const struct data *d, u32 *order)
{
	u64 *ts = calloc(d->n, sizeof(*ts));

	for (u32 i = 0; ts && i < d->n; i++) {
		struct event ev;
		u32 at = i;

		d->make(&ev, i);
		for (; at && ts[at - 1] > ev.ts_ns; at--) {
			ts[at] = ts[at - 1];
			order[at] = order[at - 1];
		}
		ts[at] = ev.ts_ns;
		order[at] = i;
	}
	free(ts);
	return d->n;
}

static int write_data(const struct data *d, const char *dir)
{
	struct record_head head = { .version = "0.1.0",
				    .host = "testhost",
				    .kernel = "6.1.0-31-amd64",
				    .arch = "x86_64",
				    .start_ns = START_NS,
				    .wall_offset_ns = WALL_NS,
				    .needs = d->needs };
	char file[256];
	struct record_writer *w;
	u32 order[STREAM] = { 0 }, n = sorted(d, order);
	int err;

	snprintf(file, sizeof(file), "%s/%s", dir, d->file);
	err = record_create(&w, file);
	if (!err)
		err = record_begin(w, &head);
	for (u32 i = 0; i < n && !err; i++) {
		struct event ev;
		struct view v;

		d->make(&ev, order[i]);
		make_view(&v, &ev);
		err = record_add(w, &v);
	}
	if (!err)
		err = record_finish(w, &d->total);
	return record_close(w) ? -1 : err;
}

static void check_data(const struct data *d)
{
	char file[64];
	struct opt_list list = { .word = { file }, .n = 1 };
	struct counters total;
	u32 order[STREAM] = { 0 }, n = sorted(d, order);
	struct replay *r;
	struct event want, got;
	struct view v, w;

	if (env_get("WRITE"))
		assert_int_equal(write_data(d, env_get("WRITE")), 0);
	snprintf(file, sizeof(file), "tests/data/%s", d->file);
	assert_int_equal(replay_open(&r, &list, d->needs, NULL), 0);
	for (u32 i = 0; i < n; i++) {
		assert_int_equal(replay_next(r, &v), 1);
		d->make(&want, order[i]);
		make_view(&w, &want);
		want.during = DURING_UNKNOWN; /* not asked for */
		got = *v.ev;
		got.queue = want.queue;
		if (got.kstack_id >= 0)
			got.kstack_id = 4;
		if (got.ustack_id >= 0)
			got.ustack_id = 5;
		assert_memory_equal(&got, &want, sizeof(got));
		assert_string_equal(v.dev, w.dev);
		assert_string_equal(v.ctrl, w.ctrl);
		assert_int_equal(v.wall_ns, w.wall_ns);
		assert_int_equal(v.kstack_len, w.kstack_len);
	}
	assert_int_equal(replay_next(r, &v), 0);
	replay_counters(r, &total);
	assert_memory_equal(&total, &d->total, sizeof(total));
	assert_true(counters_add_up(&total));
	assert_false(replay_damaged(r));
	replay_close(r);
}

TEST(mixed)
{
	check_data(&data[0]);
}

TEST(stream)
{
	check_data(&data[1]);
}

TEST(bits)
{
	check_data(&data[2]);
}
