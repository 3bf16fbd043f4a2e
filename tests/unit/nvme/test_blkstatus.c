// SPDX-License-Identifier: GPL-2.0-or-later
/* lib/blkstatus: the numbers moved twice, the names and errnos did not. */
#include <errno.h>

#include "lib/nvme/blkstatus.h"
#include "tests/unit/test.h"

static void check(enum blkstatus_form form, u8 error, const char *name, const char *errno_name,
		  u32 nr)
{
	const struct blkstatus *status = blkstatus_find(form, error);

	assert_non_null(status);
	assert_string_equal(status->name, name);
	assert_string_equal(status->errno_name, errno_name);
	assert_int_equal(status->errno_nr, nr);
}

TEST(forms)
{
	check(BLKSTATUS_ERRNO, ENODATA, "BLK_STS_MEDIUM", "ENODATA", ENODATA);
	check(BLKSTATUS_OLD, 7, "BLK_STS_MEDIUM", "ENODATA", ENODATA);
	check(BLKSTATUS_6_10, 7, "BLK_STS_MEDIUM", "ENODATA", ENODATA);
	check(BLKSTATUS_OLD, 16, "BLK_STS_ZONE_ACTIVE_RESOURCE", "EOVERFLOW", EOVERFLOW);
	check(BLKSTATUS_6_10, 16, "BLK_STS_OFFLINE", "ENODEV", ENODEV);
	check(BLKSTATUS_6_10, 19, "BLK_STS_INVAL", "EINVAL", EINVAL);
	check(BLKSTATUS_OLD, 0, "BLK_STS_OK", "0", 0);
}

TEST(unknown)
{
	assert_null(blkstatus_find(BLKSTATUS_OLD, 14));
	assert_null(blkstatus_find(BLKSTATUS_OLD, 0xff));
	assert_null(blkstatus_find(BLKSTATUS_6_10, 18));
	assert_null(blkstatus_find(BLKSTATUS_ERRNO, EPERM));
}
