// SPDX-License-Identifier: GPL-2.0-or-later
/* lib/sysfs: controllers, namespaces, paths and partitions of trees made up for the test. */
#include <errno.h>

#include "lib/base/str.h"
#include "lib/host/sysfs.h"
#include "tests/unit/scratch.h"
#include "tests/unit/test.h"

static void put_ctrl(const char *root, const char *name)
{
	char dir[128];

	snprintf(dir, sizeof(dir), "class/nvme/%s", name);
	scratch_put(root, dir, "state", "live\n");
}

static void put_ns(const char *root, const char *ctrl, const char *disk, const char *nsid)
{
	char dir[128];

	snprintf(dir, sizeof(dir), "class/nvme/%s/%s", ctrl, disk);
	scratch_put(root, dir, "nsid", nsid);
}

static void put_part(const char *root, const char *disk_dir, const char *name, const char *dev)
{
	char dir[160];

	snprintf(dir, sizeof(dir), "%s/%s", disk_dir, name);
	scratch_put(root, dir, "partition", "1\n");
	scratch_put(root, dir, "start", "1024\n");
	scratch_put(root, dir, "size", "512\n");
	scratch_put(root, dir, "dev", dev);
}

/* Numbers may be left out. */
TEST_WITH(cpus, scratch_setup, scratch_teardown)
{
	assert_int_equal(sysfs_cpus(*state), 0);
	scratch_put(*state, "devices/system/cpu", "possible", "0-3,8-11\n");
	assert_int_equal(sysfs_cpus(*state), 12);
	scratch_put(*state, "devices/system/cpu", "possible", "0\n");
	assert_int_equal(sysfs_cpus(*state), 1);
	scratch_put(*state, "devices/system/cpu", "possible", "\n");
	assert_int_equal(sysfs_cpus(*state), 0);
}

/*
 * A subsystem with the number 1 of the controllers nvme0 and nvme3: paths nvme1c*n1 of head
 * nvme1n1.
 */
TEST_WITH(multipath, scratch_setup, scratch_teardown)
{
	struct sysfs s;

	put_ctrl(*state, "nvme0");
	put_ctrl(*state, "nvme3");
	put_ns(*state, "nvme0", "nvme1c0n1", "5\n");
	put_ns(*state, "nvme3", "nvme1c1n1", "5\n");
	scratch_put(*state, "class/block/nvme1n1", "dev", "259:9\n");
	put_part(*state, "class/block/nvme1n1", "nvme1n1p1", "259:10\n");
	assert_int_equal(sysfs_read(&s, *state), 0);
	assert_int_equal(s.n_ns, 2);
	for (u32 i = 0; i < 2; i++) {
		assert_true(s.ns[i].path);
		assert_string_equal(s.ns[i].head, "nvme1n1");
		assert_int_equal(s.ns[i].major, 259);
		assert_int_equal(s.ns[i].minor, 9);
		assert_int_equal(s.ns[i].nsid, 5);
	}
	assert_int_equal(s.ns[0].ctrl_id, 0);
	assert_int_equal(s.ns[1].ctrl_id, 3);
	assert_int_equal(s.n_parts, 1);
	assert_string_equal(s.parts[0].head, "nvme1n1");
	assert_ptr_equal(sysfs_ns(&s, "nvme1c1n1"), &s.ns[1]);
	assert_ptr_equal(sysfs_ns(&s, "nvme1n1"), &s.ns[0]);
	sysfs_free(&s);
}

TEST_WITH(many, scratch_setup, scratch_teardown)
{
	char name[16];
	struct sysfs s;

	for (int i = 0; i < 33; i++) {
		snprintf(name, sizeof(name), "nvme%d", i);
		put_ctrl(*state, name);
	}
	assert_int_equal(sysfs_read(&s, *state), 0);
	assert_int_equal(s.n_ctrls, 33);
	for (int i = 0; i < 33; i++)
		assert_int_equal(s.ctrls[i].ctrl_id, i);
	sysfs_free(&s);
}

TEST(head_of)
{
	static const char *const no_path[] = { "nvme0n1",     "nvme0c1",    "nvme0c1n",
					       "nvme0c1n1p1", "",	    "nvmec0n1",
					       "xnvme0c1n1",  "nvme0c-1n1", "nvme99999999999c0n1" };
	char head[SYSFS_NAME];

	assert_true(sysfs_head_of("nvme1c0n12", head));
	assert_string_equal(head, "nvme1n12");
	for (size_t i = 0; i < ARRAY_SIZE(no_path); i++) {
		assert_false(sysfs_head_of(no_path[i], head));
		assert_string_equal(head, "");
	}
}
