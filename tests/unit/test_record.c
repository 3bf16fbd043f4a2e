// SPDX-License-Identifier: GPL-2.0-or-later
/* Recordings: what is written is read, and whatever is done to a file, what is sound is read. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include "lib/err.h" /* before cmocka's macro fail() */

#include <cmocka.h>

#include "lib/record.h"
#include "lib/record_format.h"
#include "lib/session.h"
#include "lib/str.h"

#define ROOM (4 << 20)
#define WALL 1700000000000000000LL
#define ALL  (((u32)NEED_CPU * 2 - 1) & ~(u32)NEED_SUBMIT)

struct fixture {
	char file[2][64];
	int stderr_fd;
};

static const struct queue_facts facts[2] = {
	{ .ctrl_id = 3,
	  .nsid = 1,
	  .lba_bytes = 512,
	  .major = 259,
	  .minor = 4,
	  .disk = "nvme3c3n1" },
	{ .ctrl_id = 3, .admin = 1 },
};
static const u64 frames[3] = { 0xffffffff81000010, 0xffffffff81000020, 0xffffffffc0000030 };
static const char *const texts[3] = { "submit_bio+0x10", "vfs_read+0x20", "f \"x\" [mod]" };
static const u64 user_frames[2] = { 0x4010, 0x7f0010 };
static const char *const user_texts[2] = { "fio+0x10", "libc.so.6+0x7" };

static u64 mix(u64 x)
{
	x ^= x >> 33;
	x *= 0xff51afd7ed558ccdULL;
	return x ^ x >> 29;
}

/* Event @i of a run: every member has a value, many change with each event. */
static void make_event(struct event *ev, u32 i)
{
	u64 r = mix(i + 1);

	*ev = (struct event){ .kind = EVENT_IO };
	ev->ts_ns = 5000000000ULL + i * 90000ULL + r % 70000;
	ev->submit_ns = ev->ts_ns - 20000 - r % 1000003;
	ev->queued_ns = i % 3 ? ev->submit_ns - i % 77 : 0;
	ev->result = mix(r);
	ev->cgroup_id = 100 + i % 5;
	for (u32 k = 0; k < 6; k++)
		ev->cdw[k] = mix(r + k);
	ev->nsid = i % 7 ? 1 : 0xffffffff;
	ev->bytes = 4096 << i % 6;
	ev->cmd_flags = i % 11;
	ev->pid = 1000 + i % 13;
	ev->tid = ev->pid + i % 2;
	ev->queue = i % 2;
	ev->kstack_id = i % 4 ? -1 : (s32)(i % 8);
	ev->ustack_id = i % 5 ? -1 : 2;
	ev->qid = i % 9;
	ev->cid = r;
	ev->tag = r & 0xfff;
	ev->status = i % 17 ? 0 : 0x4281;
	ev->submit_cpu = i % 4;
	ev->complete_cpu = i % 3;
	ev->flags = i % 2 ? EVENT_ADMIN : 0;
	ev->opcode = i % 2 ? 6 : 2;
	ev->sqe_flags = i % 3;
	ev->fctype = i % 5;
	ev->retries = i % 19 == 0;
	snprintf(ev->comm, sizeof(ev->comm), "job\x1b%u", i % 6);
}

static void make_view(struct view *v, const struct event *ev)
{
	static const char *const cgroups[5] = { "/", "/a", "/b/c", NULL, "/d\ne" };

	*v = (struct view){
		.ev = ev, .queue = &facts[ev->queue], .ctrl = "nvme3", .flags = ev->cmd_flags
	};
	v->dev = ev->queue ? "nvme3" : "nvme3n1";
	v->path = ev->queue ? NULL : "nvme3c3n1";
	v->cgroup = cgroups[ev->cgroup_id - 100];
	v->wall_ns = ev->ts_ns + WALL;
	if (ev->kstack_id >= 0) {
		v->kstack = frames;
		v->ktext = texts;
		v->kstack_len = ev->kstack_id == 4 ? 2 : 3;
	}
	if (ev->ustack_id >= 0) {
		v->ustack = user_frames;
		v->utext = user_texts;
		v->ustack_len = 2;
	}
}

