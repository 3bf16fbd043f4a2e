// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/host/open_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "lib/base/array.h"
#include "lib/base/str.h"
#include "lib/host/mounts.h"

#define FILES_MAX 16384
#define DELETED	  " (deleted)" /* as the kernel writes it */
#define WAITS_MAX 6 /* see miss() */

struct open_file {
	struct file_id id;
	u32 pid; /* that had I/O on it last; 0: not known */
	u32 looked; /* the round of the last look, plus 1 */
	u32 scan; /* the round from which on open files are looked through again */
	u32 misses; /* how often that found nothing since it last did */
	bool deleted; /* nothing changes any more */
	char *path, *before; /* NULL: not found; the one before that */
};

/* Handles of files, include/linux/exportfs.h: FILEID_INO32_GEN, FILEID_INO64_GEN. */
enum { HANDLE_32 = 1, HANDLE_64 = 0x81 };

struct handle {
	struct file_handle head;
	u32 word[MAX_HANDLE_SZ / sizeof(u32)];
};

static u64 hash_of(const struct open_files *f, const struct file_id *id)
{
	const u64 key[] = { id->ino, (u64)id->ino_dev << 32 | id->ino_gen };

	return hash_words(&f->index.key, key, ARRAY_SIZE(key));
}

/* Returns the entry of a file, a new one if there is none yet; NULL: no room. */
static struct open_file *entry_of(struct open_files *f, const struct file_id *id)
{
	struct open_file *file;
	u32 at, i;

	if (!f->index.slot && hash_open(&f->index, FILES_MAX))
		return NULL;
	for (at = hash_first(&f->index, hash_of(f, id)); hash_number(&f->index, at, &i);
	     at = hash_next(&f->index, at)) {
		if (file_same(&f->file[i].id, id))
			return &f->file[i];
	}
	if (f->n == FILES_MAX)
		return NULL;
	file = array_add((void **)&f->file, &f->n, &f->room, sizeof(*file));
	if (!file)
		return NULL;
	file->id = *id;
	hash_put(&f->index, at, f->n - 1);
	return file;
}

/* Whether a file system has the number @dev. */
static bool is_of(const struct statx *st, u32 dev)
{
	return st->stx_dev_major == dev >> 20 && st->stx_dev_minor == (dev & 0xfffff);
}

static bool look_at(int dir, const char *name, int flags, struct statx *st)
{
	flags |= AT_NO_AUTOMOUNT | AT_STATX_DONT_SYNC;
	return !syscall(SYS_statx, dir, name, flags, STATX_INO, st);
}

/* Whether a file has the number of @id; it may be a later one. */
static bool has_number(int dir, const char *name, int flags, const struct file_id *id)
{
	struct statx st;

	return look_at(dir, name, flags, &st) && st.stx_ino == id->ino && is_of(&st, id->ino_dev);
}

/* Whether the file at @fd, which has the number of @id, has the generation, too. */
static bool has_generation(int fd, const struct file_id *id)
{
	struct handle h = { .head.handle_bytes = sizeof(h.word) };
	int mount;

	if (name_to_handle_at(fd, "", &h.head, &mount, AT_EMPTY_PATH))
		return false;
	if (h.head.handle_type == HANDLE_32 && h.head.handle_bytes == 2 * sizeof(u32))
		return h.word[1] == id->ino_gen;
	return h.head.handle_type == HANDLE_64 && h.head.handle_bytes == 3 * sizeof(u32) &&
	       h.word[2] == id->ino_gen;
}

/* The path of what is open at @fd, a new string; NULL: none. */
static char *path_at(int fd)
{
	char link[64], path[PATH_MAX];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	if (n <= 0)
		return NULL;
	path[n] = '\0';
	return strdup(path);
}

