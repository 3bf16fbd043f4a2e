// SPDX-License-Identifier: GPL-2.0-or-later
/* bpf/shared/filter.h and lib/glob: each kind of the selection, and patterns against fnmatch(3). */
#include <errno.h>
#include <fnmatch.h>

#include "bpf/shared/filter.h"
#include "lib/base/glob.h"
#include "lib/base/str.h"
#include "tests/unit/test.h"

static struct filter filter;
static struct filter_input in;

static int setup(void **state)
{
	(void)state;
	filter = (struct filter){ .admin = 1, .io = 1 };
	in = (struct filter_input){
		.lba = 1000,
		.lba_blocks = 8,
		.size_bytes = 4096,
		.nsid = 1,
		.pid = 4711,
		.qid = 3,
		.opcode = 0x02,
		.comm = "fio\0\0\0\0\0\0\0\0\0\0\0\0",
	};
	return 0;
}

TEST_WITH(nothing_asked, setup, NULL)
{
	assert_true(filter_queue(&filter, 0, false));
	assert_true(filter_queue(&filter, -1, true));
	assert_true(filter_submit(&filter, &in));
	assert_true(filter_complete(&filter, 0, 0, 0));
	assert_true(filter_complete(&filter, 1, WIRE_UNKNOWN_STATUS, 9));
}

TEST_WITH(queue, setup, NULL)
{
	filter.admin = 0;
	assert_false(filter_queue(&filter, 0, true));
	assert_true(filter_queue(&filter, 0, false));
	filter.admin = 1;
	filter.io = 0;
	assert_true(filter_queue(&filter, 0, true));
	assert_false(filter_queue(&filter, 0, false));
	filter.io = 1;
	filter.n_ctrl = 2;
	filter.ctrl[0] = (struct range32){ 1, 1 };
	filter.ctrl[1] = (struct range32){ 4, INT32_MAX };
	assert_false(filter_queue(&filter, 0, false));
	assert_true(filter_queue(&filter, 1, false));
	assert_false(filter_queue(&filter, 3, false));
	assert_true(filter_queue(&filter, 4, false));
	assert_false(filter_queue(&filter, -1, false));
	filter.n_dev = 1;
	filter.dev[0] = (struct filter_dev){ { 0, ~0ULL }, 5, 1 };
	assert_false(filter_queue(&filter, 4, false));
	assert_true(filter_queue(&filter, 5, false));
}

TEST_WITH(nsid, setup, NULL)
{
	filter.n_nsid = 1;
	filter.nsid[0] = (struct range32){ 1, 2 };
	assert_true(filter_submit(&filter, &in));
	in.nsid = 3;
	assert_false(filter_submit(&filter, &in));
	filter.n_nsid = 2;
	filter.nsid[1] = (struct range32){ 3, 4 };
	assert_true(filter_submit(&filter, &in));
	in.nsid = 1;
	assert_true(filter_submit(&filter, &in));
	in.opcode = 0x7f; /* fabrics: nsid holds the fctype */
	assert_false(filter_submit(&filter, &in));
}

TEST_WITH(qid, setup, NULL)
{
	filter.n_qid = 1;
	filter.qid[0] = (struct range32){ 1, UINT32_MAX };
	assert_true(filter_submit(&filter, &in));
	in.qid = 0;
	assert_false(filter_submit(&filter, &in));
}

TEST_WITH(opcode, setup, NULL)
{
	filter.has_opcodes = 1;
	filter.opcodes_io[0] = 1ULL << 2;
	filter.opcodes_admin[2] = 1ULL << 1; /* 0x81 */
	filter.opcodes_fabrics[0] = 1ULL << 1;
	assert_true(filter_submit(&filter, &in));
	in.opcode = 1;
	assert_false(filter_submit(&filter, &in));
	in.opcode = 0x81;
	assert_false(filter_submit(&filter, &in));
	in.admin = 1;
	assert_true(filter_submit(&filter, &in));
	in.opcode = 2;
	assert_false(filter_submit(&filter, &in));
	in.opcode = 0x7f;
	in.fctype = 1;
	assert_true(filter_submit(&filter, &in));
	in.fctype = 4;
	assert_false(filter_submit(&filter, &in));
}

TEST_WITH(size, setup, NULL)
{
	filter.n_size = 2;
	filter.size[0] = (struct range64){ 512, 512 };
	filter.size[1] = (struct range64){ 4096, 8192 };
	assert_true(filter_submit(&filter, &in));
	in.size_bytes = 8193;
	assert_false(filter_submit(&filter, &in));
	in.size_bytes = 512;
	assert_true(filter_submit(&filter, &in));
}

