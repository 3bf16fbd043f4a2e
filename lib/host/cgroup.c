// SPDX-License-Identifier: GPL-2.0-or-later
/* Paths of cgroups by id, through a walk of the mounted tree. */
#include "lib/host/cgroup.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "lib/base/array.h"
#include "lib/base/err.h"
#include "lib/base/str.h"

#define DEPTH_MAX 32 /* nested groups; the kernel's own limit is set by cgroup.max.depth */

/* Returns the mount point of a cgroup2 line of mountinfo, or NULL; proc(5): the fifth field. */
static char *mount_point(char *line)
{
	char *type = strstr(line, " - "), *at = line;

	if (!type || !has_prefix(type + 3, "cgroup2 "))
		return NULL;
	for (int i = 0; at && i < 4; i++) {
		at = strchr(at, ' ');
		at += at != NULL;
	}
	if (at)
		at[strcspn(at, " ")] = '\0';
	return at;
}

int cgroup_init(struct cgroup_table *t, const char *mountinfo)
{
	FILE *f = fopen(mountinfo ? mountinfo : "/proc/self/mountinfo", "re");
	char *line = NULL;
	size_t size = 0;

	if (!f)
		return -errno;
	while (!t->mount && getline(&line, &size, f) > 0) {
		char *at = mount_point(line);

		if (at)
			t->mount = strdup(at);
	}
	free(line);
	fclose(f);
	return t->mount ? 0 : -ENOENT;
}

void cgroup_free(struct cgroup_table *t)
{
	for (u32 i = 0; i < t->n; i++)
		free(t->entry[i].path);
	free(t->entry);
	free(t->mount);
	memset(t, 0, sizeof(*t));
}

