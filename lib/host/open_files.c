// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/host/open_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/stat.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/base/array.h"
#include "lib/base/str.h"
#include "lib/host/mounts.h"

#define FILES_MAX 16384

struct open_file {
	u64 ino;
	u32 dev, pid; /* pid: whose files were looked through the last time */
	char *path; /* NULL: not found */
};

static struct open_file *find(const struct open_files *f, u32 dev, u64 ino, u32 *at)
{
	const u64 key[] = { dev, ino };
	u32 i;

	*at = hash_first(&f->index, hash_words(&f->index.key, key, ARRAY_SIZE(key)));
	for (; hash_number(&f->index, *at, &i); *at = hash_next(&f->index, *at)) {
		if (f->file[i].dev == dev && f->file[i].ino == ino)
			return &f->file[i];
	}
	return NULL;
}

/* Returns the entry of a file, a new one if there is none yet; NULL: no room. */
static struct open_file *entry_of(struct open_files *f, u32 dev, u64 ino)
{
	struct open_file *file;
	u32 at;

	if (!f->index.slot && hash_open(&f->index, FILES_MAX))
		return NULL;
	file = find(f, dev, ino, &at);
	if (file || f->n == FILES_MAX)
		return file;
	file = array_add((void **)&f->file, &f->n, &f->room, sizeof(*file));
	if (!file)
		return NULL;
	*file = (struct open_file){ .ino = ino, .dev = dev };
	hash_put(&f->index, at, f->n - 1);
	return file;
}

static bool is_file(int dir, const char *name, const struct open_file *file)
{
	struct statx st;

	return !syscall(SYS_statx, dir, name, AT_NO_AUTOMOUNT | AT_STATX_DONT_SYNC, STATX_INO,
			&st) &&
	       st.stx_ino == file->ino && st.stx_dev_major == file->dev >> 20 &&
	       st.stx_dev_minor == (file->dev & 0xfffff);
}

/* The target of a link, a new string; NULL: none. */
static char *target_of(int dir, const char *name)
{
	char path[PATH_MAX];
	ssize_t n = readlinkat(dir, name, path, sizeof(path) - 1);

	if (n <= 0)
		return NULL;
	path[n] = '\0';
	return strdup(path);
}

void open_files_learn(struct open_files *f, const struct file_id *id)
{
	struct open_file *file = entry_of(f, id->ino_dev, id->ino);
	const struct dirent *entry;
	char path[64];
	DIR *dir;

	if (!file || file->path || file->pid == id->pid)
		return;
	file->pid = id->pid;
	snprintf(path, sizeof(path), "/proc/%u/fd", id->pid);
	dir = opendir(path);
	while (dir && !file->path && (entry = readdir(dir))) {
		if (entry->d_name[0] != '.' && is_file(dirfd(dir), entry->d_name, file))
			file->path = target_of(dirfd(dir), entry->d_name);
	}
	if (dir)
		closedir(dir);
}

static char *block_device(u32 dev)
{
	char link[64], target[PATH_MAX], path[PATH_MAX];
	ssize_t n;

	snprintf(link, sizeof(link), "/sys/dev/block/%u:%u", dev >> 20, dev & 0xfffff);
	n = readlink(link, target, sizeof(target) - 1);
	if (n <= 0)
		return NULL;
	target[n] = '\0';
	if (!strrchr(target, '/'))
		return NULL;
	snprintf(path, sizeof(path), "/dev%s", strrchr(target, '/'));
	return strdup(path);
}

const char *open_files_path(struct open_files *f, u32 dev, u64 ino)
{
	struct open_file *file = dev ? entry_of(f, dev, ino) : NULL;

	if (file && !ino && !file->path)
		file->path = block_device(dev);
	return file ? file->path : NULL;
}

void open_files_mount(u32 dev, char *buf, size_t size)
{
	mounts_point("/proc", dev >> 20, dev & 0xfffff, buf, size);
}

void open_files_free(struct open_files *f)
{
	for (u32 i = 0; i < f->n; i++)
		free(f->file[i].path);
	free(f->file);
	hash_close(&f->index);
}
