// SPDX-License-Identifier: GPL-2.0-or-later
/* The key of a command is the same, whether the kernel kept it or a recording has the command. */
#include "lib/base/str.h"
#include "lib/group/group.h"
#include "tests/unit/key_sample.h"
#include "tests/unit/test.h"

#define ALL_KEYS ((1U << KEY_MAX) - 1 - (1U << KEY_NONE))

/* The key that a program makes of @ev under @by, with what it has of the command. */
static struct kernel_key kernel_key_of(const struct session *s, const struct view *v,
				       const struct group *g)
{
	const struct event *ev = v->ev;
	struct queue_info info = *v->queue;
	struct command_slot slot = {
		.opcode = ev->opcode,
		.fctype = ev->fctype,
		.bytes = ev->bytes,
		.nsid = ev->nsid,
		.cmd_flags = ev->cmd_flags,
		.cpu = ev->submit_cpu,
		.sub = { .cgroup_id = ev->cgroup_id, .pid = ev->pid, .tid = ev->tid },
		.cause = { .owner_id = ev->owner_id, .sched = ev->sched },
		.during = ev->during,
		.file = event_file(ev),
	};
	struct key_in in = {
		.info = &info,
		.slot = &slot,
		.size_edge = g->size_edge,
		.cmd_flags_mask = key_cmd_flags_mask(s),
		.status = ev->status,
	};
	struct kernel_key key;

	/* Programs that look for the owner always find one: that of the submitter. */
	if (!slot.cause.owner_id && !group_has(g, KEY_OWNER))
		slot.cause.owner_id = ev->cgroup_id;
	info.index = (u16)ev->queue;
	info.sched_tags = 64; /* a scheduler holds its commands */
	info.qid = ev->qid;
	memcpy(slot.sub.comm, ev->comm, sizeof(slot.sub.comm));
	memset(&key, 0xaa, sizeof(key));
	key_fill(&key, group_kernel_by(g), &in);
	return key;
}

/* The kernel's key of @ev under @by, translated, and that of the same command in replay. */
static void check_key(struct session *s, const struct event *ev, u32 by)
{
	struct view v = key_view(s, ev);
	struct group_key live, replayed;
	struct kernel_key kept;
	struct group g;

	key_group(&g, s, by);
	kept = kernel_key_of(s, &v, &g);
	memset(&live, 0xaa, sizeof(live));
	group_key_of(&live, &g, &kept);
	group_key_fill(&replayed, &g, &v);
	assert_memory_equal(&live, &replayed, sizeof(live));
	assert_int_equal(key_mark(&kept, KEYS_ALL), key_mark(&kept, group_kernel_by(&g)));
}

/* By no key, by each one, by each two, and by all. */
TEST(same_key)
{
	struct session *s = key_session(NULL, false);

	for (const struct event *ev = key_commands; ev->kind; ev++) {
		check_key(s, ev, 0);
		check_key(s, ev, ALL_KEYS);
		for (u32 a = KEY_NONE + 1; a < KEY_MAX; a++)
			for (u32 b = a; b < KEY_MAX; b++)
				check_key(s, ev, 1U << a | 1U << b);
	}
}

/* A key of all members, narrowed to some of them, is the key of these. */
static void check_narrow(struct session *s, const struct event *ev, u32 by)
{
	struct view v = key_view(s, ev);
	struct group_key some, all;
	struct group g;

	key_group(&g, s, by);
	group_key_fill(&some, &g, &v);
	key_group(&g, s, ALL_KEYS);
	g.apart = !(~by & (1U << KEY_CGROUP | 1U << KEY_OWNER));
	group_key_fill(&all, &g, &v);
	group_key_narrow(&all, by);
	assert_memory_equal(&all, &some, sizeof(all));
}

TEST(narrow)
{
	struct session *s = key_session(NULL, false);

	for (const struct event *ev = key_commands; ev->kind; ev++) {
		struct event orphan = *ev;

		orphan.flags |= EVENT_NO_SUBMIT;
		for (u32 a = KEY_NONE + 1; a < KEY_MAX; a++) {
			for (u32 b = a; b < KEY_MAX; b++)
				check_narrow(s, ev, 1U << a | 1U << b);
			check_narrow(s, &orphan, 1U << a);
		}
	}
}

/* A row by cgroup alone is by the owner, if there is one; beside the owner by the submitter. */
TEST(cgroup)
{
	const struct event ev = { .kind = EVENT_IO, .cgroup_id = 1, .owner_id = 5 },
			   no_owner = { .kind = EVENT_IO, .cgroup_id = 1 };
	struct session *s = key_session(NULL, false);
	const struct view v = key_view(s, &ev), none = key_view(s, &no_owner);
	struct group_key key;
	struct group g;

	key_group(&g, s, 1U << KEY_CGROUP);
	group_key_fill(&key, &g, &v);
	assert_int_equal(key.cgroup_id, 5);
	group_key_fill(&key, &g, &none);
	assert_int_equal(key.cgroup_id, 1);
	assert_int_equal(group_kernel_by(&g), 1U << KEY_OWNER);
	key_group(&g, s, 1U << KEY_CGROUP | 1U << KEY_OWNER);
	group_key_fill(&key, &g, &v);
	assert_int_equal(key.cgroup_id, 1);
	assert_int_equal(group_kernel_by(&g), 1U << KEY_CGROUP | 1U << KEY_OWNER);
}

