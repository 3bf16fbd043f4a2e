// SPDX-License-Identifier: GPL-2.0-or-later
/* Replaces a file as a whole. */
#include "cmd/metrics/metrics_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/base/str.h"

#define MODE 0644

static int cannot(const struct metrics_file *f, int err)
{
	return fail(err, NULL,
		    err == -EACCES ? "use a directory of the user that runs nvmetool"
				   : "free space or choose another file",
		    "cannot write '%s'", f->path);
}

/* Only a regular file, or a link, is replaced: a device or a pipe would be one no more. */
static int check_old(const struct metrics_file *f)
{
	struct stat st;

	if (fstatat(f->dir_fd, f->name, &st, AT_SYMLINK_NOFOLLOW) || S_ISREG(st.st_mode) ||
	    S_ISLNK(st.st_mode))
		return 0;
	return fail(EXIT_AS(EXIT_USAGE), "it is no regular file, and would be replaced by one",
		    "name another file", "cannot write '%s'", f->path);
}

int metrics_file_open(struct metrics_file *f, const char *path)
{
	const char *slash = strrchr(path, '/');
	char *dir = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	size_t size;

	*f = (struct metrics_file){ .path = path, .name = slash ? slash + 1 : path, .dir_fd = -1 };
	size = strlen(f->name) + sizeof(".new");
	f->aside = malloc(size + 1);
	if (!dir || !f->aside) {
		free(dir);
		return fail(-ENOMEM, NULL, NULL, "cannot write '%s'", path);
	}
	snprintf(f->aside, size + 1, ".%s.new", f->name);
	f->dir_fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	free(dir);
	if (f->dir_fd < 0)
		return fail(-errno, NULL, "name a directory that exists", "cannot write '%s'",
			    path);
	return check_old(f);
}

static int write_all(int fd, const char *data, size_t size)
{
	while (size) {
		ssize_t n = write(fd, data, size);

		if (n < 0 && errno != EINTR)
			return -errno;
		data += n > 0 ? n : 0;
		size -= n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/* Writes the new file. 0 or -errno. */
static int write_aside(const struct metrics_file *f, const char *data, size_t size)
{
	int fd, err;

	unlinkat(f->dir_fd, f->aside, 0); /* of a run that was killed */
	fd = openat(f->dir_fd, f->aside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		    MODE);
	if (fd < 0)
		return -errno;
	err = fchmod(fd, MODE) ? -errno : write_all(fd, data, size); /* whatever the umask is */
	if (close(fd) && !err)
		err = -errno;
	return err;
}

int metrics_file_write(struct metrics_file *f, const char *data, size_t size)
{
	int err = write_aside(f, data, size);

	if (!err && renameat(f->dir_fd, f->aside, f->dir_fd, f->name))
		err = -errno;
	if (!err)
		return 0;
	unlinkat(f->dir_fd, f->aside, 0);
	return cannot(f, err);
}

void metrics_file_close(struct metrics_file *f)
{
	if (f->dir_fd >= 0)
		close(f->dir_fd);
	free(f->aside);
	f->aside = NULL;
	f->dir_fd = -1;
}
