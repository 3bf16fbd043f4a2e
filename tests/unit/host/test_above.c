// SPDX-License-Identifier: GPL-2.0-or-later
/* lib/host/stack: devices above namespaces, in trees made up for the test. */
#include <errno.h>
#include <unistd.h>

#include "lib/base/str.h"
#include "lib/host/above.h"
#include "tests/unit/scratch.h"
#include "tests/unit/test.h"

static int setup(void **state)
{
	scratch_setup(state);
	scratch_put(*state, "dev/block", NULL, NULL);
	return 0;
}

#define ENDS "../../../.." /* from BLOCK/DISK/slaves to the root */

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

TEST_WITH(gone, setup, scratch_teardown)
{
	struct stack st;

	assert_int_equal(stack_read(&st, *state, 9, 0), -ENOENT);
}

/* A mirror of a namespace and of a partition of another one; each member is named once. */
TEST_WITH(mirror, setup, scratch_teardown)
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
TEST_WITH(nested, setup, scratch_teardown)
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

/* A user may name a device above by its name, its number, a partition of it, or a mount point. */
TEST_WITH(found_by_word, setup, scratch_teardown)
{
	struct device devs[] = {
		{ .name = "nvme0n1", .nsid = 1, .lba = { 0, ~0ULL }, .major = 259 },
		{ .name = "nvme0n1p1", .nsid = 1, .lba = { 8, 15 }, .major = 259, .minor = 1 },
		{ .name = "nvme1n1",
		  .ctrl_id = 1,
		  .nsid = 1,
		  .lba = { 0, ~0ULL },
		  .major = 259,
		  .minor = 2 },
	};
	struct device_dir dir = {
		.dev = devs, .n = 3, .live = true, .sys = *state, .proc = *state
	};
	char names[STACK_MEMBERS], at[128], line[512];
	u32 found[4];

	put_disk(*state, "nvme0n1", "259:0", "write back\n");
	put_disk(*state, "nvme1n1", "259:2", "write back\n");
	put_disk(*state, "dm-0", "253:0", "write back\n");
	put_disk(*state, "md0", "9:0", "write back\n");
	put_disk(*state, "sda", "8:0", "write back\n");
	put_above(*state, "md0", "nvme0n1", NULL);
	put_above(*state, "md0", "nvme1n1", NULL);
	put_above(*state, "dm-0", "md0", NULL);
	scratch_put(*state, "class/block/md0", "dev", "9:0\n");
	scratch_put(*state, "devices/block/md0/md0p1", "partition", "1\n");
	link_to(*state, "dev/block/259:9", "../../devices/block/md0/md0p1");
	assert_int_equal(above_find(&dir, "md0", found, 4, names), 2);
	assert_string_equal(names, "nvme0n1 nvme1n1");
	assert_int_equal(found[0], 0);
	assert_int_equal(found[1], 2);
	assert_int_equal(above_find(&dir, "253:0", found, 4, names), 2);
	assert_int_equal(above_find(&dir, "259:9", found, 4, names), 2);
	assert_int_equal(above_find(&dir, "8:0", found, 4, names), 0);
	assert_int_equal(above_find(&dir, "md7", found, 4, names), 0);
	assert_int_equal(above_find(&dir, "md0", found, 1, names),
			 2); /* more than there is room for */
	scratch_put(*state, "my data", NULL, NULL);
	snprintf(at, sizeof(at), "%s/my data", (const char *)*state);
	assert_int_equal(above_find(&dir, at, found, 4, names), 0);
	snprintf(line, sizeof(line),
		 "26 1 253:0 / %s/my\\040data rw - ext4 /dev/mapper/x rw\n"
		 "27 1 259:1 / %s/my\\040data rw shared:1 - xfs /dev/nvme0n1p1 rw\n",
		 (const char *)*state, (const char *)*state);
	scratch_put(*state, "self", "mountinfo", line);
	assert_int_equal(above_find(&dir, at, found, 4, names), 1); /* mounted last */
	assert_int_equal(found[0], 1);
	assert_string_equal(names, "nvme0n1p1");
	*strchr(line, '\n') = '\0';
	scratch_put(*state, "self", "mountinfo", line);
	assert_int_equal(above_find(&dir, at, found, 4, names), 2);
}

/* Writes what the kernel tells of a mount at ROOT/mnt. */
static void put_mount(const char *root, const char *number, const char *tail)
{
	char line[512];

	snprintf(line, sizeof(line), "26 1 %s / %s/mnt rw - %s\n", number, root, tail);
	scratch_put(root, "self", "mountinfo", line);
}

