// SPDX-License-Identifier: GPL-2.0-or-later
/* lib/live_size: what the tables of commands in flight take of memory, whatever the host has. */
#include "lib/base/str.h"
#include "lib/loader/loader_impl.h"
#include "tests/unit/test.h"

#define DRIVES	     24
#define QUEUES	     128
#define TAGS	     1024
#define DRIVE_TAGS   (QUEUES * TAGS)
#define ADMIN_TAGS   64
#define SPARES_BYTES (20U << 20)

/* A large host: drives of many deep queues, one namespace each, behind a scheduler. */
static struct sysfs_ctrl ctrls[DRIVES];
static struct sysfs_ns namespaces[DRIVES];
static const struct sysfs host = {
	.ctrls = ctrls, .n_ctrls = DRIVES, .ns = namespaces, .n_ns = DRIVES
};

static int make_host(void **state)
{
	(void)state;
	for (s32 i = 0; i < DRIVES; i++) {
		ctrls[i] = (struct sysfs_ctrl){ .ctrl_id = i,
						.queue_count = QUEUES + 1,
						.sqsize = TAGS - 1 };
		namespaces[i] = (struct sysfs_ns){ .ctrl_id = i,
						   .hctxs = QUEUES,
						   .nr_requests = TAGS,
						   .scheduler = "mq-deadline" };
	}
	return 0;
}

static struct layout lay(const struct filter *filter, u32 needs)
{
	const struct loader_setup setup = {
		.sysfs = &host, .filter = filter, .needs = needs, .cpus = QUEUES
	};
	struct layout l = { 0 };

	loader_lay(&l, &setup);
	return l;
}

static u64 bytes_of(const struct layout *l)
{
	return (u64)l->entries[0] * l->slot_bytes + (u64)l->entries[1] * sizeof(struct waiting);
}

/* -d nvme0n1 on such a host, for trace, which asks for the largest entries, once took 503 MB. */
TEST(one_of_many)
{
	const struct filter one = { .dev[0] = { .ctrl_id = 5 }, .n_dev = 1 };
	struct layout l = lay(&one, NEED_SUBMITTER | NEED_SQE);
	u64 own = (u64)(DRIVE_TAGS + ADMIN_TAGS) * sizeof(struct command_slot);

	assert_int_equal(l.regions[2UL * 5].entries, DRIVE_TAGS);
	assert_int_equal(l.regions[2UL * 5 + 1].entries, ADMIN_TAGS);
	for (u32 i = 0; i < WIRE_CTRLS; i++)
		assert_true(i == 5 ||
			    (!l.regions[2UL * i].entries && !l.regions[2UL * i + 1].entries));
	/* Its scheduler's region, and as large a one for each of some that may come. */
	assert_true(l.entries[1] <= 5 * DRIVE_TAGS);
	assert_true((u64)l.entries[0] * l.slot_bytes <= own + SPARES_BYTES);
	assert_true(bytes_of(&l) < 84U << 20);
}

TEST(none_of_them)
{
	const struct filter none = { .ctrl[0] = { .lo = 77, .hi = 77 }, .n_ctrl = 1 };
	struct layout l = lay(&none, NEED_SQE);

	assert_true((u64)l.entries[0] * l.slot_bytes <= SPARES_BYTES);
}

/* Without a filter each tag of each drive has an entry of its own: nothing may be lost. */
TEST(all)
{
	const struct filter any = { 0 };
	struct layout l = lay(&any, 0);

	for (u32 i = 0; i < DRIVES; i++) {
		assert_int_equal(l.regions[2UL * i].entries, DRIVE_TAGS);
		if (i)
			assert_true(l.regions[2UL * i].base >=
				    l.regions[2UL * i - 2].base + DRIVE_TAGS);
	}
	assert_true(l.entries[0] >= DRIVES * DRIVE_TAGS);
	assert_int_equal(l.slot_bytes, SLOT_LEAN);
}

/*
 * Entries for the queues: those that are there, and as many again; never more than programs have
 * room for, less those that stand for devices above.
 */
TEST(queues)
{
	const struct sysfs none = { 0 };

	assert_int_equal(loader_queues(&none), 2048);
	assert_int_equal(loader_queues(&host), 2 * DRIVES * (QUEUES + QUEUES + 1));
	for (u32 i = 0; i < DRIVES; i++)
		namespaces[i].hctxs = WIRE_QUEUES;
	assert_int_equal(loader_queues(&host), WIRE_QUEUES - WIRE_STACKED);
	for (u32 i = 0; i < DRIVES; i++)
		namespaces[i].hctxs = QUEUES;
}

TEST_GROUP(make_host, NULL);
