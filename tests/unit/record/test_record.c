// SPDX-License-Identifier: GPL-2.0-or-later
/* Recordings: what is written is read. */
#include <errno.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/base/units.h"
#include "lib/session/session.h"
#include "tests/unit/record_sample.h"
#include "tests/unit/test.h"

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

	sample_event(&ev, i);
	sample_view(&want, &ev);
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
	same_text(v->owner, want.owner);
	same_text(v->file_path, want.file_path);
	same_text(v->sched, want.sched);
	assert_int_equal(v->queue->ctrl_id, want.queue->ctrl_id);
	assert_int_equal(v->queue->lba_bytes, want.queue->lba_bytes);
	assert_int_equal(v->queue->admin, want.queue->admin);
	assert_string_equal(v->queue->disk, want.queue->disk);
	assert_int_equal(v->wall_ns, want.wall_ns);
	assert_int_equal(v->flags, want.flags);
	assert_int_equal(v->kstack_len, want.kstack_len);
	for (u32 k = 0; k < v->kstack_len; k++) {
		assert_int_equal(v->kstack[k], want.kstack[k]);
		same_text(v->ktext[k], sample_text[k]);
	}
	assert_int_equal(v->ustack_len, want.ustack_len);
	for (u32 k = 0; k < v->ustack_len; k++)
		same_text(v->utext[k], sample_user_text[k]);
}

TEST_WITH(round_trip, sample_setup, sample_teardown)
{
	struct sample *f = *state;
	struct counters total, want = sample_total;
	struct replay *r;
	struct view v;
	u32 n = 20000;

	want.contradicted = true; /* they are not the counters of these events */

	sample_write(f->file[0], "here", WALL, 0, n, true);
	r = sample_open(f->file[0], ALL);
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
	assert_memory_equal(&total, &want, sizeof(total));
	assert_string_equal(replay_cgroup(r, 102), "/b/c");
	assert_null(replay_cgroup(r, 103));
	assert_int_equal(replay_queue(r, 1)->info.ctrl_id, 3);
	assert_null(replay_queue(r, 3));
	replay_close(r);
}

