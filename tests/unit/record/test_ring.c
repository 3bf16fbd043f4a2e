// SPDX-License-Identifier: GPL-2.0-or-later
/* The flight recorder: what is kept is bounded, and a file of it is a whole recording. */
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/event/view.h"
#include "lib/record/format.h"
#include "tests/unit/record_sample.h"
#include "tests/unit/test.h"

#define BEGAN_NS 4000000000ULL

static struct lost losses;

static struct record_writer *open_ring(void)
{
	struct record_writer *w;

	losses = (struct lost){ 0 };
	assert_int_equal(record_create_ring(&w, RECORD_RING_LEAST, &losses), 0);
	return w;
}

/* In each round of events there are other cgroups. */
#define ROUND 60000

static u64 cgroup_of(u32 i)
{
	return 1000 + i / ROUND * ROUND + i % 20000;
}

/* Adds events @from to @to - 1; @cgroups: of so many cgroups that no file could name them all. */
static void add(struct record_writer *w, u32 from, u32 to, bool cgroups)
{
	char path[512];
	struct event ev;
	struct view v;

	for (u32 i = from; i < to; i++) {
		sample_event(&ev, i);
		sample_view(&v, &ev);
		if (cgroups) {
			ev.cgroup_id = cgroup_of(i);
			snprintf(path, sizeof(path), "/%0400u", (u32)ev.cgroup_id);
			v.cgroup = path;
		}
		assert_int_equal(record_add(w, &v), false);
	}
}

/* Begins a file with what is kept from event @from on; returns the head that it got. */
static struct record_head begin(struct record_writer *w, const char *file, u64 from_ns)
{
	struct record_head head = sample_head("here", from_ns);

	head.wall_offset_ns = WALL;
	head.trigger = "because";
	head.trigger_ns = from_ns + 7;
	(void)unlink(file); /* of the test before, if any: a recording replaces none */
	assert_int_equal(record_dump_begin(w, file, &head), 0);
	return head;
}

static void end(struct record_writer *w)
{
	const struct counters now = { .lost = losses, .recursion_known = true };

	assert_int_equal(record_dump_end(w, &now), 0);
}

/* The file has events up to @to - 1 without a gap, each with what it refers to. Returns the first. */
static u32 check_file(const char *file, u32 to, bool cgroups)
{
	struct replay *r = sample_open(file, ALL);
	u32 first = UINT32_MAX, i = 0;
	struct event ev;
	struct view v, want;

	while (replay_next(r, &v) == 1) {
		for (; first == UINT32_MAX; i++) {
			sample_event(&ev, i);
			if (ev.ts_ns == v.ev->ts_ns) {
				first = i;
				break;
			}
			assert_true(i < to);
		}
		sample_event(&ev, i++);
		sample_view(&want, &ev);
		assert_int_equal(v.ev->ts_ns, ev.ts_ns);
		assert_int_equal(v.ev->result, ev.result);
		assert_int_equal(v.kstack_len, want.kstack_len);
		if (want.kstack_len)
			assert_string_equal(v.ktext[1], want.ktext[1]);
		assert_int_equal(v.ustack_len, want.ustack_len);
		assert_string_equal(v.dev, want.dev);
		if (cgroups)
			assert_int_equal(strtoul(v.cgroup + 1, NULL, 10), cgroup_of(i - 1));
	}
	assert_int_equal(i, to);
	assert_false(replay_damaged(r));
	replay_close(r);
	return first;
}

static u64 time_of(u32 i)
{
	struct event ev;

	sample_event(&ev, i);
	return ev.ts_ns;
}

/* Far more than there is room for: the last events are kept, and the file says where it begins. */
TEST_WITH(bounded, sample_setup, sample_teardown)
{
	struct sample *f = *state;
	struct record_writer *w = open_ring();
	struct record_head head;
	u32 first;

	add(w, 0, 200000, false);
	assert_true(record_kept_bytes(w) <= RECORD_RING_LEAST);
	head = begin(w, f->file[0], BEGAN_NS);
	add(w, 200000, 201000, false);
	end(w);
	first = check_file(f->file[0], 201000, false);
	assert_in_range(first, 1, 190000);
	assert_int_equal(head.start_ns, time_of(first - 1) + 1);
	assert_int_equal(record_written(w), 201000 - first);
	assert_int_equal(record_close(w), 0);
}

/* Dictionaries that grow for ever begin anew: everything that is kept can still be named. */
TEST_WITH(renewed, sample_setup, sample_teardown)
{
	struct sample *f = *state;
	struct record_writer *w = open_ring();

	for (u32 at = 0; at < 5 * ROUND; at += ROUND) {
		add(w, at, at + ROUND, true);
		assert_true(record_kept_bytes(w) <= RECORD_RING_LEAST);
		begin(w, f->file[0], BEGAN_NS);
		end(w);
		check_file(f->file[0], at + ROUND, true);
	}
	assert_int_equal(record_close(w), 0);
}

/* A file that cannot be made takes nothing from the next one. */
TEST_WITH(failure, sample_setup, sample_teardown)
{
	struct sample *f = *state;
	struct record_writer *w = open_ring();
	struct record_head head = sample_head("here", BEGAN_NS);
	const struct counters now = { 0 };

	add(w, 0, 3000, false);
	assert_int_equal(record_dump_begin(w, "/dev/full", &head), -ENOSPC);
	add(w, 3000, 4000, false);
	assert_int_equal(record_flush(w, time_of(4000) + 2000000000ULL), 0);
	assert_int_equal(record_push(w), 0);
	assert_int_equal(record_dump_end(w, &now), -ENOSPC);
	head = sample_head("here", BEGAN_NS);
	assert_int_equal(record_dump_begin(w, "/none/such", &head), -ENOENT);
	assert_int_equal(record_dump_end(w, &now), -ENOENT);
	begin(w, f->file[0], BEGAN_NS);
	end(w);
	assert_int_equal(check_file(f->file[0], 4000, false), 0);
	assert_int_equal(record_close(w), 0);
}
