// SPDX-License-Identifier: GPL-2.0-or-later
/* Directories for one test. */
#include "tests/unit/scratch.h"

#include <bpf/btf.h>
#include <errno.h>
#include <ftw.h>
#include <sys/stat.h>

#include "lib/base/str.h"
#include "lib/btf/btf_types.h"

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

int scratch_setup(void **state)
{
	*state = scratch_make();
	return 0;
}

int scratch_teardown(void **state)
{
	return scratch_remove(*state);
}

char *scratch_read(const char *path, size_t *size)
{
	FILE *f = fopen(path, "r");
	char *text;
	size_t n;

	check(f && !fseek(f, 0, SEEK_END), path);
	n = (size_t)ftell(f);
	rewind(f);
	text = calloc(1, n + 1);
	check(text && fread(text, 1, n, f) == n, path);
	fclose(f);
	if (size)
		*size = n;
	return text;
}

void scratch_put(const char *root, const char *dir, const char *name, const char *text)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s/", root, dir);
	for (char *slash = path + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		check(mkdir(path, 0755) == 0 || errno == EEXIST, path);
		*slash = '/';
	}
	if (!name)
		return;
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	scratch_put_bytes(root, path, text, strlen(text));
}

void scratch_put_bytes(const char *root, const char *name, const void *data, size_t n)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	f = fopen(path, "w");
	check(f && fwrite(data, 1, n, f) == n && fclose(f) == 0, path);
}

void scratch_put_btf(const char *root, const char *name, const struct btf *btf)
{
	u32 size;
	const void *data = btf__raw_data(btf, &size);

	scratch_put_bytes(root, name, data, size);
}

int scratch_read_types(const char *root, const char *name, struct btf_types *types,
		       const struct btf_types *base)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	return btf_types_read(types, path, base);
}