/* The command covers 1000 to 1007. */
TEST_WITH(lba, setup, NULL)
{
	filter.n_lba = 1;
	filter.lba[0] = (struct range64){ 1007, 1007 };
	assert_true(filter_submit(&filter, &in));
	filter.lba[0] = (struct range64){ 1008, ~0ULL };
	assert_false(filter_submit(&filter, &in));
	filter.lba[0] = (struct range64){ 0, 999 };
	assert_false(filter_submit(&filter, &in));
	filter.lba[0] = (struct range64){ 0, ~0ULL };
	assert_true(filter_submit(&filter, &in));
	in.lba_blocks = 0;
	assert_false(filter_submit(&filter, &in));
}

TEST_WITH(lba_beyond_64_bits, setup, NULL)
{
	in.lba = ~0ULL - 1;
	in.lba_blocks = 100;
	filter.n_lba = 1;
	filter.lba[0] = (struct range64){ 0, 5 };
	assert_false(filter_submit(&filter, &in));
	filter.lba[0] = (struct range64){ ~0ULL, ~0ULL };
	assert_true(filter_submit(&filter, &in));
}

TEST_WITH(device, setup, NULL)
{
	filter.n_dev = 2;
	filter.dev[0] = (struct filter_dev){ { 0, ~0ULL }, 0, 2 };
	filter.dev[1] = (struct filter_dev){ { 500, 1003 }, 0, 1 };
	assert_true(filter_submit(&filter, &in)); /* overlaps the partition */
	in.lba = 1004;
	assert_false(filter_submit(&filter, &in));
	in.nsid = 2;
	assert_true(filter_submit(&filter, &in));
	in.ctrl_id = 1;
	assert_false(filter_submit(&filter, &in));
	filter.dev[1].ctrl_id = 3;
	assert_true(filter_ctrl(&filter, 0));
	assert_true(filter_ctrl(&filter, 3));
	assert_false(filter_ctrl(&filter, 1));
}

TEST_WITH(device_without_lba, setup, NULL)
{
	in.lba_blocks = 0;
	filter.n_dev = 1;
	filter.dev[0] = (struct filter_dev){ { 0, 5000 }, 0, 1 };
	assert_false(filter_submit(&filter, &in));
	filter.dev[0] = (struct filter_dev){ { 0, ~0ULL }, 0, 1 };
	assert_true(filter_submit(&filter, &in));
	in.opcode = 0x7f;
	assert_false(filter_submit(&filter, &in));
	filter.dev[0].nsid = 0; /* the controller */
	assert_true(filter_submit(&filter, &in));
}

TEST_WITH(pid, setup, NULL)
{
	filter.n_pid = 2;
	filter.pid[1] = 4711;
	assert_true(filter_submit(&filter, &in));
	in.pid = 4712;
	assert_false(filter_submit(&filter, &in));
}

TEST_WITH(kinds_are_anded, setup, NULL)
{
	filter.n_pid = 1;
	filter.pid[0] = 4711;
	filter.n_size = 1;
	filter.size[0] = (struct range64){ 8192, 8192 };
	assert_false(filter_submit(&filter, &in));
	in.size_bytes = 8192;
	assert_true(filter_submit(&filter, &in));
	in.pid = 1;
	assert_false(filter_submit(&filter, &in));
}

TEST_WITH(full_lists, setup, NULL)
{
	filter.n_qid = FILTER_ITEMS;
	filter.qid[FILTER_ITEMS - 1] = (struct range32){ 3, 3 };
	filter.n_dev = FILTER_DEVS;
	for (u32 i = 0; i < FILTER_DEVS; i++)
		filter.dev[i].ctrl_id = 99;
	filter.dev[FILTER_DEVS - 1] = (struct filter_dev){ { 0, ~0ULL }, 0, 1 };
	filter.n_pid = FILTER_PIDS;
	filter.pid[FILTER_PIDS - 1] = 4711;
	assert_true(filter_submit(&filter, &in));
	filter.pid[FILTER_PIDS - 1] = 1;
	assert_false(filter_submit(&filter, &in));
}