/* Mounts a btrfs by a link to nvme0n1p2. The link's name has a blank, which the kernel escapes. */
static void put_escaped(const char *root)
{
	char disk[128], source[128];

	scratch_put(root, "dev", "nvme0n1p2", "");
	snprintf(disk, sizeof(disk), "%s/dev/nvme0n1p2", root);
	snprintf(source, sizeof(source), "%s/my disk", root);
	assert_int_equal(symlink(disk, source), 0);
	snprintf(source, sizeof(source), "btrfs %s/my\\040disk rw", root);
	put_mount(root, "0:42", source);
}

/* A mount point stands for all devices of its file system: of btrfs, bcachefs, and XFS with a log of its own. */
TEST_WITH(file_systems, setup, scratch_teardown)
{
	struct device devs[] = {
		{ .name = "nvme0n1", .nsid = 1, .lba = { 0, ~0ULL }, .major = 259 },
		{ .name = "nvme0n1p2", .nsid = 1, .lba = { 8, 15 }, .major = 259, .minor = 1 },
		{ .name = "nvme1n1",
		  .ctrl_id = 1,
		  .nsid = 1,
		  .lba = { 0, ~0ULL },
		  .major = 259,
		  .minor = 2 },
	};
	struct device_dir dir = {
		.dev = devs, .n = 3, .live = true, .sys = *state, .proc = *state
	};
	static const char *const xfs[] = {
		"xfs /nowhere/nvme0n1p2 rw,logdev=/nowhere/nvme1n1,noquota",
		"xfs /nowhere/nvme0n1p2 rw,rtdev=/nowhere/dm-0",
		"xfs /nowhere/nvme0n1p2 rw,logdev=/nowhere/nvme1n1,rtdev=/nowhere/dm-0",
	};
	char names[STACK_MEMBERS], at[128];
	u32 found[4];

	put_disk(*state, "nvme1n1", "259:2", "write back\n");
	put_disk(*state, "dm-0", "253:0", "write back\n");
	put_above(*state, "dm-0", "nvme1n1", NULL);
	scratch_put(*state, "class/block/nvme0n1p2", "dev", "259:1\n");
	scratch_put(*state, "class/block/nvme1n1", "dev", "259:2\n");
	scratch_put(*state, "class/block/dm-0", "dev", "253:0\n");
	scratch_put(*state, "fs/btrfs/features", NULL, NULL);
	scratch_put(*state, "fs/btrfs/0000-1/devices", "sda", "");
	scratch_put(*state, "fs/btrfs/0000-2/devices", "nvme0n1p2", "");
	scratch_put(*state, "fs/btrfs/0000-2/devices", "dm-0", "");
	scratch_put(*state, "mnt", NULL, NULL);
	snprintf(at, sizeof(at), "%s/mnt", (const char *)*state);

	put_mount(*state, "0:42", "btrfs /nowhere/nvme0n1p2 rw,subvol=/");
	assert_int_equal(above_find(&dir, at, found, 4, names), 2);
	assert_string_equal(names, "nvme0n1p2 nvme1n1");
	assert_int_equal(found[0], 1);
	assert_int_equal(found[1], 2);
	put_mount(*state, "0:42", "btrfs /nowhere/nvme1n1 rw,subvol=/");
	assert_int_equal(above_find(&dir, at, found, 4, names), 1);
	assert_string_equal(names, "nvme1n1");
	put_escaped(*state);
	assert_int_equal(above_find(&dir, at, found, 4, names), 2);
	assert_string_equal(names, "nvme0n1p2 nvme1n1");
	put_mount(*state, "259:2", "bcachefs /nowhere/nvme1n1:/nowhere/nvme0n1p2 rw");
	assert_int_equal(above_find(&dir, at, found, 4, names), 2);
	assert_string_equal(names, "nvme1n1 nvme0n1p2");
	for (u32 i = 0; i < ARRAY_SIZE(xfs); i++) {
		put_mount(*state, "259:1", xfs[i]);
		assert_int_equal(above_find(&dir, at, found, 4, names), 2);
		assert_string_equal(names, "nvme0n1p2 nvme1n1");
	}
	put_mount(*state, "259:1", "ext4 /nowhere/nvme0n1p2 rw");
	assert_int_equal(above_find(&dir, at, found, 4, names), 1);
	put_mount(*state, "0:42", "tmpfs tmpfs rw");
	assert_int_equal(above_find(&dir, at, found, 4, names), 0);
}
