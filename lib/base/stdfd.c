// SPDX-License-Identifier: GPL-2.0-or-later
/* Makes sure that descriptors 0, 1 and 2 are taken. */
#include "lib/base/stdfd.h"

#include <fcntl.h>
#include <unistd.h>

#include "lib/base/err.h"

int stdfd_open(void)
{
	bool stdout_closed = fcntl(STDOUT_FILENO, F_GETFD) < 0;

	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) != fd)
			return fail(-errno, NULL, NULL, "/dev/null");
	if (stdout_closed)
		return fail(EXIT_AS(EXIT_RUNTIME), "nothing can be printed", "redirect it: >FILE",
			    "standard output is closed");
	return 0;
}