static const struct counters sound = {
	.submitted = 9,
	.completed = 9,
	.paired = 9,
	.emitted = 9,
	.lost = { .ring_full = 0 },
	.oldest_ns = 77,
	.events = true,
	.recursion_known = true,
};

/* Events @from to @to - 1 into @file; without @end the file is as after a SIGKILL. */
static void write_file(const char *file, const char *host, s64 wall, u32 from, u32 to, bool end)
{
	struct record_head head = { .version = "1.0",
				    .host = host,
				    .kernel = "6.1.0",
				    .arch = "x86_64",
				    .start_ns = 4000000000ULL,
				    .wall_offset_ns = wall,
				    .needs = ALL,
				    .filters = "{}" };
	struct record_writer *w;
	struct event ev;
	struct view v;

	assert_int_equal(record_create(&w, file), 0);
	assert_int_equal(record_begin(w, &head), 0);
	for (u32 i = from; i < to; i++) {
		make_event(&ev, i);
		make_view(&v, &ev);
		v.wall_ns = ev.ts_ns + wall;
		assert_int_equal(record_add(w, &v), 0);
	}
	assert_int_equal(record_events(w), to - from);
	if (end)
		assert_int_equal(record_finish(w, &sound), 0);
	assert_int_equal(record_close(w), 0);
}

static struct replay *open_file(const char *file, u32 needs)
{
	struct opt_list list = { .word = { file }, .n = 1 };
	struct replay *r = NULL;

	assert_int_equal(replay_open(&r, &list, needs), 0);
	return r;
}

/* Reads all; returns how many events. */
static u32 drain(struct replay *r)
{
	struct view v;
	u32 n = 0;

	while (replay_next(r, &v) == 1)
		n++;
	return n;
}

static void same_text(const char *a, const char *b)
{
	assert_int_equal(a == NULL, b == NULL);
	if (a)
		assert_string_equal(a, b);
}

/* The queue and the stacks have other numbers, but are what they were. */
static void check_view(const struct view *v, u32 i)
{
	struct event ev, got = *v->ev;
	struct view want;

	make_event(&ev, i);
	make_view(&want, &ev);
	got.queue = ev.queue;
	assert_int_equal(got.kstack_id >= 0, ev.kstack_id >= 0);
	assert_int_equal(got.ustack_id >= 0, ev.ustack_id >= 0);
	got.kstack_id = ev.kstack_id;
	got.ustack_id = ev.ustack_id;
	assert_memory_equal(&got, &ev, sizeof(ev));
	same_text(v->ctrl, want.ctrl);
	same_text(v->dev, want.dev);
	same_text(v->path, want.path);
	same_text(v->cgroup, want.cgroup);
	assert_int_equal(v->queue->ctrl_id, want.queue->ctrl_id);
	assert_int_equal(v->queue->lba_bytes, want.queue->lba_bytes);
	assert_int_equal(v->queue->admin, want.queue->admin);
	assert_string_equal(v->queue->disk, want.queue->disk);
	assert_int_equal(v->wall_ns, want.wall_ns);
	assert_int_equal(v->flags, want.flags);
	assert_int_equal(v->kstack_len, want.kstack_len);
	for (u32 k = 0; k < v->kstack_len; k++) {
		assert_int_equal(v->kstack[k], want.kstack[k]);
		same_text(v->ktext[k], texts[k]);
	}
	assert_int_equal(v->ustack_len, want.ustack_len);
	for (u32 k = 0; k < v->ustack_len; k++)
		same_text(v->utext[k], user_texts[k]);
}

