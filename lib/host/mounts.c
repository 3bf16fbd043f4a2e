// SPDX-License-Identifier: GPL-2.0-or-later
/* Mounted file systems, from mountinfo: proc_pid_mountinfo(5). */
#include "lib/host/mounts.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/array.h"
#include "lib/base/str.h"
#include "lib/host/sysfs.h"

/* Returns the mount with these numbers, a new one if there is none yet; NULL: no memory. */
static struct mount *mount_of(struct mounts *m, u32 major, u32 minor)
{
	struct mount *new;

	for (u32 i = 0; i < m->n; i++) {
		if (m->mount[i].major == major && m->mount[i].minor == minor)
			return &m->mount[i];
	}
	new = array_add((void **)&m->mount, &m->n, &m->room, sizeof(*new));
	if (new)
		*new = (struct mount){ .major = major, .minor = minor };
	return new;
}

/* "26 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw"; blanks in names are written \040. */
static void add_line(struct mounts *m, const char *line)
{
	static const char separator[] = " - ";
	const char *type = strstr(line, separator);
	struct mount *mount;
	u32 major, minor;

	/* NOLINTNEXTLINE(cert-err34-c): the kernel wrote them */
	if (!type || sscanf(line, "%*u %*u %u:%u ", &major, &minor) != 2)
		return;
	mount = mount_of(m, major, minor);
	if (!mount)
		return;
	/* "fuse", "fuse.sshfs", "fuseblk" */
	mount->kind = has_prefix(type + strlen(separator), "fuse") ? MOUNT_FUSE : MOUNT_KERNEL;
}

static void read_list(struct mounts *m, const char *proc, const char *whose)
{
	char path[PATH_MAX], *line = NULL;
	size_t size = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s/mountinfo", proc, whose);
	f = fopen(path, "re");
	if (!f)
		return;
	while (getline(&line, &size, f) > 0)
		add_line(m, line);
	free(line);
	fclose(f);
}

void mounts_read(struct mounts *m, const char *proc)
{
	m->n = 0;
	read_list(m, proc, "1");
	read_list(m, proc, "self");
}

enum mount_kind mounts_kind(const struct mounts *m, u32 major, u32 minor)
{
	for (u32 i = 0; i < m->n; i++) {
		if (m->mount[i].major == major && m->mount[i].minor == minor)
			return m->mount[i].kind;
	}
	return MOUNT_UNKNOWN;
}

/* Returns the ID of the mount that @fd was reached through, 0 where it is not known. */
static u32 mount_id(int fd)
{
	char path[64], line[128];
	u32 id = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		if (has_prefix(line, "mnt_id:"))
			id = (u32)strtoul(line + strlen("mnt_id:"), NULL, 10);
	}
	if (f)
		fclose(f);
	return id;
}

enum mount_kind mounts_kind_of(const struct mounts *m, const char *proc, u32 pid, int fd)
{
	u32 wanted = mount_id(fd), id, major, minor;
	enum mount_kind kind = MOUNT_UNKNOWN;
	char path[PATH_MAX], *line = NULL;
	size_t size = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%u/mountinfo", proc, pid);
	f = fopen(path, "re");
	while (f && getline(&line, &size, f) > 0) {
		/* NOLINTNEXTLINE(cert-err34-c): the kernel wrote them */
		if (sscanf(line, "%u %*u %u:%u ", &id, &major, &minor) == 3 && id == wanted)
			kind = mounts_kind(m, major, minor);
	}
	free(line);
	if (f)
		fclose(f);
	return kind;
}

/* Replaces \\040 and its like by the bytes they stand for. */
static void unescape(char *text)
{
	char *to = text;

	for (const char *at = text; *at; to++) {
		unsigned byte;

		/* NOLINTNEXTLINE(cert-err34-c): the kernel wrote them */
		if (*at == '\\' && sscanf(at + 1, "%3o", &byte) == 1) {
			*to = (char)byte;
			at += 4;
		} else {
			*to = *at++;
		}
	}
	*to = '\0';
}

/* The devices of a file system, while they are gathered. */
struct gathering {
	const char *sys;
	struct mount_device *dev;
	u32 n;
};

static void add_device(struct gathering *g, u32 major_nr, u32 minor_nr)
{
	for (u32 i = 0; i < g->n; i++) {
		if (g->dev[i].major == major_nr && g->dev[i].minor == minor_nr)
			return;
	}
	if (g->n < MOUNT_DEVICES)
		g->dev[g->n++] = (struct mount_device){ major_nr, minor_nr };
}

/* The kernel's name of the device at @path, which may be a link that we see, or not. */
static void name_of(const char *path, char name[NAME_MAX])
{
	char target[PATH_MAX];
	const char *end = strrchr(realpath(path, target) ? target : path, '/');

	snprintf(name, NAME_MAX, "%s", end ? end + 1 : path);
}