/* Lockdown hides the status: the kernel keeps 0, and rows by status say that it is not known. */
TEST(no_status)
{
	struct session *s = key_session(NULL, true);

	for (const struct event *ev = key_commands; ev->kind; ev++) {
		struct event hidden = *ev;

		hidden.status = 0;
		hidden.flags |= EVENT_NO_STATUS;
		check_key(s, &hidden, 0);
		check_key(s, &hidden, ALL_KEYS);
		for (u32 a = KEY_NONE + 1; a < KEY_MAX; a++)
			check_key(s, &hidden, 1U << a);
	}
}

TEST(holds_what_was_asked)
{
	struct queue_info info = { .ctrl_id = 1, .qid = 3 }, other = { .ctrl_id = 1, .qid = 9 };
	struct command_slot slot = { .opcode = 2, .nsid = 4, .sub.pid = 5 };
	struct command_slot later = { .opcode = 2, .nsid = 4, .sub.pid = 99 };
	struct key_in a = { .info = &info, .slot = &slot }, b = { .info = &other, .slot = &later };
	u32 by = 1 << KEY_CTRL | 1 << KEY_OPCODE;
	struct kernel_key x, y;

	key_fill(&x, by, &a);
	key_fill(&y, by, &b);
	assert_memory_equal(&x, &y, sizeof(x));
	assert_true(key_equal(&x, &y, KEYS_ALL));
	assert_int_equal(key_mark(&x, KEYS_ALL), key_mark(&y, KEYS_ALL));
	for (u32 key = KEY_PID; key; key = key == KEY_PID ? KEY_QID : 0) {
		key_fill(&x, by | 1U << key, &a);
		key_fill(&y, by | 1U << key, &b);
		assert_false(key_equal(&x, &y, KEYS_ALL));
		assert_int_not_equal(key_mark(&x, KEYS_ALL), key_mark(&y, KEYS_ALL));
	}
	/* The type of a fabrics command counts, that byte of others does not. */
	slot.fctype = 4;
	key_fill(&x, by, &a);
	assert_int_equal(x.fctype, 0);
	slot.opcode = OPCODE_FABRICS;
	key_fill(&x, by, &a);
	assert_int_equal(x.fctype, 4);
}

/*
 * Where others have a namespace a fabrics command has its type, and some statuses mean something
 * else to it.
 */
TEST(fabrics)
{
	struct queue_info info = { .admin = 1 };
	struct command_slot slot = { .opcode = 6, .nsid = 4 };
	struct key_in in = { .info = &info, .slot = &slot, .status = 0x4182 };
	struct kernel_key key;

	key_fill(&key, 1 << KEY_NS, &in);
	assert_int_equal(key.nsid, 4);
	assert_int_equal(key.fabrics, 0);
	slot.opcode = OPCODE_FABRICS;
	key_fill(&key, 1 << KEY_NS, &in);
	assert_int_equal(key.nsid, 0);
	assert_int_equal(key.fabrics, 1);
	key_fill(&key, 1 << KEY_STATUS, &in);
	assert_int_equal(key.fabrics, 1);
	in.status = 0;
	key_fill(&key, 1 << KEY_STATUS, &in);
	assert_int_equal(key.fabrics, 0); /* one row for all successes */
}

/* DNR, MORE and CRD share a row, but are an error where they are all there is. */
TEST(status_is_codes)
{
	assert_int_equal(key_status(0), 0);
	assert_int_equal(key_status(0x4281), 0x281);
	assert_int_equal(key_status(0x7a80), 0x280);
	assert_int_equal(key_status(0x4000), KEY_STATUS_FLAGS);
	assert_int_equal(key_status(key_status(0x2000)), KEY_STATUS_FLAGS);
	assert_int_equal(key_status(WIRE_UNKNOWN_STATUS), WIRE_UNKNOWN_STATUS);
}

TEST(size_classes)
{
	u64 edge[KEY_SIZES];

	memset(edge, 0xff, sizeof(edge));
	edge[0] = 16384;
	edge[1] = 65536;
	assert_int_equal(key_size_class(edge, 0), 0);
	assert_int_equal(key_size_class(edge, 16384), 0);
	assert_int_equal(key_size_class(edge, 16385), 1);
	assert_int_equal(key_size_class(edge, 65536), 1);
	assert_int_equal(key_size_class(edge, ~0U), 2);
}
