// SPDX-License-Identifier: GPL-2.0-or-later
/* lib/sysfs: controllers, namespaces, paths and partitions of trees made up for the test. */
#include <errno.h>

#include "lib/base/str.h"
#include "lib/host/sysfs.h"
#include "tests/unit/scratch.h"
#include "tests/unit/test.h"

static int setup(void **state)
{
	*state = scratch_make();
	return 0;
}

static int teardown(void **state)
{
	return scratch_remove(*state);
}

static void put_ctrl(const char *root, const char *name)
{
	char dir[128];

	snprintf(dir, sizeof(dir), "class/nvme/%s", name);
	scratch_put(root, dir, "state", "live\n");
	scratch_put(root, dir, "transport", "pcie\n");
	scratch_put(root, dir, "address", "0000:01:00.0\n");
	scratch_put(root, dir, "model", "QEMU NVMe Ctrl                          \n");
	scratch_put(root, dir, "serial", "S\033[31m\"0             \n");
	scratch_put(root, dir, "firmware_rev", "8.0.0   \n");
	scratch_put(root, dir, "subsysnqn", "nqn.2019-08.org.qemu:x\n");
	scratch_put(root, dir, "cntlid", "7\n");
	scratch_put(root, dir, "numa_node", "-1\n");
	scratch_put(root, dir, "queue_count", "5\n");
	scratch_put(root, dir, "sqsize", "1023\n");
}

