// SPDX-License-Identifier: GPL-2.0-or-later
/* lib/names: what a request queue is called. */
#include "lib/base/str.h"
#include "lib/host/names.h"
#include "tests/unit/test.h"

static void check(const struct queue_info *queue, const char *ctrl, const char *dev,
		  const char *path)
{
	struct names names;

	names_of(&names, queue);
	assert_string_equal(names.ctrl, ctrl);
	assert_string_equal(names.dev, dev);
	assert_string_equal(names.path, path);
}

TEST(names)
{
	struct queue_info unterminated = { .ctrl_id = 0, .nsid = 1 };

	check(&(struct queue_info){ .ctrl_id = 3, .admin = 1 }, "nvme3", "nvme3", "");
	check(&(struct queue_info){ .ctrl_id = 3, .nsid = 1, .disk = "nvme3n1" }, "nvme3",
	      "nvme3n1", "");
	/* The subsystem has number 1, the controller 0. */
	check(&(struct queue_info){ .ctrl_id = 0, .nsid = 1, .disk = "nvme1c0n2" }, "nvme0",
	      "nvme1n2", "nvme1c0n2");
	check(&(struct queue_info){ .ctrl_id = -1 }, "", "", "");
	check(&(struct queue_info){ .ctrl_id = -1, .disk = "nvme0n1" }, "", "nvme0n1", "");
	memset(unterminated.disk, 'x', sizeof(unterminated.disk));
	check(&unterminated, "nvme0", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "");
}
