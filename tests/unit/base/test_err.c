// SPDX-License-Identifier: GPL-2.0-or-later
/* lib/base/err: texts of errors, those included that the kernel should have kept to itself. */
#include <stdlib.h>
#include <string.h>

#include "lib/base/err.h"
#include "tests/unit/test.h"

TEST(text)
{
	assert_string_equal(err_text(-EPERM), strerror(EPERM));
	assert_string_equal(err_text(ENOENT), strerror(ENOENT));
	/* libc has no text for these: "Unknown error 511" */
	assert_non_null(strstr(err_text(511), "511"));
	assert_non_null(strstr(err_text(532), "532"));
	assert_string_equal(err_text(-524), "the kernel does not support the operation (ENOTSUPP)");
	for (int err = 512; err <= 531; err++) {
		if (err != 520) /* no such number */
			assert_non_null(strstr(err_text(err), " (E"));
	}
}

TEST(exit_statuses)
{
	assert_int_equal(err_exit_status(0), EXIT_OK);
	assert_int_equal(err_exit_status(-ENOSPC), EXIT_RUNTIME);
	assert_int_equal(err_exit_status(EXIT_AS(EXIT_SECOND_SIGINT)), EXIT_SECOND_SIGINT);
	assert_int_equal(err_exit_status(EXIT_MISSING), EXIT_USAGE);
	assert_int_not_equal(EXIT_MISSING, EXIT_AS(EXIT_USAGE));
}