/* The path of descriptor @name of a process, if it is of @id; NULL: it is not. Nothing is opened. */
static char *path_of_open(int dir, const char *name, const struct file_id *id)
{
	char *path = NULL;
	int fd;

	if (!has_number(dir, name, 0, id))
		return NULL;
	fd = openat(dir, name, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	if (has_number(fd, "", AT_EMPTY_PATH, id) && has_generation(fd, id))
		path = path_at(fd);
	close(fd);
	return path;
}

/* The path of @id among the files that the process has open; NULL: it does not have it, or hides them. */
static char *path_of_process(u32 pid, const struct file_id *id)
{
	const struct dirent *entry;
	char list[64], *path = NULL;
	DIR *dir;

	snprintf(list, sizeof(list), "/proc/%u/fd", pid);
	dir = opendir(list);
	while (dir && !path && (entry = readdir(dir))) {
		if (entry->d_name[0] != '.')
			path = path_of_open(dirfd(dir), entry->d_name, id);
	}
	if (dir)
		closedir(dir);
	return path;
}

/*
 * Opens the root of the file system, for handles; negative: it is not mounted here as a whole. Of FAT
 * a handle is worth nothing once the kernel has forgotten the file.
 */
static int open_mount(struct open_files *f, u32 dev)
{
	struct statfs fs;
	struct statx st;
	int fd;

	if (f->mount.dev != dev || f->mount.round != f->round + 1) {
		f->mount.whole = mounts_point("/proc", dev >> 20, dev & 0xfffff, f->mount.path,
					      sizeof(f->mount.path));
		f->mount.dev = dev;
		f->mount.round = f->round + 1;
	}
	if (!f->mount.whole)
		return -1;
	fd = open(f->mount.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return fd;
	if (look_at(fd, "", AT_EMPTY_PATH, &st) && is_of(&st, dev) && !fstatfs(fd, &fs) &&
	    fs.f_type != MSDOS_SUPER_MAGIC)
		return fd;
	close(fd);
	return -1;
}

/* Opens the file itself as a place in the tree; -ESTALE: it is deleted; other negative: nobody tells. */
static int open_by_id(struct open_files *f, const struct file_id *id)
{
	bool is_32 = id->ino <= ~0U;
	struct handle h = { .head = { .handle_bytes = (is_32 ? 2 : 3) * sizeof(u32),
				      .handle_type = is_32 ? HANDLE_32 : HANDLE_64 },
			    .word = { (u32)id->ino, is_32 ? id->ino_gen : (u32)(id->ino >> 32),
				      is_32 ? 0 : id->ino_gen } };
	int mount = open_mount(f, id->ino_dev), fd, err;

	if (mount < 0)
		return -ENODEV;
	fd = open_by_handle_at(mount, &h.head, O_PATH | O_CLOEXEC);
	err = -errno;
	close(mount);
	return fd < 0 ? err : fd;
}

static bool ends_deleted(const char *path)
{
	size_t n = strlen(path), end = strlen(DELETED);

	return n >= end && streq(path + n - end, DELETED);
}

/*
 * The path of the file at @fd. The kernel may have forgotten under which name it was opened, or the
 * place is hidden by another mount: then what it had before may still be right. NULL: not known.
 */
static char *path_now(int fd, const struct open_file *file)
{
	char *path = path_at(fd);

	if (path &&
	    (has_number(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, &file->id) || ends_deleted(path)))
		return path;
	free(path);
	if (file->path && has_number(AT_FDCWD, file->path, AT_SYMLINK_NOFOLLOW, &file->id))
		return strdup(file->path);
	return NULL;
}

/* Takes over @path. The former one stays for those who still have it. */
static void set_path(struct open_file *file, char *path)
{
	if (path && file->path && streq(path, file->path)) {
		free(path);
		return;
	}
	free(file->before);
	file->before = file->path;
	file->path = path;
}

static void set_deleted(struct open_file *file)
{
	char *path = NULL;

	file->deleted = true;
	if (file->path && !ends_deleted(file->path) &&
	    asprintf(&path, "%s" DELETED, file->path) >= 0)
		set_path(file, path);
}

/* To look through open files costs most, so after a miss it is left for longer and longer. */
static void miss(const struct open_files *f, struct open_file *file)
{
	file->scan = f->round + (1U << file->misses);
	file->misses += file->misses < WAITS_MAX;
}

/* Asks the process; what is known stays where it does not tell. */
static void look_at_process(struct open_files *f, struct open_file *file)
{
	char *path;

	if (!file->pid || f->round < file->scan)
		return;
	path = path_of_process(file->pid, &file->id);
	if (!path) {
		miss(f, file);
		return;
	}
	file->misses = 0;
	set_path(file, path);
}

static void look(struct open_files *f, struct open_file *file)
{
	int fd;

	file->looked = f->round + 1;
	fd = open_by_id(f, &file->id);
	if (fd == -ESTALE) {
		set_deleted(file);
		return;
	}
	if (fd >= 0) {
		set_path(file, path_now(fd, file));
		close(fd);
	}
	if (fd < 0 || !file->path)
		look_at_process(f, file);
}

void open_files_renew(struct open_files *f)
{
	u32 round = f->round + 1;

	if (f->n == FILES_MAX) /* most of them are gone for long */
		open_files_free(f);
	f->round = round;
}

void open_files_learn(struct open_files *f, const struct file_id *id, u32 pid)
{
	struct open_file *file = entry_of(f, id);
	bool other;

	if (!file)
		return;
	other = pid && file->pid != pid;
	if (other) {
		file->pid = pid;
		file->scan = 0;
	}
	if (!file->path && !file->deleted && (other || file->looked != f->round + 1))
		look(f, file);
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

const char *open_files_path(struct open_files *f, const struct file_id *id)
{
	struct open_file *file = id->ino_dev ? entry_of(f, id) : NULL;

	if (!file)
		return NULL;
	if (!id->ino && !file->path)
		file->path = block_device(id->ino_dev);
	else if (id->ino && !file->deleted && file->looked != f->round + 1)
		look(f, file);
	return file->path;
}

void open_files_mount(u32 dev, char *buf, size_t size)
{
	mounts_point("/proc", dev >> 20, dev & 0xfffff, buf, size);
}

void open_files_free(struct open_files *f)
{
	for (u32 i = 0; i < f->n; i++) {
		free(f->file[i].path);
		free(f->file[i].before);
	}
	free(f->file);
	hash_close(&f->index);
	*f = (struct open_files){ 0 };
}
