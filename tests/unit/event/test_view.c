// SPDX-License-Identifier: GPL-2.0-or-later
/* A view says that it does not know what neither its queue nor its source knows. */
#include "lib/base/str.h"
#include "lib/event/view.h"
#include "tests/unit/test.h"

static const char *name_of(void *calls, u64 id)
{
	++*(u32 *)calls;
	return id == 7 ? "/known" : NULL;
}

TEST(nothing_known)
{
	const struct event ev = { .kind = EVENT_IO, .ts_ns = 5, .cgroup_id = 7, .cmd_flags = 3 };
	const struct view_source source = { .lacks = NEED_SQE, .needs = ~0U };
	struct view v;

	view_make(&v, &ev, &view_no_queue, &source);
	assert_int_equal(v.queue->ctrl_id, -1);
	assert_string_equal(v.ctrl, "");
	assert_string_equal(v.dev, "");
	assert_null(v.path);
	assert_null(v.host);
	assert_null(v.limits);
	assert_null(v.cgroup);
	assert_null(v.sched);
	assert_int_equal(v.lacks, NEED_SQE);
	assert_int_equal(v.flags, 3);
	assert_int_equal(v.wall_ns, 5);
}

TEST(only_what_is_needed)
{
	const struct event ev = { .kind = EVENT_IO, .cgroup_id = 7, .owner_id = 8 };
	u32 calls = 0;
	struct view_source source = { .needs = NEED_CGROUP, .arg = &calls, .cgroup = name_of };
	struct view v;

	view_make(&v, &ev, &view_no_queue, &source);
	assert_string_equal(v.cgroup, "/known");
	assert_null(v.owner);
	assert_int_equal(calls, 1);
	source.needs |= NEED_OWNER;
	view_make(&v, &ev, &view_no_queue, &source);
	assert_null(v.owner); /* asked for, and not known */
	assert_int_equal(calls, 3);
}

TEST(path_of_a_flush)
{
	const struct event above = { .kind = EVENT_FLUSH }, io = { .kind = EVENT_IO };
	const struct view_source source = { .file = 2 };
	struct view_queue queue = view_no_queue;
	struct view v;

	queue.path = "nvme0n1 nvme1n1";
	view_make(&v, &above, &queue, &source);
	assert_string_equal(v.members, queue.path);
	assert_null(v.path);
	view_make(&v, &io, &queue, &source);
	assert_string_equal(v.path, queue.path);
	assert_null(v.members);
	assert_int_equal(v.file, 2);
}

TEST(kept_after_the_event)
{
	struct event ev = { .kind = EVENT_IO, .bytes = 512 };
	const struct view_source source = { 0 };
	struct view_kept kept[2];
	struct view v;

	view_make(&v, &ev, &view_no_queue, &source);
	view_keep(&kept[0], &v);
	ev.bytes = 0;
	kept[1] = kept[0];
	assert_ptr_equal(view_kept(&kept[1])->ev, &kept[1].ev);
	assert_int_equal(view_kept(&kept[1])->ev->bytes, 512);
}
