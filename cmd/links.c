// SPDX-License-Identifier: GPL-2.0-or-later
/* Makes links `nvmetool-NAME` in a directory of the user's choice, and recognizes a call by one. */
#include "cmd/links.h"

#include <limits.h>
#include <unistd.h>

#include "cmd/commands.h"
#include "lib/base/err.h"
#include "lib/base/str.h"

#define PREFIX "nvmetool-"

const char *links_command(const char *argv0)
{
	const char *slash = strrchr(argv0, '/');
	const char *base = slash ? slash + 1 : argv0;

	return has_prefix(base, PREFIX) ? base + strlen(PREFIX) : NULL;
}

static int link_one(const char *target, const char *dir, const char *name)
{
	char path[PATH_MAX], there[PATH_MAX];
	int len = snprintf(path, sizeof(path), "%s/" PREFIX "%s", dir, name);

	if (len < 0 || (size_t)len >= sizeof(path))
		return fail(-ENAMETOOLONG, NULL, NULL, "%s", dir);
	if (!symlink(target, path))
		return 0;
	int err = -errno;
	ssize_t n = err == -EEXIST ? readlink(path, there, sizeof(there) - 1) : -1;
	if (n >= 0) {
		there[n] = '\0';
		if (streq(there, target))
			return 0;
	}
	return fail(err, NULL,
		    err == -EEXIST ? "remove it first, or choose another directory" : NULL, "%s",
		    path);
}

int links_install(const char *dir)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	int err = 0;

	if (n < 0)
		return fail(-errno, NULL, "mount -t proc proc /proc", "/proc/self/exe");
	self[n] = '\0';
	for (u32 i = 0; commands[i] && !err; i++)
		err = link_one(self, dir, commands[i]->name);
	return err;
}
