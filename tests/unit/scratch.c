// SPDX-License-Identifier: GPL-2.0-or-later
/* Directories for one test. */
#include "tests/unit/scratch.h"

#include <errno.h>
#include <ftw.h>
#include <sys/stat.h>

#include "lib/str.h"

static void check(bool ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	abort();
}

char *scratch_make(void)
{
	char *root = strdup("/tmp/nvmetool_test.XXXXXX");

	check(root && mkdtemp(root), "mkdtemp");
	return root;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

int scratch_remove(char *root)
{
	int err = nftw(root, remove_entry, 16, FTW_DEPTH | FTW_PHYS);

	free(root);
	return err;
}

void scratch_put(const char *root, const char *dir, const char *name, const char *text)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s/", root, dir);
	for (char *slash = path + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		check(mkdir(path, 0755) == 0 || errno == EEXIST, path);
		*slash = '/';
	}
	if (!name)
		return;
	snprintf(path, sizeof(path), "%s/%s/%s", root, dir, name);
	f = fopen(path, "w");
	check(f && fputs(text, f) >= 0 && fclose(f) == 0, path);
}