/* Returns the index of the first entry whose id is not below @id. */
static u32 position(const struct cgroup_table *t, u64 id)
{
	u32 lo = 0, hi = t->n;

	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;

		if (t->entry[mid].id < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Remembers a group; @path NULL means that there is none. A path once known stays. */
static void remember(struct cgroup_table *t, u64 id, const char *path)
{
	u32 at = position(t, id);

	if (at < t->n && t->entry[at].id == id) {
		if (!t->entry[at].path && path)
			t->entry[at].path = strdup(path);
		return;
	}
	if (!array_grow((void **)&t->entry, t->n, &t->room, sizeof(*t->entry)))
		return;
	memmove(&t->entry[at + 1], &t->entry[at], (t->n - at) * sizeof(*t->entry));
	t->entry[at] = (struct cgroup_entry){ id, path ? strdup(path) : NULL };
	t->n++;
}

/* Remembers the groups below @path (of @len bytes in a buffer of PATH_MAX, the mount first). */
static void walk(struct cgroup_table *t, char *path, size_t len, int depth)
{
	struct dirent *entry;
	DIR *dir = opendir(path);

	while (dir && (entry = readdir(dir))) {
		size_t name = strlen(entry->d_name);

		if (entry->d_type != DT_DIR || streq(entry->d_name, ".") ||
		    streq(entry->d_name, "..") || len + name + 2 > PATH_MAX)
			continue;
		path[len] = '/';
		memcpy(path + len + 1, entry->d_name, name + 1);
		remember(t, entry->d_ino, path + strlen(t->mount));
		if (depth < DEPTH_MAX)
			walk(t, path, len + 1 + name, depth + 1);
		path[len] = '\0';
	}
	if (dir)
		closedir(dir);
}

static void walk_all(struct cgroup_table *t)
{
	char path[PATH_MAX];
	struct stat st;

	if (!t->mount || strlen(t->mount) >= sizeof(path))
		return;
	memcpy(path, t->mount, strlen(t->mount) + 1);
	if (stat(path, &st) == 0)
		remember(t, st.st_ino, "/");
	walk(t, path, strlen(path), 0);
}

const char *cgroup_path(struct cgroup_table *t, u64 id)
{
	u32 at = position(t, id);

	if (at == t->n || t->entry[at].id != id) {
		walk_all(t);
		remember(t, id, NULL);
		at = position(t, id);
	}
	return at < t->n && t->entry[at].id == id ? t->entry[at].path : NULL;
}

/* True when all of @word is a decimal number. */
static bool is_id(const char *word, u64 *id)
{
	char *end;

	if (*word < '0' || *word > '9')
		return false;
	*id = strtoull(word, &end, 10);
	return !*end;
}

/* Returns a descriptor when @path is a directory of cgroup v2, else -1. */
static int open_group(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct statfs fs;

	if (fd >= 0 && (fstatfs(fd, &fs) < 0 || (u64)fs.f_type != CGROUP2_SUPER_MAGIC)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static int open_below(const struct cgroup_table *t, const char *path)
{
	char full[PATH_MAX];
	int len = snprintf(full, sizeof(full), "%s/%s", t->mount, path);

	return len < (int)sizeof(full) ? open_group(full) : -1;
}

int cgroup_open(struct cgroup_table *t, const char *word)
{
	const char *path = NULL;
	int fd = -1;
	u64 id;

	if (!t->mount)
		return fail(EXIT_AS(EXIT_NOTHING), "cgroup v2 is not mounted",
			    "mount -t cgroup2 none /sys/fs/cgroup", "-g %s", word);
	if (is_id(word, &id))
		path = cgroup_path(t, id);
	if (path)
		fd = open_below(t, path);
	if (fd < 0 && *word == '/')
		fd = open_group(word);
	if (fd < 0 && *word)
		fd = open_below(t, word);
	if (fd < 0)
		return fail(EXIT_AS(EXIT_NOTHING), "no such cgroup",
			    "give a directory of cgroup v2, a path below its mount, or an ID",
			    "-g %s", word);
	return fd;
}

bool cgroup_is_under(const char *word, u64 id, const char *path)
{
	static const char *const mounts[] = { "/sys/fs/cgroup/unified", "/sys/fs/cgroup" };
	size_t len;
	u64 wanted;

	if (is_id(word, &wanted) && wanted == id)
		return true;
	if (!path)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(mounts); i++) {
		len = strlen(mounts[i]);
		if (has_prefix(word, mounts[i]) && (!word[len] || word[len] == '/')) {
			word += len;
			break;
		}
	}
	word += strspn(word, "/");
	path += strspn(path, "/");
	len = strlen(word);
	while (len && word[len - 1] == '/')
		len--;
	return strncmp(path, word, len) == 0 && (!len || !path[len] || path[len] == '/');
}

/*
 * Directories of containers: what stands before the name, and what ends it; NULL where it is an ID of
 * 64 digits. The mark between the first two may be a colon, as in `slice:cri-containerd:ID`.
 */
static const struct {
	const char *before, *end, *kind;
} containers[] = {
	{ "docker-", NULL, "docker" },
	{ "docker/", NULL, "docker" },
	{ "libpod-", NULL, "podman" },
	{ "libpod-payload-", NULL, "podman" },
	{ "cri-containerd-", NULL, "containerd" },
	{ "nerdctl-", NULL, "nerdctl" },
	{ "crio-", NULL, "cri-o" },
	{ "lxc/", "", "lxc" },
	{ "lxc.payload.", "", "lxc" },
	{ "systemd-nspawn@", ".service/payload", "nspawn" },
	{ "machine-", ".scope/payload", "nspawn" },
};

#define ID_LEN	  64
#define ID_SHOWN  12
#define UID_SHOWN 8

/* Where a path leads into: a pod of Kubernetes, and the innermost container. NULL: none. */
struct place {
	const char *pod, *kind, *name;
	size_t name_len;
	const char *inside; /* the path behind the container's directory */
};

/* How many of the characters at @s are hexadecimal. */
static size_t hex_len(const char *s)
{
	return strspn(s, "0123456789abcdef");
}

static bool enter_id(struct place *p, const char *at, const char *kind)
{
	if (hex_len(at) != ID_LEN)
		return false;
	p->kind = kind;
	p->name = at;
	p->name_len = ID_SHOWN;
	p->inside = at + strcspn(at, "/");
	return true;
}

/* The same for a name that @end follows, which ends a directory. */
static bool enter_name(struct place *p, const char *at, const char *end, const char *kind)
{
	size_t len = strcspn(at, "/");
	const char *stop = *end ? strstr(at, end) : at + len;

	if (!stop || stop == at || stop > at + len || len > NAME_MAX ||
	    !strchr("/", stop[strlen(end)]))
		return false;
	p->kind = kind;
	p->name = at;
	p->name_len = (size_t)(stop - at);
	p->inside = stop + strlen(end);
	return true;
}

/* True if the directory of a container begins at @at; then @p is in it. */
static bool enter_container(struct place *p, const char *at)
{
	for (size_t i = 0; i < ARRAY_SIZE(containers); i++) {
		const char *before = containers[i].before, *end = containers[i].end;
		size_t len = strlen(before);

		if (strncmp(at, before, len - 1) != 0 ||
		    (at[len - 1] != before[len - 1] && at[len - 1] != ':'))
			continue;
		if (end ? enter_name(p, at + len, end, containers[i].kind)
			: enter_id(p, at + len, containers[i].kind))
			return true;
	}
	return p->pod && enter_id(p, at, "");
}

/* Follows @path. A pod that runs in a container, as those of kind and minikube do, is out of it. */
static struct place place_of(const char *path)
{
	const char *pods = strstr(path, "kubepods");
	struct place p = { 0 };

	for (const char *at = path + 1; *at; at++) {
		if (pods && at > pods && strchr("/-", at[-1]) && !strncmp(at, "pod", 3) &&
		    hex_len(at + 3) >= UID_SHOWN)
			p = (struct place){ .pod = at + 3 };
		else if (strchr("/:", at[-1]))
			enter_container(&p, at);
	}
	return p;
}

/*
 * The first part of @path that names a unit of systemd, with what follows: whatever lies below is the
 * unit's own. Below user@1000.service are the units of a user.
 */
static const char *unit_of(const char *path)
{
	static const char *const suffixes[] = { ".service", ".scope", ".socket", ".mount" };
	const char *unit = NULL;

	for (const char *at = strchr(path, '/'); at; at = strchr(at + 1, '/')) {
		size_t len = strcspn(at + 1, "/");

		for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++) {
			size_t n = strlen(suffixes[i]);

			if (len > n && !strncmp(at + 1 + len - n, suffixes[i], n))
				unit = at + 1;
		}
		if (unit && !has_prefix(unit, "user@"))
			break;
	}
	return unit;
}

const char *cgroup_label(const char *path, char buf[CGROUP_LABEL])
{
	const char *unit;
	struct place p;
	int len = 0;

	if (!path || *path != '/')
		return path;
	p = place_of(path);
	unit = unit_of(p.kind ? p.inside : path);
	if (!p.pod && !p.kind)
		return unit ? unit : path;
	if (p.pod)
		len = snprintf(buf, CGROUP_LABEL, "pod/%.*s", UID_SHOWN, p.pod);
	if (p.kind)
		len += snprintf(buf + len, CGROUP_LABEL - len, "%s/%.*s", p.pod ? "" : p.kind,
				(int)p.name_len, p.name);
	if (p.kind && unit)
		snprintf(buf + len, CGROUP_LABEL - len, "/%s", unit);
	return buf;
}

void cgroup_text(const char *path, char *buf, size_t size)
{
	char label[CGROUP_LABEL];
	const char *name = cgroup_label(path, label);

	snprintf(buf, size, "%s", name ? name : "");
}
