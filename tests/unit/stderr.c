// SPDX-License-Identifier: GPL-2.0-or-later
/* Redirects descriptor 2 to a memory file. */
#include "tests/unit/stderr.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static int checked(int result, const char *what)
{
	if (result < 0) {
		perror(what);
		abort();
	}
	return result;
}

struct stderr_capture stderr_begin(void)
{
	struct stderr_capture c;

	c.saved = checked(dup(STDERR_FILENO), "dup");
	c.memory = checked(memfd_create("stderr", MFD_CLOEXEC), "memfd_create");
	checked(dup2(c.memory, STDERR_FILENO), "dup2");
	return c;
}

void stderr_end(struct stderr_capture *c, char *text, size_t size)
{
	checked(dup2(c->saved, STDERR_FILENO), "dup2");
	ssize_t n = pread(c->memory, text, size - 1, 0);
	text[checked((int)n, "pread")] = '\0';
	close(c->saved);
	close(c->memory);
}