static void test_round_trip(void **state)
{
	struct fixture *f = *state;
	struct counters total;
	struct replay *r;
	struct view v;
	u32 n = 20000;

	write_file(f->file[0], "here", WALL, 0, n, true);
	r = open_file(f->file[0], ALL);
	assert_string_equal(replay_head(r, 0)->kernel, "6.1.0");
	assert_null(replay_head(r, 0)->ctrls);
	assert_null(replay_head(r, 1));
	assert_int_equal(replay_start_ns(r), 4000000000ULL);
	assert_int_equal(replay_needs(r), ALL | NEED_SUBMIT);
	for (u32 i = 0; i < n; i++) {
		assert_int_equal(replay_next(r, &v), 1);
		check_view(&v, i);
	}
	assert_int_equal(replay_next(r, &v), 0);
	assert_int_equal(replay_next(r, &v), 0);
	assert_false(replay_damaged(r));
	replay_counters(r, &total);
	assert_memory_equal(&total, &sound, sizeof(total));
	assert_string_equal(replay_cgroup(r, 102), "/b/c");
	assert_null(replay_cgroup(r, 103));
	assert_int_equal(replay_queue(r, 1)->facts.ctrl_id, 3);
	assert_null(replay_queue(r, 3));
	replay_close(r);
}

/* Columns that are not needed are not inflated: their members are 0, stack ids -1. */
static void test_needs(void **state)
{
	struct fixture *f = *state;
	struct replay *r;
	struct event ev;
	struct view v;

	write_file(f->file[0], "here", WALL, 0, 600, true);
	r = open_file(f->file[0], NEED_IO | NEED_STATUS);
	for (u32 i = 0; i < 600; i++) {
		make_event(&ev, i);
		assert_int_equal(replay_next(r, &v), 1);
		assert_int_equal(v.ev->ts_ns, ev.ts_ns);
		assert_int_equal(v.ev->submit_ns, ev.submit_ns);
		assert_int_equal(v.ev->status, ev.status);
		assert_int_equal(v.ev->bytes, ev.bytes);
		assert_int_equal(v.ev->cdw[0] | v.ev->pid | v.ev->comm[0] | v.ev->result, 0);
		assert_int_equal(v.ev->kstack_id, -1);
		assert_null(v.kstack);
		assert_string_equal(v.dev, i % 2 ? "nvme3" : "nvme3n1");
	}
	replay_close(r);
}

/* Two hosts whose clocks began at other times: by wall clock, on the clock of the first. */
static void test_merge(void **state)
{
	struct fixture *f = *state;
	struct opt_list list = { .word = { f->file[0], f->file[1] }, .n = 2 };
	struct counters total;
	struct replay *r;
	struct view v;
	u64 last_ns = 0;
	u32 n = 0, second = 0;

	write_file(f->file[0], "a", WALL, 0, 900, true);
	write_file(f->file[1], "b", WALL + 1000000000LL, 0, 900, true);
	assert_int_equal(replay_open(&r, &list, ALL), 0);
	for (; replay_next(r, &v) == 1; n++) {
		assert_true(v.wall_ns >= last_ns);
		assert_int_equal(v.wall_ns - v.ev->ts_ns, WALL);
		last_ns = v.wall_ns;
		second += v.ev->ts_ns >= 5990000000ULL;
	}
	assert_int_equal(n, 1800);
	assert_true(second > 850);
	assert_non_null(replay_queue(r, 4)); /* hosts do not share their queues */
	assert_null(replay_queue(r, 5));
	replay_counters(r, &total);
	assert_int_equal(total.paired, 2 * sound.paired);
	replay_close(r);

	/* The same host, offsets a little apart: one clock, one set of queues. */
	write_file(f->file[1], "a", WALL + 1000, 0, 900, true);
	assert_int_equal(replay_open(&r, &list, ALL), 0);
	assert_int_equal(drain(r), 1800);
	assert_null(replay_queue(r, 3));
	replay_close(r);
}