/* Only the queue tells about a command whose submission was not seen. */
TEST_WITH(orphan, setup, NULL)
{
	const struct queue_info queue = { .ctrl_id = 2, .nsid = 5 };
	const struct queue_info admin_queue = { .ctrl_id = 2, .admin = 1 };

	assert_true(filter_orphan(&filter, &queue, 3));
	filter.n_qid = 1;
	filter.qid[0] = (struct range32){ 3, 4 };
	assert_true(filter_orphan(&filter, &queue, 3));
	assert_false(filter_orphan(&filter, &queue, 1));
	filter.n_dev = 1;
	filter.dev[0] = (struct filter_dev){ { 0, ~0ULL }, 2, 0 };
	assert_true(filter_orphan(&filter, &queue, 3));
	assert_true(filter_orphan(&filter, &admin_queue, 3));
	filter.dev[0].nsid = 5;
	assert_true(filter_orphan(&filter, &queue, 3));
	assert_false(filter_orphan(&filter, &admin_queue, 3));
	filter.dev[0].lba.hi = 4095; /* a partition */
	assert_false(filter_orphan(&filter, &queue, 3));
	filter.n_dev = 0;
	filter.any_submit = 1;
	assert_false(filter_orphan(&filter, &queue, 3));
}

TEST_WITH(completion, setup, NULL)
{
	filter.min_lat_ns = 500;
	assert_false(filter_complete(&filter, 499, 0, 0));
	assert_true(filter_complete(&filter, 500, 0x281, 0));
}

TEST_WITH(status_classes, setup, NULL)
{
	filter.status_classes = STATUS_CLASS_OK;
	assert_true(filter_complete(&filter, 1, 0, 0));
	assert_false(filter_complete(&filter, 1, 0x4002, 0));
	assert_false(
		filter_complete(&filter, 1, 0x4000, 0)); /* DNR alone: no success, as everywhere */
	assert_false(filter_complete(&filter, 1, WIRE_UNKNOWN_STATUS, 0));
	filter.status_classes = STATUS_CLASS_ERROR;
	assert_false(filter_complete(&filter, 1, 0, 1));
	assert_true(filter_complete(&filter, 1, 2, 0));
	assert_true(filter_complete(&filter, 1, 0x2000, 0));
	assert_false(filter_complete(&filter, 1, WIRE_UNKNOWN_STATUS, 0));
	filter.status_classes = STATUS_CLASS_RETRY;
	assert_false(filter_complete(&filter, 1, 0x281, 0));
	assert_true(filter_complete(&filter, 1, 0, 1));
}

TEST_WITH(device_left_out, setup, NULL)
{
	filter.n_dev_out = 1;
	filter.dev_out[0] = (struct filter_dev){ .ctrl_id = 0, .nsid = 1 };
	assert_true(filter_queue(&filter, 0, false));
	assert_false(filter_submit(&filter, &in));
	in.nsid = 2;
	assert_true(filter_submit(&filter, &in));
	in.nsid = 1;
	in.opcode = OPCODE_FABRICS; /* fctype, not a namespace */
	assert_true(filter_submit(&filter, &in));
	filter.dev_out[0].nsid = 0;
	assert_false(filter_queue(&filter, 0, false));
	assert_true(filter_queue(&filter, 1, false));
}

TEST_WITH(status_values, setup, NULL)
{
	filter.n_status = 2;
	filter.status[0] = (struct filter_status){ 0x281, 0x7ff };
	filter.status[1] = (struct filter_status){ 0x4002, 0x47ff };
	assert_true(filter_complete(&filter, 1, 0x281, 0));
	assert_true(filter_complete(&filter, 1, 0x7a81, 0)); /* DNR, MORE, CRD set */
	assert_false(filter_complete(&filter, 1, 0x282, 0));
	assert_false(filter_complete(&filter, 1, 0, 0));
	assert_false(filter_complete(&filter, 1, 2, 0));
	assert_true(filter_complete(&filter, 1, 0x6002, 0));
}

TEST_WITH(lba_blocks, setup, NULL)
{
	static const u8 with[] = { 0x01, 0x02, 0x04, 0x05, 0x08, 0x0c, 0x7d };
	static const u8 without[] = { 0x00, 0x09, 0x0d, 0x0e, 0x11, 0x15, 0x7f, 0x80, 0xff };

	for (size_t i = 0; i < ARRAY_SIZE(with); i++)
		assert_int_equal(filter_lba_blocks(with[i], 0xffff0007), 8);
	for (size_t i = 0; i < ARRAY_SIZE(without); i++)
		assert_int_equal(filter_lba_blocks(without[i], 7), 0);
	assert_int_equal(filter_lba_blocks(0x02, 0xffff), 65536);
	assert_int_equal(filter_lba_blocks(0x79, 7), 1);
	assert_int_equal(filter_lba_blocks(0x7a, 7), 1);
	assert_int_equal(filter_lba_blocks(0x19, 7), 1);
}

