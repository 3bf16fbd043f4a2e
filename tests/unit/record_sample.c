// SPDX-License-Identifier: GPL-2.0-or-later
/* A made-up run for the tests of recordings. */
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/session/session.h"
#include "tests/unit/record_sample.h"
#include "tests/unit/test.h"

static const struct queue_info info[2] = {
	{ .ctrl_id = 3,
	  .nsid = 1,
	  .lba_bytes = 512,
	  .major = 259,
	  .minor = 4,
	  .disk = "nvme3c3n1" },
	{ .ctrl_id = 3, .admin = 1 },
};
static const u64 frames[3] = { 0xffffffff81000010, 0xffffffff81000020, 0xffffffffc0000030 };
const char *const sample_text[3] = { "submit_bio+0x10", "vfs_read+0x20", "f \"x\" [mod]" };
static const u64 user_frames[2] = { 0x4010, 0x7f0010 };
const char *const sample_user_text[2] = { "fio+0x10", "libc.so.6+0x7" };

static u64 mix(u64 x)
{
	x ^= x >> 33;
	x *= 0xff51afd7ed558ccdULL;
	return x ^ x >> 29;
}

void sample_event(struct event *ev, u32 i)
{
	u64 r = mix(i + 1);

	*ev = (struct event){ .kind = EVENT_IO };
	ev->ts_ns = 5000000000ULL + i * 90000ULL + r % 70000;
	ev->submit_ns = ev->ts_ns - 20000 - r % 1000003;
	ev->queued_ns = i % 3 ? ev->submit_ns - i % 77 : 0;
	ev->insert_ns = i % 6 == 1 ? ev->submit_ns - i % 55 : 0;
	ev->done_ns = i % 17 ? ev->ts_ns + i % 1000 : 0;
	ev->result = mix(r);
	ev->cgroup_id = 100 + i % 5;
	ev->owner_id = i % 4 ? 110 + i % 2 : 0;
	ev->sched = i % 3;
	ev->ino_dev = i % 5 ? 259U << 20 | i % 2 : 0;
	ev->ino = ev->ino_dev ? 1ULL << 40 | i % 3 : 0;
	ev->ino_gen = ev->ino_dev ? ~(i / 7 % 2) : 0;
	ev->during = i % 5 ? 0 : wire_during(i % 7, 0);
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

void sample_view(struct view *v, const struct event *ev)
{
	static const char *const cgroups[5] = { "/", "/a", "/b/c", NULL, "/d\ne" };
	static const char *const owners[2] = { "/owner", NULL };
	static const char *const scheds[3] = { NULL, "mq-deadline", "bfq" };
	static const char *const files[3] = { "/srv/a b (deleted)", "/srv/c\nd", NULL };

	*v = (struct view){
		.ev = ev, .queue = &info[ev->queue], .ctrl = "nvme3", .flags = ev->cmd_flags
	};
	v->dev = ev->queue ? "nvme3" : "nvme3n1";
	v->path = ev->queue ? NULL : "nvme3c3n1";
	v->cgroup = cgroups[ev->cgroup_id - 100];
	v->owner = ev->owner_id ? owners[ev->owner_id - 110] : NULL;
	v->sched = scheds[ev->sched];
	v->file_path = ev->ino_dev ? files[(ev->ino + (ev->ino_gen & 1)) % 3] : NULL;
	v->wall_ns = ev->ts_ns + WALL;
	if (ev->kstack_id >= 0) {
		v->kstack = frames;
		v->ktext = sample_text;
		v->kstack_len = ev->kstack_id == 4 ? 2 : 3;
	}
	if (ev->ustack_id >= 0) {
		v->ustack = user_frames;
		v->utext = sample_user_text;
		v->ustack_len = 2;
	}
}

const struct counters sample_total = {
	.submitted = 9,
	.completed = 9,
	.paired = 9,
	.emitted = 9,
	.lost = { .ring_full = 0 },
	.oldest_ns = 77,
	.events = true,
	.recursion_known = true,
};

struct record_head sample_head(const char *host, u64 start_ns)
{
	return (struct record_head){ .version = "1.0",
				     .host = host,
				     .kernel = "6.1.0",
				     .arch = "x86_64",
				     .start_ns = start_ns,
				     .needs = ALL,
				     .filters = "{}" };
}

void sample_write(const char *file, const char *host, s64 wall, u32 from, u32 to, bool end)
{
	struct record_head head = sample_head(host, 4000000000ULL);
	struct record_writer *w;
	struct event ev;
	struct view v;

	head.wall_offset_ns = wall;
	assert_int_equal(record_create(&w, file), 0);
	assert_int_equal(record_begin(w, &head), 0);
	for (u32 i = from; i < to; i++) {
		sample_event(&ev, i);
		sample_view(&v, &ev);
		v.wall_ns = ev.ts_ns + wall;
		assert_int_equal(record_add(w, &v), 0);
	}
	assert_int_equal(record_events(w), to - from);
	if (end)
		assert_int_equal(record_finish(w, &sample_total), 0);
	assert_int_equal(record_close(w), 0);
}

struct replay *sample_open(const char *file, u32 needs)
{
	struct opt_list list = { .word = { file }, .n = 1 };
	struct replay *r = NULL;

	assert_int_equal(replay_open(&r, &list, needs, NULL), 0);
	return r;
}

u32 sample_drain(struct replay *r)
{
	struct view v;
	u32 n = 0;

	while (replay_next(r, &v) == 1)
		n++;
	return n;
}

int sample_setup(void **state)
{
	struct sample *f = calloc(1, sizeof(*f));
	FILE *null;

	*state = f;
	if (!f)
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
	null = fopen("/dev/null", "w");
	if (!null)
		return -1;
	f->stderr_fd = dup(STDERR_FILENO);
	dup2(fileno(null), STDERR_FILENO);
	fclose(null);
	return 0;
}

int sample_teardown(void **state)
{
	struct sample *f = *state;

	dup2(f->stderr_fd, STDERR_FILENO);
	close(f->stderr_fd);
	unlink(f->file[0]);
	unlink(f->file[1]);
	free(f);
	return 0;
}