static void test_submissions(void **state)
{
	struct fixture *f = *state;
	u64 last_ns = 0, submits = 0, sum = 0;
	struct replay *r;
	struct event ev;
	struct view v;

	write_file(f->file[0], "here", WALL, 0, 9000, true);
	r = open_file(f->file[0], ALL | NEED_SUBMIT);
	while (replay_next(r, &v) == 1) {
		assert_true(v.ev->ts_ns >= last_ns);
		last_ns = v.ev->ts_ns;
		if (v.ev->kind != EVENT_SUBMIT)
			continue;
		submits++;
		sum += v.ev->ts_ns;
		assert_int_equal(v.ev->ts_ns, v.ev->submit_ns);
		assert_int_equal(v.wall_ns, v.ev->ts_ns + WALL);
	}
	assert_int_equal(submits, 9000);
	for (u32 i = 0; i < 9000; i++) {
		make_event(&ev, i);
		sum -= ev.submit_ns;
	}
	assert_int_equal(sum, 0);
	replay_close(r);
}

/* A change of the wall-clock offset goes with the events that follow it. */
static void test_clock_step(void **state)
{
	struct fixture *f = *state;
	struct record_head head = { .needs = NEED_IO, .wall_offset_ns = WALL };
	struct record_writer *w;
	struct replay *r;
	struct event ev;
	struct view v;

	assert_int_equal(record_create(&w, f->file[0]), 0);
	assert_int_equal(record_begin(w, &head), 0);
	for (u32 i = 0; i < 10; i++) {
		make_event(&ev, i);
		make_view(&v, &ev);
		v.wall_ns += i < 4 ? 0 : -3600000000000LL;
		assert_int_equal(record_add(w, &v), 0);
	}
	assert_int_equal(record_finish(w, &sound), 0);
	assert_int_equal(record_close(w), 0);
	r = open_file(f->file[0], NEED_IO);
	for (u32 i = 0; i < 10; i++) {
		assert_int_equal(replay_next(r, &v), 1);
		assert_int_equal(v.wall_ns - v.ev->ts_ns, WALL - (i < 4 ? 0 : 3600000000000LL));
	}
	replay_close(r);
}

static u8 *slurp(const char *file, size_t *size)
{
	FILE *in = fopen(file, "rb");
	u8 *data = malloc(ROOM);

	assert_non_null(in);
	assert_non_null(data);
	*size = fread(data, 1, ROOM, in);
	assert_true(*size < ROOM);
	fclose(in);
	return data;
}

static void spill(const char *file, const u8 *data, size_t size)
{
	FILE *out = fopen(file, "wb");

	assert_non_null(out);
	assert_int_equal(fwrite(data, 1, size, out), size);
	assert_int_equal(fclose(out), 0);
}

/* Opens and reads whatever is there; -1 when it was refused with the right status. */
static long read_anything(const char *file, u32 needs, bool *damaged)
{
	struct opt_list list = { .word = { file }, .n = 1 };
	struct counters total;
	struct replay *r;
	long n;
	int err = replay_open(&r, &list, needs);

	if (err) {
		assert_int_equal(err, EXIT_AS(EXIT_NOTHING));
		assert_null(r);
		return -1;
	}
	n = drain(r);
	*damaged = replay_damaged(r);
	replay_counters(r, &total);
	if (*damaged)
		assert_true(counters_add_up(&total));
	replay_close(r);
	return n;
}

/* Cut at every byte: as many events as whole blocks are left, and it is said. */
static void test_truncation(void **state)
{
	struct fixture *f = *state;
	bool damaged = false;
	long last = -1, n;
	size_t size;
	u8 *data;

	write_file(f->file[0], "here", WALL, 0, 90, true);
	data = slurp(f->file[0], &size);
	for (size_t len = 0; len < size; len++) {
		spill(f->file[1], data, len);
		n = read_anything(f->file[1], ALL, &damaged);
		assert_true(n >= last);
		assert_true(n < 0 || damaged);
		last = n;
	}
	assert_int_equal(last, 90);
	assert_int_equal(read_anything(f->file[0], ALL, &damaged), 90);
	assert_false(damaged);
	free(data);
}

