// SPDX-License-Identifier: GPL-2.0-or-later
/* lib/sink: a file that another took the place of between the look at it and its opening. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "lib/base/str.h"
#include "lib/out/sink.h"
#include "tests/unit/scratch.h"
#include "tests/unit/stderr.h"
#include "tests/unit/test.h"

#define LOOP_MAJOR 7

/* Opens ROOT/NAME for output; what is said. */
static int open_at(const char *root, const char *name, char *said, size_t size)
{
	char path[256];
	struct stderr_capture c = stderr_begin();
	struct sink s;
	int err;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	err = sink_open(&s, path, false);
	stderr_end(&c, said, size);
	if (!err)
		sink_close(&s);
	return err;
}

TEST(block_device)
{
	char *root = scratch_make(), path[256], said[400];
	int fd, err;

	snprintf(path, sizeof(path), "%s/disk", root);
	fd = mknod(path, S_IFBLK | 0600, makedev(LOOP_MAJOR, 0)) ? -1 : open(path, O_WRONLY);
	err = open_at(root, "disk", said, sizeof(said));
	close(fd);
	assert_int_equal(scratch_remove(root), 0);
	if (fd < 0)
		skip(); /* there are no loop devices, or we are not root */
	assert_int_equal(err, -EPERM);
	assert_non_null(strstr(said, "it is a block device; name a regular file"));
}

/* A file that is there and ours is written to, one that is not there is made. */
TEST(ours)
{
	char *root = scratch_make(), said[400];

	scratch_put(root, ".", "old", "old");
	assert_int_equal(open_at(root, "old", said, sizeof(said)), 0);
	assert_int_equal(open_at(root, "new", said, sizeof(said)), 0);
	assert_int_equal(open_at(root, "none/new", said, sizeof(said)), -ENOENT);
	assert_int_equal(scratch_remove(root), 0);
}