static void put_ns(const char *root, const char *ctrl, const char *disk, const char *nsid)
{
	char dir[128], sub[160];

	snprintf(dir, sizeof(dir), "class/nvme/%s/%s", ctrl, disk);
	scratch_put(root, dir, "nsid", nsid);
	scratch_put(root, dir, "size", "2048\n");
	scratch_put(root, dir, "wwid", "nvme.1b36-30\n");
	snprintf(sub, sizeof(sub), "%s/queue", dir);
	scratch_put(root, sub, "logical_block_size", "4096\n");
	scratch_put(root, sub, "scheduler", "none [mq-deadline] kyber\n");
	scratch_put(root, sub, "nr_requests", "256\n");
	scratch_put(root, sub, "zoned", "host-managed\n");
	for (int i = 0; i < 4; i++) {
		snprintf(sub, sizeof(sub), "%s/mq/%d", dir, i);
		scratch_put(root, sub, NULL, NULL);
	}
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

TEST_WITH(no_driver, setup, teardown)
{
	struct sysfs s;

	assert_int_equal(sysfs_read(&s, *state), -ENOENT);
	sysfs_free(&s);
}

TEST_WITH(no_controller, setup, teardown)
{
	struct sysfs s;

	scratch_put(*state, "class/nvme", NULL, NULL);
	assert_int_equal(sysfs_read(&s, *state), 0);
	assert_int_equal(s.n_ctrls, 0);
	assert_int_equal(s.n_ns, 0);
	assert_null(sysfs_ctrl(&s, 0));
	sysfs_free(&s);
}

/* Numbers may be left out. */
TEST_WITH(cpus, setup, teardown)
{
	assert_int_equal(sysfs_cpus(*state), 0);
	scratch_put(*state, "devices/system/cpu", "possible", "0-3,8-11\n");
	assert_int_equal(sysfs_cpus(*state), 12);
	scratch_put(*state, "devices/system/cpu", "possible", "0\n");
	assert_int_equal(sysfs_cpus(*state), 1);
	scratch_put(*state, "devices/system/cpu", "possible", "\n");
	assert_int_equal(sysfs_cpus(*state), 0);
}

TEST_WITH(controller, setup, teardown)
{
	const struct sysfs_ctrl *c;
	struct sysfs s;

	put_ctrl(*state, "nvme10");
	put_ctrl(*state, "nvme2");
	scratch_put(*state, "class/nvme/nvme-fabrics", NULL, NULL);
	assert_int_equal(sysfs_read(&s, *state), 0);
	assert_int_equal(s.n_ctrls, 2);
	c = &s.ctrls[0];
	assert_string_equal(c->name, "nvme2");
	assert_int_equal(c->ctrl_id, 2);
	assert_string_equal(c->model, "QEMU NVMe Ctrl");
	assert_string_equal(c->serial, "S\033[31m\"0");
	assert_string_equal(c->firmware, "8.0.0");
	assert_string_equal(c->state, "live");
	assert_string_equal(c->transport, "pcie");
	assert_string_equal(c->address, "0000:01:00.0");
	assert_string_equal(c->subsysnqn, "nqn.2019-08.org.qemu:x");
	assert_int_equal(c->cntlid, 7);
	assert_int_equal(c->numa_node, -1);
	assert_int_equal(sysfs_io_queues(c), 4);
	assert_int_equal(sysfs_io_depth(c), 1024);
	assert_ptr_equal(sysfs_ctrl(&s, 10), &s.ctrls[1]);
	assert_null(sysfs_ctrl(&s, 3));
	sysfs_free(&s);
}

TEST_WITH(namespaces, setup, teardown)
{
	const struct sysfs_ns *ns;
	struct sysfs s;

	put_ctrl(*state, "nvme0");
	put_ns(*state, "nvme0", "nvme0n2", "2\n");
	put_ns(*state, "nvme0", "nvme0n1", "1\n");
	scratch_put(*state, "class/nvme/nvme0/nvme0n1", "dev", "259:3\n");
	scratch_put(*state, "class/nvme/nvme0/nvme0n2", "metadata_bytes", "8\n");
	scratch_put(*state, "class/nvme/nvme0/ng0n1", "dev", "240:0\n");
	scratch_put(*state, "class/nvme/nvme0/hwmon0", NULL, NULL);
	assert_int_equal(sysfs_read(&s, *state), 0);
	assert_int_equal(s.n_ns, 2);
	ns = &s.ns[0];
	assert_string_equal(ns->name, "nvme0n1");
	assert_string_equal(ns->head, "nvme0n1");
	assert_false(ns->path);
	assert_int_equal(ns->nsid, 1);
	assert_int_equal(ns->major, 259);
	assert_int_equal(ns->minor, 3);
	assert_int_equal(ns->size_bytes, 2048 * 512);
	assert_int_equal(ns->lba_bytes, 4096);
	assert_int_equal(ns->metadata_bytes, UINT32_MAX);
	assert_int_equal(s.ns[1].metadata_bytes, 8);
	assert_string_equal(ns->scheduler, "mq-deadline");
	assert_int_equal(ns->nr_requests, 256);
	assert_true(ns->zoned);
	assert_int_equal(ns->hctxs, 4);
	assert_string_equal(ns->wwid, "nvme.1b36-30");
	assert_ptr_equal(sysfs_ns(&s, "nvme0n2"), &s.ns[1]);
	assert_null(sysfs_ns(&s, "nvme0n3"));
	sysfs_free(&s);
}

/*
 * A subsystem with the number 1 of the controllers nvme0 and nvme3: paths nvme1c*n1 of head
 * nvme1n1.
 */
TEST_WITH(multipath, setup, teardown)
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

TEST_WITH(partitions, setup, teardown)
{
	struct sysfs s;

	put_ctrl(*state, "nvme0");
	put_ns(*state, "nvme0", "nvme0n1", "1\n");
	put_part(*state, "class/nvme/nvme0/nvme0n1", "nvme0n1p10", "259:4\n");
	put_part(*state, "class/nvme/nvme0/nvme0n1", "nvme0n1p2", "259:5\n");
	assert_int_equal(sysfs_read(&s, *state), 0);
	assert_int_equal(s.n_parts, 2);
	assert_string_equal(s.parts[0].name, "nvme0n1p2");
	assert_string_equal(s.parts[1].name, "nvme0n1p10");
	assert_int_equal(s.parts[0].minor, 5);
	assert_int_equal(s.parts[0].start_bytes, 1024 * 512);
	assert_int_equal(s.parts[0].size_bytes, 512 * 512);
	sysfs_free(&s);
}

/* Attributes that a kernel lacks, or that hold rubbish, are unknown. */
TEST_WITH(missing_attributes, setup, teardown)
{
	struct sysfs s;

	scratch_put(*state, "class/nvme/nvme0/nvme0n1", "nsid", "rubbish\n");
	assert_int_equal(sysfs_read(&s, *state), 0);
	assert_int_equal(s.n_ctrls, 1);
	assert_string_equal(s.ctrls[0].state, "");
	assert_int_equal(s.ctrls[0].numa_node, -1);
	assert_int_equal(sysfs_io_queues(&s.ctrls[0]), 0);
	assert_int_equal(sysfs_io_depth(&s.ctrls[0]), 0);
	assert_int_equal(s.ctrls[0].cntlid, UINT32_MAX);
	assert_int_equal(s.ns[0].nsid, 0);
	assert_true(s.ns[0].size_bytes == UINT64_MAX);
	assert_int_equal(s.ns[0].hctxs, 0);
	assert_string_equal(s.ns[0].scheduler, "");
	assert_false(s.ns[0].zoned);
	sysfs_free(&s);
}

TEST_WITH(many, setup, teardown)
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