static bool matches(const struct filter *f, const char *name)
{
	char comm[WIRE_COMM];

	/* Bytes behind the NUL are what a longer name left there. */
	memset(comm, 'z', sizeof(comm));
	memcpy(comm, name, strlen(name) + 1);
	return filter_submitter(f, 1, comm);
}

static bool glob(const char *pattern, const char *name)
{
	struct filter f = { 0 };

	assert_int_equal(glob_add(&f, pattern, false), 0);
	return matches(&f, name);
}

TEST_WITH(patterns, setup, NULL)
{
	assert_true(glob("fio", "fio"));
	assert_false(glob("fio", "fio2"));
	assert_false(glob("fio", "fi"));
	assert_true(glob("*", ""));
	assert_true(glob("*", "123456789012345"));
	assert_true(glob("123456789012345", "123456789012345"));
	assert_true(glob("kworker/[0-9]*", "kworker/0:1H"));
	assert_false(glob("kworker/[!0]*", "kworker/0:1H"));
	assert_true(glob("a[]]b", "a]b"));
	assert_true(glob("a[", "a["));
	assert_true(glob("\\*", "*"));
	assert_false(glob("\\*", "x"));
	assert_true(glob("[[:digit:]x]", "7"));
	assert_true(glob("[[:digit:]x]", "x"));
	assert_false(glob("[[:digit:]x]", "y"));
	assert_true(glob("?", "\xff"));
}

TEST_WITH(patterns_together, setup, NULL)
{
	struct filter f = { 0 };

	assert_int_equal(glob_add(&f, "fio*", false), 0);
	assert_int_equal(glob_add(&f, "*sql", false), 0);
	assert_int_equal(glob_add(&f, "dd", false), 0);
	assert_true(matches(&f, "fio-3.33"));
	assert_true(matches(&f, "mysql"));
	assert_true(matches(&f, "dd"));
	assert_false(matches(&f, "ddd"));
	assert_false(matches(&f, "d"));
	assert_false(matches(&f, ""));
}

TEST_WITH(pattern_bounds, setup, NULL)
{
	struct filter f = { 0 };

	assert_int_equal(glob_add(&f, "1234567890123456", false), -ENAMETOOLONG);
	f = (struct filter){ 0 };
	for (int i = 0; i < 4; i++)
		assert_int_equal(glob_add(&f, "?*????????*?????*?", false), 0);
	assert_true(matches(&f, "123456789012345"));
	assert_int_equal(glob_add(&f, "a", false), -E2BIG);
	assert_int_equal(glob_add(&(struct filter){ 0 }, "a\\", false), -EINVAL);
	assert_int_equal(glob_add(&(struct filter){ 0 }, "[[:nope:]]", false), -EINVAL);
}

/* The same numbers in every run. */
static u32 next_random(u32 *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

/* A string of up to @max bytes from a small alphabet, so that matches are frequent. */
static void random_text(u32 *seed, char *buf, u32 max, const char *alphabet)
{
	u32 len = next_random(seed) % (max + 1);

	for (u32 i = 0; i < len; i++)
		buf[i] = alphabet[next_random(seed) % strlen(alphabet)];
	buf[len] = '\0';
}

TEST_WITH(against_fnmatch, setup, NULL)
{
	u32 hits = 0, tried = 0, seed = 1;

	for (int i = 0; i < 200000; i++) {
		struct filter f = { 0 };
		char pattern[16], name[WIRE_COMM];
		int err;

		random_text(&seed, pattern, 12, "aabbc*?[]!-\\");
		random_text(&seed, name, 8, "aaabbc-!]");
		err = glob_add(&f, pattern, false);
		if (err == -EINVAL) /* a backslash ends it: fnmatch(3) leaves that open */
			continue;
		assert_int_equal(err, 0);
		tried++;
		if (matches(&f, name) != (fnmatch(pattern, name, 0) == 0))
			fail_msg("pattern '%s', name '%s'", pattern, name);
		hits += matches(&f, name);
	}
	assert_true(tried > 150000);
	assert_true(hits > 1000);
}