/* A file of several blocks, cut inside the third: two are read. */
static void test_cut_blocks(void **state)
{
	struct fixture *f = *state;
	bool damaged = false;
	size_t whole, size;
	u8 *data;

	write_file(f->file[0], "here", WALL, 0, 20000, true);
	data = slurp(f->file[0], &whole);
	for (size = whole; size > 0 && size > whole - 400000; size -= 50000) {
		long n;

		spill(f->file[1], data, size - 1);
		n = read_anything(f->file[1], ALL, &damaged);
		assert_true(n > 0 && damaged);
	}
	free(data);
	write_file(f->file[0], "here", WALL, 0, 20000, false);
	assert_int_equal(read_anything(f->file[0], ALL, &damaged), 20000);
	assert_true(damaged);
}

/* Every bit turned: never a crash, always noticed, and the other blocks are read. */
static void test_bit_flips(void **state)
{
	struct fixture *f = *state;
	bool damaged = false;
	size_t size;
	u8 *data;

	write_file(f->file[0], "here", WALL, 0, 20, true);
	data = slurp(f->file[0], &size);
	for (size_t bit = 0; bit < size * 8; bit++) {
		long n;

		if (bit >= 12 * 8 && bit < 16 * 8) /* reserved */
			continue;
		data[bit / 8] ^= 1 << bit % 8;
		spill(f->file[1], data, size);
		n = read_anything(f->file[1], ALL | NEED_SUBMIT, &damaged);
		assert_true(n < 0 || damaged);
		assert_true(n == -1 || n == 0 || n == 40);
		data[bit / 8] ^= 1 << bit % 8;
	}
	free(data);
}

/* Damage with CRCs made right again, as an attacker would: anything may be read, nothing may break. */
static void test_hostile(void **state)
{
	struct fixture *f = *state;
	struct record_block b;
	bool damaged;
	size_t size;
	u32 seed = 1;
	u8 *data;

	write_file(f->file[0], "here", WALL, 0, 60, true);
	data = slurp(f->file[0], &size);
	for (u32 round = 0; round < 8000; round++) {
		u8 *bad = malloc(size);
		size_t at = RECORD_START_BYTES;

		assert_non_null(bad);
		memcpy(bad, data, size);
		for (u32 k = 0; k < 1 + round % 4; k++) {
			seed = seed * 1664525 + 1013904223;
			bad[(seed >> 8) % size] = (seed >> 3) % 3 ? seed >> 24 : 0xff;
		}
		while (at + RECORD_HEAD_BYTES <= size) {
			b.kind = record_get(bad + at + 4, 4);
			b.size_bytes = record_get(data + at + 8, 4);
			b.count = record_get(bad + at + 12, 4);
			b.crc = record_crc(bad + at + RECORD_HEAD_BYTES, b.size_bytes);
			record_pack_head(bad + at, &b);
			at += RECORD_HEAD_BYTES + b.size_bytes;
		}
		spill(f->file[1], bad, size);
		read_anything(f->file[1], round % 2 ? ALL : ALL | NEED_SUBMIT, &damaged);
		free(bad);
	}
	free(data);
}

static void refused(const char *file)
{
	bool damaged;

	assert_int_equal(read_anything(file, ALL, &damaged), -1);
}

static void test_foreign(void **state)
{
	static const struct {
		const char *data;
		size_t size;
	} start[] = {
		{ "", 0 },
		{ "\x1f\x8b\x08\0\0\0\0\0", 8 },
		{ "\x7f"
		  "ELF\2\1\1\0",
		  8 },
		{ "NVMETOOL\2\0\0\0\0\0\0\0", 16 },
		{ "NVMETOOL\1\0\0\0\0\0\0\0", 16 },
		{ "NVMETOO", 7 },
		{ "nvmetool trace\n", 15 },
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < ARRAY_SIZE(start); i++) {
		spill(f->file[0], (const u8 *)start[i].data, start[i].size);
		refused(f->file[0]);
	}
	refused("/dev/zero");
	refused("/");
	refused("/no/such/file");
}

