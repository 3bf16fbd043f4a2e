// SPDX-License-Identifier: GPL-2.0-or-later
/* lib/names: what a request queue is called. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/names.h"
#include "lib/str.h"

static void check(const struct queue_facts *queue, const char *ctrl, const char *dev,
		  const char *path)
{
	struct names names;

	names_of(&names, queue);
	assert_string_equal(names.ctrl, ctrl);
	assert_string_equal(names.dev, dev);
	assert_string_equal(names.path, path);
}

static void test_names(void **state)
{
	struct queue_facts unterminated = { .ctrl_id = 0, .nsid = 1 };

	(void)state;
	check(&(struct queue_facts){ .ctrl_id = 3, .admin = 1 }, "nvme3", "nvme3", "");
	check(&(struct queue_facts){ .ctrl_id = 3, .nsid = 1, .disk = "nvme3n1" }, "nvme3",
	      "nvme3n1", "");
	/* The subsystem has number 1, the controller 0. */
	check(&(struct queue_facts){ .ctrl_id = 0, .nsid = 1, .disk = "nvme1c0n2" }, "nvme0",
	      "nvme1n2", "nvme1c0n2");
	check(&(struct queue_facts){ .ctrl_id = -1 }, "", "", "");
	check(&(struct queue_facts){ .ctrl_id = -1, .disk = "nvme0n1" }, "", "nvme0n1", "");
	memset(unterminated.disk, 'x', sizeof(unterminated.disk));
	check(&unterminated, "nvme0", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "");
}

static void test_find_disk(void **state)
{
	struct sysfs_ns ns[] = {
		{ .name = "nvme1c0n1", .head = "nvme1n1", .ctrl_id = 4, .nsid = 9, .path = true },
		{ .name = "nvme0n1", .head = "nvme0n1", .ctrl_id = 0, .nsid = 1 },
	};
	const struct sysfs sysfs = { .ns = ns, .n_ns = 2 };
	s32 ctrl_id = -1;
	u32 nsid = 0;

	(void)state;
	assert_true(names_find_disk(&sysfs, "nvme1c0n1", &ctrl_id, &nsid));
	assert_int_equal(ctrl_id, 4);
	assert_int_equal(nsid, 9);
	assert_false(names_find_disk(&sysfs, "nvme1n1", &ctrl_id,
				     &nsid)); /* a head has no queue of ours */
	assert_false(names_find_disk(&sysfs, "", &ctrl_id, &nsid));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_find_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
