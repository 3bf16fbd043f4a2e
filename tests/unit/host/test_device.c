// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lib/device: devices of a recording, and the list of what is known. Those of this machine:
 * test_select.c.
 */
#include "lib/base/str.h"
#include "lib/host/device.h"
#include "tests/unit/test.h"

static const struct queue_info queues[] = {
	{ .ctrl_id = 2, .admin = 1 },
	{ .ctrl_id = 2, .nsid = 1, .disk = "nvme2n1", .major = 259, .minor = 4 },
	{ .ctrl_id = 5, .nsid = 3, .disk = "nvme9c5n1" },
	{ .ctrl_id = -1 },
	{ .ctrl_id = 2, .nsid = 1, .disk = "nvme2n1", .major = 259, .minor = 4 },
};

static int setup(void **state)
{
	struct device_dir *dir = calloc(1, sizeof(*dir));

	for (size_t i = 0; i < ARRAY_SIZE(queues); i++)
		assert_int_equal(device_add_queue(dir, &queues[i]), 0);
	*state = dir;
	return 0;
}

static int teardown(void **state)
{
	device_dir_free(*state);
	free(*state);
	return 0;
}

/* A recording knows its devices from the queues of its events: /dev is not looked at. */
TEST_WITH(recorded, setup, teardown)
{
	struct device_dir *dir = *state;
	u32 found[4];

	assert_false(dir->live);
	assert_int_equal(dir->n, 5); /* nvme2, nvme2n1, nvme5, nvme9c5n1, nvme9n1 */
	assert_int_equal(device_find(dir, DEVICE_ANY, "nvme9n1", found, 4), 1);
	assert_int_equal(dir->dev[found[0]].ctrl_id, 5);
	assert_int_equal(device_find(dir, DEVICE_ANY, "nvme9c5n1", found, 4), 1);
	assert_int_equal(device_find(dir, DEVICE_ANY, "259:4", found, 4), 1);
	assert_string_equal(dir->dev[found[0]].name, "nvme2n1");
	assert_int_equal(device_find(dir, DEVICE_ANY, "/dev/nvme2", found, 4), 1);
	assert_int_equal(device_find(dir, DEVICE_ANY, "nvme9", found, 4), 0);
	assert_int_equal(device_find(dir, DEVICE_ANY, "0:0", found, 4), 0);
}

/* Devices of two hosts that have the same name are two. */
TEST_WITH(hosts, setup, teardown)
{
	struct device_dir *dir = *state;
	char buf[64], cut[24];
	u32 found[4];

	assert_int_equal(device_host(dir, "b"), 0);
	assert_int_equal(device_host(dir, NULL), 0);
	assert_int_equal(dir->n_hosts, 2);
	assert_int_equal(device_find_host(dir, "b/x", 1), 0);
	assert_int_equal(device_find_host(dir, "?", 1), 1);
	assert_int_equal(device_find_host(dir, "bb", 2), DEVICE_ANY);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(device_add_queue(dir, &queues[i]), 0);
	assert_int_equal(dir->n, 7);
	assert_int_equal(device_find(dir, DEVICE_ANY, "nvme2n1", found, 4), 2);
	assert_int_equal(device_find(dir, 1, "nvme2n1", found, 4), 1);
	assert_int_equal(dir->dev[found[0]].host, 1);
	assert_int_equal(device_find(dir, 1, "nvme9n1", found, 4), 0);
	assert_true(device_has_ctrl(dir, 0, 5, 5));
	assert_false(device_has_ctrl(dir, 1, 5, 5));
	device_known_hosts(dir, buf, sizeof(buf));
	assert_string_equal(buf, "known: b ?");
	device_known(dir, cut, sizeof(cut));
	assert_string_equal(cut, "known: b/nvme2 ...");
}

/* Partitions go through the text of a recording; a malformed one is left out, the others are not. */
TEST_WITH(partitions, setup, teardown)
{
	static const char text[] =
		"nvme2n1p1 259:5 2 1 256-511,nvme2n1p2 259:6 2 1 512-18446744073709551615";
	struct device_dir *dir = *state, copy = { 0 };
	char *again;
	u32 found[4];

	assert_int_equal(device_add_parts(dir, text), 0);
	assert_int_equal(dir->n, 7);
	assert_int_equal(device_find(dir, DEVICE_ANY, "259:6", found, 4), 1);
	assert_int_equal(device_find(dir, DEVICE_ANY, "/dev/nvme2n1p1", found, 4), 1);
	assert_int_equal(dir->dev[found[0]].lba.lo, 256);
	assert_int_equal(dir->dev[found[0]].lba.hi, 511);
	assert_int_equal(dir->dev[found[0]].nsid, 1);
	again = device_parts(dir);
	assert_string_equal(again, text);
	free(again);
	assert_int_equal(
		device_add_parts(
			&copy,
			"nvme1n1p1 1:1 0 1 1-,x,,nvme1n1p1 1:1 0 0 1-2,nvme1n1p1 1:1 -1 1 1-2,"
			"nvme1n1p1 1:1 0 1 1-99999999999999999999,p 1:1 0 1 0-18446744073709551615,"
			"nvme0n1p3 259:7 0 1 1-2"),
		0);
	assert_int_equal(copy.n, 1);
	assert_string_equal(copy.dev[0].name, "nvme0n1p3");
	assert_int_equal(device_add_parts(&copy, NULL), 0);
	device_dir_free(&copy);
}

TEST_WITH(ranges, setup, teardown)
{
	assert_true(device_has_ctrl(*state, DEVICE_ANY, 0, 2));
	assert_true(device_has_ctrl(*state, DEVICE_ANY, 5, 5));
	assert_false(device_has_ctrl(*state, DEVICE_ANY, 3, 4));
	assert_true(device_has_nsid(*state, 2, 3));
	assert_false(device_has_nsid(*state, 0, 0));
	assert_false(device_has_nsid(*state, 4, 9));
}

TEST_WITH(known, setup, teardown)
{
	const struct device_dir none = { 0 };
	char buf[64], cut[24];

	device_known(*state, buf, sizeof(buf));
	assert_string_equal(buf, "known: nvme2 nvme2n1 nvme5 nvme9c5n1 nvme9n1");
	device_known(*state, cut, sizeof(cut));
	assert_string_equal(cut, "known: nvme2 ...");
	device_known(&none, buf, sizeof(buf));
	assert_string_equal(buf, "there is no controller");
}