static void add_name(struct gathering *g, const char *name)
{
	u32 major_nr, minor_nr;

	if (sysfs_number(g->sys, name, &major_nr, &minor_nr))
		add_device(g, major_nr, minor_nr);
}

/* Adds the devices at @paths, between which colons stand. */
static void add_paths(struct gathering *g, char *paths)
{
	char name[NAME_MAX];

	for (char *path; (path = strsep(&paths, ":"));) {
		name_of(path, name);
		add_name(g, name);
	}
}

/* Adds all devices of the btrfs that has the one at @path. */
static void add_btrfs(struct gathering *g, const char *path)
{
	char name[NAME_MAX], pattern[PATH_MAX];
	glob_t devices = { .gl_pathc = 0 };

	name_of(path, name);
	add_name(g, name);
	snprintf(pattern, sizeof(pattern), "%s/fs/btrfs/*/devices/%s", g->sys, name);
	if (glob(pattern, 0, NULL, &devices) == 0) {
		snprintf(pattern, sizeof(pattern), "%.*s*",
			 (int)(strlen(devices.gl_pathv[0]) - strlen(name)), devices.gl_pathv[0]);
		globfree(&devices);
		if (glob(pattern, 0, NULL, &devices) == 0)
			for (size_t i = 0; i < devices.gl_pathc; i++)
				add_name(g, strrchr(devices.gl_pathv[i], '/') + 1);
	}
	globfree(&devices);
}

/* Adds the devices of XFS's log and realtime section, which @options name. */
static void add_xfs(struct gathering *g, char *options)
{
	for (char *option; (option = strsep(&options, ","));)
		if (has_prefix(option, "logdev=") || has_prefix(option, "rtdev="))
			add_paths(g, strchr(option, '=') + 1);
}

/* Gathers the devices of the file system that the line is of. */
static void gather(struct gathering *g, const char *line, u32 major_nr, u32 minor_nr)
{
	char type[32], source[PATH_MAX], options[PATH_MAX];
	const char *end = strstr(line, " - ");

	g->n = 0;
	if (major_nr)
		add_device(g, major_nr, minor_nr);
	if (!end || sscanf(end, " - %31s %4095s %4095s", type, source, options) != 3)
		return;
	unescape(source);
	unescape(options);
	if (streq(type, "btrfs"))
		add_btrfs(g, source);
	else if (streq(type, "bcachefs"))
		add_paths(g, source);
	else if (streq(type, "xfs"))
		add_xfs(g, options);
}

u32 mounts_devices(const char *proc, const char *sys, const char *point,
		   struct mount_device dev[MOUNT_DEVICES])
{
	struct gathering g = { sys, dev, 0 };
	char path[PATH_MAX], at[PATH_MAX], *line = NULL;
	u32 major_nr, minor_nr;
	size_t size = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/self/mountinfo", proc);
	f = fopen(path, "re");
	while (f && getline(&line, &size, f) > 0) {
		/* NOLINTNEXTLINE(cert-err34-c): the kernel wrote them */
		if (sscanf(line, "%*u %*u %u:%u %*s %4095s ", &major_nr, &minor_nr, at) != 3)
			continue;
		unescape(at);
		if (streq(at, point))
			gather(&g, line, major_nr, minor_nr);
	}
	free(line);
	if (f)
		fclose(f);
	return g.n;
}

/* Whether the line is a mount of this device; then its point is in @at, and *whole: nothing is hidden. */
static bool point_of(const char *line, u32 major_nr, u32 minor_nr, char at[PATH_MAX], bool *whole)
{
	char root[PATH_MAX];
	u32 a, b;

	/* NOLINTNEXTLINE(cert-err34-c): the kernel wrote them */
	if (sscanf(line, "%*u %*u %u:%u %4095s %4095s ", &a, &b, root, at) != 4 || a != major_nr ||
	    b != minor_nr)
		return false;
	unescape(at);
	*whole = streq(root, "/");
	return true;
}

bool mounts_point(const char *proc, u32 major, u32 minor, char *buf, size_t size)
{
	char path[PATH_MAX], at[PATH_MAX], *line = NULL;
	bool whole = false;
	size_t room = 0;
	FILE *f;

	buf[0] = '\0';
	snprintf(path, sizeof(path), "%s/self/mountinfo", proc);
	f = fopen(path, "re");
	while (f && !whole && getline(&line, &room, f) > 0) {
		if (point_of(line, major, minor, at, &whole))
			snprintf(buf, size, "%s", at);
	}
	free(line);
	if (f)
		fclose(f);
	return whole;
}

void mounts_free(struct mounts *m)
{
	free(m->mount);
}
