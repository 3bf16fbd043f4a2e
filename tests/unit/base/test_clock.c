// SPDX-License-Identifier: GPL-2.0-or-later
/* lib/base/clock: the host's clock, from within a time namespace. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "tests/unit/scratch.h"
#include "tests/unit/test.h"

/* How far clock_ns() is behind clock_gettime(), in seconds. */
static long long behind(void)
{
	struct timespec t;
	u64 ns;

	clock_gettime(CLOCK_MONOTONIC, &t);
	ns = (u64)t.tv_sec * NSEC_PER_SEC + (u64)t.tv_nsec - clock_ns(CLOCK_MONOTONIC);
	return (long long)((s64)ns / (s64)NSEC_PER_SEC);
}

/* Makes @root that of a process in namespace @own, with children in @theirs. */
static void put_links(const char *root, const char *own, const char *theirs)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/ns/time", root);
	unlink(path);
	assert_int_equal(symlink(own, path), 0);
	snprintf(path, sizeof(path), "%s/ns/time_for_children", root);
	unlink(path);
	assert_int_equal(symlink(theirs, path), 0);
}

TEST(offsets)
{
	char *root = scratch_make();

	assert_int_equal(clock_open(root), 0); /* a kernel without time namespaces */
	assert_in_range(behind() + 1, 0, 2);
	scratch_put(root, "ns", NULL, NULL);
	scratch_put(root, ".", "timens_offsets", "monotonic   3600   5\nboottime  86400  0\n");
	put_links(root, "time:[1]", "time:[2]");
	assert_int_equal(clock_open(root), 0); /* they are of the children */
	assert_in_range(behind() + 1, 0, 2);
	put_links(root, "time:[2]", "time:[2]");
	assert_int_equal(clock_open(root), 0);
	assert_in_range(behind(), 3599, 3601);
	scratch_put(root, ".", "timens_offsets", "monotonic   -60   999999999\nboottime  0  0\n");
	assert_int_equal(clock_open(root), 0);
	assert_in_range(behind() + 100, 40, 42); /* a minute behind the host */
	assert_int_equal(scratch_remove(root), 0);
}
