// SPDX-License-Identifier: GPL-2.0-or-later
/* Catches what the code under test writes to standard error. */
#ifndef NVT_TEST_STDERR_H
#define NVT_TEST_STDERR_H

#include <stddef.h>

/* From here on standard error goes to memory; to be undone by stderr_end(). */
struct stderr_capture {
	int saved, memory;
};
struct stderr_capture stderr_begin(void);

/* Undoes it; @text (size bytes) gets what was written, NUL-terminated. */
void stderr_end(struct stderr_capture *c, char *text, size_t size);

#endif
