// SPDX-License-Identifier: GPL-2.0-or-later
/* Follows `slaves` and `holders` of sysfs. */
#include "lib/host/above.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>

#include "lib/base/str.h"
#include "lib/host/mounts.h"

#define DEPTH	   8 /* devices above each other */
#define NAMESPACES 64 /* that fit into STACK_MEMBERS at most: "nvme0n1 " */

struct walk {
	char names[NAMESPACES][SYSFS_NAME]; /* of namespaces, each once */
	u32 n;
	bool cached;
};

static const char *base_name(const char *path)
{
	return strrchr(path, '/') + 1;
}

/* The directory of the disk that @link leads to; a partition is a directory in that of its disk. */
static bool disk_of(const char *link, char path[PATH_MAX])
{
	char line[32];

	if (!realpath(link, path))
		return false;
	sysfs_line(path, "partition", line, sizeof(line));
	if (line[0])
		*strrchr(path, '/') = '\0';
	return true;
}

static void add_namespace(struct walk *w, const char *path)
{
	char line[32];

	for (u32 i = 0; i < w->n; i++) {
		if (streq(w->names[i], base_name(path)))
			return;
	}
	sysfs_line(path, "queue/write_cache", line, sizeof(line));
	w->cached |= !streq(line, "write through");
	if (w->n < NAMESPACES)
		snprintf(w->names[w->n++], SYSFS_NAME, "%s", base_name(path));
}

/* Calls @take for each disk that directory @dir of disk @path links to. Returns how many. */
static u32 for_each(const char *path, const char *dir, u32 depth,
		    void (*take)(void *arg, const char *disk, u32 depth), void *arg)
{
	char link[2 * PATH_MAX], disk[PATH_MAX];
	struct dirent *entry;
	u32 n = 0;
	DIR *d;

	snprintf(link, sizeof(link), "%s/%s", path, dir);
	d = opendir(link);
	while (d && (entry = readdir(d))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(link, sizeof(link), "%s/%s/%s", path, dir, entry->d_name);
		if (!disk_of(link, disk))
			continue;
		n++;
		if (take && depth)
			take(arg, disk, depth - 1);
	}
	if (d)
		closedir(d);
	return n;
}

static void walk_down(void *arg, const char *disk, u32 depth)
{
	if (sysfs_is_disk(base_name(disk)))
		add_namespace(arg, disk);
	else
		for_each(disk, "slaves", depth, walk_down, arg);
}

static void walk_up(void *arg, const char *disk, u32 depth)
{
	bool *beside = arg;

	*beside |= for_each(disk, "slaves", 0, NULL, NULL) > 1;
	for_each(disk, "holders", depth, walk_up, arg);
}

static int compare_names(const void *a, const void *b)
{
	return strverscmp(a, b);
}

static void join_names(struct stack *st, struct walk *w)
{
	size_t at = 0;

	qsort(w->names, w->n, sizeof(w->names[0]), compare_names);
	for (u32 i = 0; i < w->n; i++) {
		size_t len = strlen(w->names[i]);

		if (at + 1 + len >= sizeof(st->members))
			break;
		if (at)
			st->members[at++] = ' ';
		memcpy(st->members + at, w->names[i], len + 1);
		at += len;
	}
}

int stack_read(struct stack *st, const char *root, u32 major_nr, u32 minor_nr)
{
	char link[PATH_MAX], path[PATH_MAX];
	struct walk walk = { .n = 0 };

	memset(st, 0, sizeof(*st));
	snprintf(link, sizeof(link), "%s/dev/block/%u:%u", root ? root : SYSFS_DIR, major_nr,
		 minor_nr);
	if (!disk_of(link, path))
		return -errno;
	snprintf(st->name, sizeof(st->name), "%s", base_name(path));
	for_each(path, "slaves", DEPTH, walk_down, &walk);
	for_each(path, "holders", DEPTH, walk_up, &st->beside);
	st->cached = walk.cached;
	join_names(st, &walk);
	return 0;
}

/* Finds the numbers of the devices that @word names, or of the file system that is mounted there. */
static u32 numbers_of(const struct device_dir *dir, const char *word,
		      struct mount_device dev[MOUNT_DEVICES])
{
	const char *root = dir->sys ? dir->sys : SYSFS_DIR;
	char path[PATH_MAX], name[SYSFS_NAME];

	if (strchr(word, '/')) {
		if (sysfs_node(word, name, &dev->major, &dev->minor) && dev->major)
			return 1;
		return realpath(word, path)
			       ? mounts_devices(dir->proc ? dir->proc : "/proc", root, path, dev)
			       : 0;
	}
	if (!strchr(word, ':'))
		return sysfs_number(root, word, &dev->major, &dev->minor);
	/* NOLINTNEXTLINE(cert-err34-c): a wrong number is no device */
	return sscanf(word, "%u:%u", &dev->major, &dev->minor) == 2;
}

/* Entries that are found, and their names. */
struct search {
	const struct device_dir *dir;
	u32 *found, n, max;
	char *names;
};

/* Adds the entries of @word, which is a number or the name of @name, unless they are in. */
static void add_entries(struct search *s, const char *word, const char *name)
{
	const char *names = s->names;
	char one[SYSFS_NAME];
	size_t len;
	u32 n = s->n < s->max ? s->n : s->max;

	while (str_word(&names, ' ', one, sizeof(one)))
		if (streq(one, name))
			return;
	s->n += device_find(s->dir, DEVICE_ANY, word, s->found + n, s->max - n);
	len = strlen(s->names);
	snprintf(s->names + len, STACK_MEMBERS - len, "%s%s", len ? " " : "", name);
}

/* Adds the entries of a device, or of those below it. */
static void add_below(struct search *s, const struct mount_device *dev)
{
	char number[32], name[SYSFS_NAME];
	const char *members;
	struct stack st;
	u32 first;

	snprintf(number, sizeof(number), "%u:%u", dev->major, dev->minor);
	if (device_find(s->dir, DEVICE_ANY, number, &first, 1)) {
		add_entries(s, number, s->dir->dev[first].name);
		return;
	}
	if (stack_read(&st, s->dir->sys, dev->major, dev->minor))
		return;
	members = st.members;
	while (str_word(&members, ' ', name, sizeof(name)))
		add_entries(s, name, name);
}

u32 above_find(const struct device_dir *dir, const char *word, u32 *found, u32 max,
	       char names[STACK_MEMBERS])
{
	struct search s = { dir, found, 0, max, names };
	struct mount_device dev[MOUNT_DEVICES];
	u32 n = numbers_of(dir, word, dev);

	names[0] = '\0';
	for (u32 i = 0; i < n; i++)
		add_below(&s, &dev[i]);
	return s.n;
}
