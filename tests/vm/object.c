// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads a BPF object made by a test. */
#include "tests/vm/object.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int object_read(const char *file, void **object, size_t *size)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	struct stat st;
	ssize_t got;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st)) {
		close(fd);
		return -EIO;
	}
	*size = (size_t)st.st_size;
	*object = malloc(*size);
	got = *object ? read(fd, *object, *size) : -1;
	close(fd);
	return got == st.st_size ? 0 : -EIO;
}