static void test_writer_errors(void **state)
{
	struct fixture *f = *state;
	struct record_head head = { .needs = NEED_IO };
	struct record_writer *w;
	struct event ev;
	struct view v;

	assert_int_equal(unlink(f->file[1]), 0);
	assert_int_equal(symlink(f->file[0], f->file[1]), 0);
	assert_int_equal(record_create(&w, f->file[1]), -ELOOP);
	assert_int_equal(record_finish(w, &sound), -ELOOP);
	assert_int_equal(record_close(w), -ELOOP);
	assert_int_equal(unlink(f->file[1]), 0);
	assert_int_equal(record_create(&w, "/no/such/dir/file"), -ENOENT);
	record_close(w);
	record_close(NULL);

	assert_int_equal(record_create(&w, "/dev/full"), 0);
	assert_int_equal(record_begin(w, &head), -ENOSPC);
	make_event(&ev, 1);
	make_view(&v, &ev);
	assert_int_equal(record_add(w, &v), -ENOSPC);
	assert_int_equal(record_finish(w, &sound), -ENOSPC);
	assert_int_equal(record_close(w), -ENOSPC);
}

/* What is a second old is written at the next chance. */
static void test_flush(void **state)
{
	struct fixture *f = *state;
	struct record_head head = { .needs = NEED_IO };
	struct record_writer *w;
	struct event ev;
	struct view v;
	u64 before;

	assert_int_equal(record_create(&w, f->file[0]), 0);
	assert_int_equal(record_begin(w, &head), 0);
	make_event(&ev, 1);
	make_view(&v, &ev);
	v.wall_ns = ev.ts_ns;
	before = record_bytes(w);
	assert_int_equal(record_add(w, &v), 0);
	assert_int_equal(record_flush(w, ev.ts_ns + 999999999), 0);
	assert_int_equal(record_bytes(w), before);
	assert_int_equal(record_flush(w, ev.ts_ns + 1000000000), 0);
	assert_true(record_bytes(w) > before);
	before = record_bytes(w);
	assert_int_equal(record_add(w, &v), 0);
	ev.ts_ns += 1000000000;
	v.wall_ns = ev.ts_ns;
	assert_int_equal(record_add(w, &v), 0);
	assert_true(record_bytes(w) > before);
	assert_int_equal(record_finish(w, &sound), 0);
	assert_int_equal(record_close(w), 0);
}

/* Errors are told on stderr, thousands of them here. */
static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	FILE *null = fopen("/dev/null", "w");

	if (!f || !null)
		return -1;
	for (u32 i = 0; i < 2; i++) {
		int fd;

		/* In memory: some file systems go to the disk for each file that is replaced. */
		snprintf(f->file[i], sizeof(f->file[i]), "%s/nvt-record-XXXXXX",
			 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
		fd = mkstemp(f->file[i]);
		if (fd < 0)
			return -1;
		close(fd);
	}
	f->stderr_fd = dup(STDERR_FILENO);
	dup2(fileno(null), STDERR_FILENO);
	fclose(null);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	dup2(f->stderr_fd, STDERR_FILENO);
	close(f->stderr_fd);
	unlink(f->file[0]);
	unlink(f->file[1]);
	free(f);
	return 0;
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_round_trip),	TEST(test_needs),	  TEST(test_merge),
		TEST(test_submissions), TEST(test_clock_step),	  TEST(test_truncation),
		TEST(test_cut_blocks),	TEST(test_bit_flips),	  TEST(test_hostile),
		TEST(test_foreign),	TEST(test_writer_errors), TEST(test_flush),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