/* Columns that are not needed are not inflated: their members are 0, stack ids -1. */
TEST_WITH(needs, sample_setup, sample_teardown)
{
	struct sample *f = *state;
	struct replay *r;
	struct event ev;
	struct view v;

	sample_write(f->file[0], "here", WALL, 0, 600, true);
	r = sample_open(f->file[0], NEED_IO | NEED_STATUS);
	for (u32 i = 0; i < 600; i++) {
		sample_event(&ev, i);
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

/* All events in order, on the clock that began at @wall; as many as are from @from_ns on by it. */
static u32 drain_in_order(struct replay *r, u64 wall, u64 from_ns)
{
	u64 last_ns = 0;
	u32 n = 0, late = 0;
	struct view v;

	for (; replay_next(r, &v) == 1; n++) {
		assert_true(v.wall_ns >= last_ns);
		assert_int_equal(v.wall_ns - v.ev->ts_ns, wall);
		last_ns = v.wall_ns;
		late += v.ev->ts_ns >= from_ns;
	}
	assert_int_equal(n, 1800);
	return late;
}

/* Two hosts whose clocks began at other times: by wall clock, on the clock that began first. */
TEST_WITH(merge, sample_setup, sample_teardown)
{
	struct sample *f = *state;
	struct opt_list list = { .word = { f->file[0], f->file[1] }, .n = 2 };
	struct counters total;
	struct replay *r;

	/* The second one from before the first one's clock began. */
	sample_write(f->file[0], "a", WALL, 0, 900, true);
	sample_write(f->file[1], "b", WALL - 10000000000LL, 0, 900, true);
	assert_int_equal(replay_open(&r, &list, ALL, NULL), 0);
	assert_int_equal(replay_start_ns(r), 4000000000ULL);
	assert_int_equal(replay_head(r, 0)->start_ns, 14000000000ULL);
	assert_int_equal(drain_in_order(r, WALL - 10000000000ULL, 15000000000ULL), 900);
	replay_close(r);

	sample_write(f->file[1], "b", WALL + 1000000000LL, 0, 900, true);
	assert_int_equal(replay_open(&r, &list, ALL, NULL), 0);
	assert_true(drain_in_order(r, WALL, 5990000000ULL) > 850);
	assert_non_null(replay_queue(r, 4)); /* hosts do not share their queues */
	assert_null(replay_queue(r, 5));
	replay_counters(r, &total);
	assert_int_equal(total.paired, 2 * sample_total.paired);
	assert_int_equal(total.oldest_ns, sample_total.oldest_ns);
	replay_close(r);

	/* The same host, offsets a little apart: one clock, one set of queues. */
	sample_write(f->file[1], "a", WALL + 1000, 0, 900, true);
	assert_int_equal(replay_open(&r, &list, ALL, NULL), 0);
	replay_keep_copies(r);
	assert_int_equal(sample_drain(r), 1800);
	assert_null(replay_queue(r, 3));
	replay_close(r);
	/* And the same events. */
	assert_int_equal(replay_open(&r, &list, ALL, NULL), 0);
	assert_int_equal(sample_drain(r), 900);
	assert_int_equal(replay_copies(r), 900);
	replay_close(r);
}

static u64 moved(u64 time_ns, u64 by_ns)
{
	return time_ns ? time_ns + by_ns : 0;
}

/* All times of an event are moved with its clock, and what is none stays none. */
TEST_WITH(all_times_are_moved, sample_setup, sample_teardown)
{
	struct sample *f = *state;
	struct opt_list list = { .word = { f->file[0], f->file[1] }, .n = 2 };
	const u64 by_ns = 10 * NSEC_PER_SEC;
	struct replay *r;
	struct event ev;
	struct view v;
	u32 n = 0;

	sample_write(f->file[0], "a", WALL + (s64)by_ns, 0, 900, true);
	sample_write(f->file[1], "b", WALL, 0, 900, true);
	assert_int_equal(replay_open(&r, &list, ALL, NULL), 0);
	while (replay_next(r, &v) == 1) {
		if (v.file)
			continue;
		sample_event(&ev, n++);
		assert_int_equal(v.ev->ts_ns, moved(ev.ts_ns, by_ns));
		assert_int_equal(v.ev->submit_ns, moved(ev.submit_ns, by_ns));
		assert_int_equal(v.ev->queued_ns, moved(ev.queued_ns, by_ns));
		assert_int_equal(v.ev->insert_ns, moved(ev.insert_ns, by_ns));
		assert_int_equal(v.ev->done_ns, moved(ev.done_ns, by_ns));
	}
	assert_int_equal(n, 900);
	replay_close(r);
}

/* Two commands of a file that was renamed in between. */
static void write_renamed(const char *file, struct file_id *id)
{
	struct record_head head = { .needs = NEED_IO | NEED_FILE };
	struct record_writer *w;
	struct event ev;
	struct view v;

	assert_int_equal(record_create(&w, file), 0);
	assert_int_equal(record_begin(w, &head), 0);
	sample_event(&ev, 1);
	sample_view(&v, &ev);
	v.file_path = "/before";
	assert_int_equal(record_add(w, &v), 0);
	v.file_path = "/now";
	assert_int_equal(record_add(w, &v), 0);
	assert_int_equal(record_finish(w, &sample_total), 0);
	assert_int_equal(record_close(w), 0);
	*id = event_file(&ev);
}

/* A file has the last name that it had; another one with its number has none of its names. */
TEST_WITH(renamed, sample_setup, sample_teardown)
{
	struct sample *f = *state;
	struct file_id id, later;
	struct replay *r;

	write_renamed(f->file[0], &id);
	r = sample_open(f->file[0], NEED_IO | NEED_FILE);
	assert_int_equal(sample_drain(r), 2);
	assert_string_equal(replay_file_path(r, &id), "/now");
	later = (struct file_id){ .ino = id.ino, .ino_dev = id.ino_dev, .ino_gen = id.ino_gen + 1 };
	assert_null(replay_file_path(r, &later));
	replay_close(r);
}

/* Ten commands, an hour back on the wall clock from the fifth on. */
static void write_step(const char *file)
{
	struct record_head head = { .needs = NEED_IO, .wall_offset_ns = WALL };
	struct record_writer *w;
	struct event ev;
	struct view v;

	assert_int_equal(record_create(&w, file), 0);
	assert_int_equal(record_begin(w, &head), 0);
	for (u32 i = 0; i < 10; i++) {
		sample_event(&ev, i);
		ev.kind = EVENT_IO;
		sample_view(&v, &ev);
		v.wall_ns += i < 4 ? 0 : -3600000000000LL;
		assert_int_equal(record_add(w, &v), 0);
	}
	assert_int_equal(record_finish(w, &sample_total), 0);
	assert_int_equal(record_close(w), 0);
}

/*
 * A change of the wall-clock offset goes with the events that follow it, also when they are read
 * ahead.
 */
TEST_WITH(clock_step, sample_setup, sample_teardown)
{
	struct sample *f = *state;
	struct replay *r;
	struct view v;

	write_step(f->file[0]);
	r = sample_open(f->file[0], NEED_IO);
	for (u32 i = 0; i < 10; i++) {
		assert_int_equal(replay_next(r, &v), 1);
		assert_int_equal(v.wall_ns - v.ev->ts_ns, WALL - (i < 4 ? 0 : 3600000000000LL));
	}
	replay_close(r);
	r = sample_open(f->file[0], NEED_IO | NEED_SUBMIT);
	for (u32 i = 0; i < 10;) {
		assert_int_equal(replay_next(r, &v), 1);
		if (v.ev->kind != EVENT_IO)
			continue;
		assert_int_equal(v.wall_ns - v.ev->ts_ns, WALL - (i < 4 ? 0 : 3600000000000LL));
		i++;
	}
	replay_close(r);
}

/* Wall clocks that are further apart than a number can say: each event keeps its own. */
TEST_WITH(clocks_far_apart, sample_setup, sample_teardown)
{
	struct sample *f = *state;
	struct record_head head = { .needs = NEED_IO, .wall_offset_ns = INT64_MIN };
	const u64 wall_ns[2] = { (u64)INT64_MIN + 1000, INT64_MAX };
	struct record_writer *w;
	struct replay *r;
	struct event ev;
	struct view v;

	assert_int_equal(record_create(&w, f->file[0]), 0);
	assert_int_equal(record_begin(w, &head), 0);
	for (u32 i = 0; i < 2; i++) {
		sample_event(&ev, 0);
		ev.ts_ns = ev.submit_ns = 1000;
		sample_view(&v, &ev);
		v.wall_ns = wall_ns[i];
		assert_int_equal(record_add(w, &v), 0);
	}
	assert_int_equal(record_finish(w, &sample_total), 0);
	assert_int_equal(record_close(w), 0);
	r = sample_open(f->file[0], NEED_IO);
	for (u32 i = 0; i < 2; i++) {
		assert_int_equal(replay_next(r, &v), 1);
		assert_int_equal(v.wall_ns, wall_ns[i]);
	}
	replay_close(r);
}

/* An event that is a second old is written at the next chance. */
TEST_WITH(flush, sample_setup, sample_teardown)
{
	struct sample *f = *state;
	struct record_head head = { .needs = NEED_IO };
	struct record_writer *w;
	struct event ev;
	struct view v;
	u64 before;

	assert_int_equal(record_create(&w, f->file[0]), 0);
	assert_int_equal(record_begin(w, &head), 0);
	sample_event(&ev, 1);
	sample_view(&v, &ev);
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
	assert_int_equal(record_finish(w, &sample_total), 0);
	assert_int_equal(record_close(w), 0);
}
