// SPDX-License-Identifier: GPL-2.0-or-later
/* lib/host/stack: devices above namespaces, in trees made up for the test. */
#include <errno.h>
#include <unistd.h>

#include "lib/base/str.h"
#include "lib/host/above.h"
#include "tests/unit/scratch.h"
#include "tests/unit/test.h"

#define ENDS "../../../.." /* from BLOCK/DISK/slaves to the root */

static int setup(void **state)
{
	*state = scratch_make();
	scratch_put(*state, "dev/block", NULL, NULL);
	return 0;
}

static int teardown(void **state)
{
	return scratch_remove(*state);
}

static void link_to(const char *root, const char *at, const char *to)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", root, at);
	assert_int_equal(symlink(to, path), 0);
}

/* A disk with that number, and what its queue says of a cache. */
static void put_disk(const char *root, const char *name, const char *number, const char *cache)
{
	char dir[128], to[128];

	snprintf(dir, sizeof(dir), "devices/block/%s/slaves", name);
	scratch_put(root, dir, NULL, NULL);
	snprintf(dir, sizeof(dir), "devices/block/%s/holders", name);
	scratch_put(root, dir, NULL, NULL);
	snprintf(dir, sizeof(dir), "devices/block/%s/queue", name);
	scratch_put(root, dir, "write_cache", cache);
	snprintf(dir, sizeof(dir), "dev/block/%s", number);
	snprintf(to, sizeof(to), "../../devices/block/%s", name);
	link_to(root, dir, to);
}

/* @above is made of @below, or of @part of it. */
static void put_above(const char *root, const char *above, const char *below, const char *part)
{
	char at[128], to[160];

	snprintf(at, sizeof(at), "devices/block/%s/slaves/%s", above, part ? part : below);
	snprintf(to, sizeof(to), ENDS "/devices/block/%s%s%s", below, part ? "/" : "",
		 part ? part : "");
	link_to(root, at, to);
	if (part)
		return;
	snprintf(at, sizeof(at), "devices/block/%s/holders/%s", below, above);
	snprintf(to, sizeof(to), ENDS "/devices/block/%s", above);
	link_to(root, at, to);
}

TEST_WITH(gone, setup, teardown)
{
	struct stack st;

	assert_int_equal(stack_read(&st, *state, 9, 0), -ENOENT);
}

/* A mirror of a namespace and of a partition of another one; each member is named once. */
TEST_WITH(mirror, setup, teardown)
{
	struct stack st;

	put_disk(*state, "nvme10n1", "259:0", "write through\n");
	put_disk(*state, "nvme2n1", "259:1", "write through\n");
	scratch_put(*state, "devices/block/nvme2n1/nvme2n1p1", "partition", "1\n");
	scratch_put(*state, "devices/block/nvme2n1/nvme2n1p2", "partition", "2\n");
	put_disk(*state, "md0", "9:0", "write back\n");
	put_above(*state, "md0", "nvme10n1", NULL);
	put_above(*state, "md0", "nvme2n1", "nvme2n1p1");
	put_above(*state, "md0", "nvme2n1", "nvme2n1p2");
	assert_int_equal(stack_read(&st, *state, 9, 0), 0);
	assert_string_equal(st.name, "md0");
	assert_string_equal(st.members, "nvme2n1 nvme10n1");
	assert_false(st.cached);
	assert_false(st.beside);
}

/* Encrypted volumes side by side below a mirror; a disk that is not NVMe is no member. */
TEST_WITH(nested, setup, teardown)
{
	struct stack st;

	put_disk(*state, "nvme0n1", "259:0", "write back\n");
	put_disk(*state, "sda", "8:0", "write back\n");
	put_disk(*state, "dm-0", "253:0", "write back\n");
	put_disk(*state, "dm-1", "253:1", "write back\n");
	put_disk(*state, "md0", "9:0", "write back\n");
	put_above(*state, "dm-0", "nvme0n1", NULL);
	put_above(*state, "dm-1", "sda", NULL);
	put_above(*state, "md0", "dm-0", NULL);
	put_above(*state, "md0", "dm-1", NULL);
	assert_int_equal(stack_read(&st, *state, 9, 0), 0);
	assert_string_equal(st.members, "nvme0n1");
	assert_true(st.cached);
	assert_false(st.beside);
	assert_int_equal(stack_read(&st, *state, 253, 0), 0);
	assert_string_equal(st.members, "nvme0n1");
	assert_true(st.beside);
	assert_int_equal(stack_read(&st, *state, 253, 1), 0);
	assert_string_equal(st.members, "");
	assert_false(st.cached);
}
