// SPDX-License-Identifier: GPL-2.0-or-later
/* Opens the files of recordings, and refuses those that must not be written or read. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/out/sink.h"
#include "lib/record/file.h"

int record_file_create(struct sink *s, const char *file)
{
	if (streq(file, "-") && isatty(STDOUT_FILENO))
		return fail_usage("a recording is binary", "redirect it, or give a file with -w",
				  "cannot write to the terminal");
	return sink_open(s, file, true);
}

static const char *not_regular(mode_t mode)
{
	if (S_ISDIR(mode))
		return "it is a directory";
	if (S_ISFIFO(mode))
		return "it is a pipe";
	return "it is not a regular file";
}

int record_file_open(const char *file)
{
	const char *remedy = "use '-i -' to read a stream";
	struct stat st;
	int fd, err;

	if (streq(file, "-"))
		fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	else
		fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return fail(EXIT_AS(EXIT_NOTHING), strerror(errno), NULL, "cannot read '%s'", file);
	if (streq(file, "-") || (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)))
		return fd;
	if (S_ISDIR(st.st_mode))
		remedy = "name a file written by 'nvmetool record'";
	err = fail(EXIT_AS(EXIT_NOTHING), not_regular(st.st_mode), remedy, "cannot read '%s'",
		   file);
	close(fd);
	return err;
}
