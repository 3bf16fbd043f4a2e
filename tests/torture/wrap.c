// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Functions that can fail, each in front of the real one (ld --wrap). WRAP() says how: what it
 * returns and the errno it leaves. Those that release something do so all the same, as close()
 * does.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sanitizer/common_interface_defs.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <zlib.h>

#include "tests/torture/torture.h"

struct torture torture;

/* True when this call, of @name, shall fail. */
static bool fails(const char *name)
{
	if (!torture.armed)
		return false;
	torture.calls++;
	if (!torture.fail_at || torture.calls < torture.fail_at ||
	    (torture.calls > torture.fail_at && !torture.lasting))
		return false;
	if (!torture.failed && torture.trace)
		__sanitizer_print_stack_trace();
	if (!torture.failed)
		torture.failed = name;
	return true;
}

/* clang-format off */
#define WRAP(type, name, params, args, result, error)	\
	type __real_##name params;			\
	type __wrap_##name params;			\
	type __wrap_##name params			\
	{						\
		if (fails(#name)) {			\
			errno = error;			\
			return result;			\
		}					\
		return __real_##name args;		\
	}

/* Does its work before it fails. */
#define WRAP_LATE(type, name, params, args, result, error)	\
	type __real_##name params;				\
	type __wrap_##name params;				\
	type __wrap_##name params				\
	{							\
		type done = __real_##name args;			\
		if (!fails(#name))				\
			return done;				\
		errno = error;					\
		return result;					\
	}

WRAP(void *, malloc, (size_t n), (n), NULL, ENOMEM)
WRAP(void *, calloc, (size_t n, size_t size), (n, size), NULL, ENOMEM)
WRAP(void *, realloc, (void *p, size_t n), (p, n), NULL, ENOMEM)
WRAP(char *, strdup, (const char *s), (s), NULL, ENOMEM)
WRAP(char *, strndup, (const char *s, size_t n), (s, n), NULL, ENOMEM)
WRAP(FILE *, open_memstream, (char **p, size_t *n), (p, n), NULL, ENOMEM)
WRAP(void *, tsearch, (const void *key, void **root, int (*cmp)(const void *, const void *)), (key, root, cmp), NULL, ENOMEM)
WRAP(int, inflateInit_, (z_stream *z, const char *version, int size), (z, version, size), Z_MEM_ERROR, ENOMEM)
WRAP(int, deflateInit_, (z_stream *z, int level, const char *version, int size), (z, level, version, size), Z_MEM_ERROR, ENOMEM)
WRAP(int, open, (const char *path, int flags, mode_t mode), (path, flags, mode), -1, EMFILE)
WRAP(int, fcntl, (int fd, int op, long arg), (fd, op, arg), -1, EMFILE)
WRAP(FILE *, fopen, (const char *path, const char *mode), (path, mode), NULL, EMFILE)
WRAP(DIR *, opendir, (const char *path), (path), NULL, EMFILE)
WRAP(int, fstat, (int fd, struct stat *st), (fd, st), -1, EIO)
WRAP(int, ftruncate, (int fd, off_t size), (fd, size), -1, EIO)
WRAP(int, fchmod, (int fd, mode_t mode), (fd, mode), -1, EPERM)
WRAP(int, signalfd, (int fd, const sigset_t *set, int flags), (fd, set, flags), -1, EMFILE)
WRAP(ssize_t, read, (int fd, void *to, size_t n), (fd, to, n), -1, EIO)
WRAP(int, uname, (struct utsname *system), (system), -1, EFAULT)
WRAP_LATE(int, fflush, (FILE *f), (f), EOF, ENOSPC)
WRAP_LATE(int, fclose, (FILE *f), (f), EOF, EIO)
WRAP_LATE(int, close, (int fd), (fd), -1, EIO)
/* clang-format on */

ssize_t __real_write(int fd, const void *from, size_t n);
ssize_t __wrap_write(int fd, const void *from, size_t n);

/* There is nowhere to tell that standard error cannot be written. */
ssize_t __wrap_write(int fd, const void *from, size_t n)
{
	if (fd == STDERR_FILENO || !fails("write"))
		return __real_write(fd, from, n);
	errno = ENOSPC;
	return -1;
}
