// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Control groups (v2): BPF gives their numbers, users read and type their paths. The number is the
 * directory's inode.
 */
#ifndef NVT_HOST_CGROUP_H
#define NVT_HOST_CGROUP_H

#include "lib/base/types.h"

struct cgroup_entry {
	u64 id;
	char *path; /* NULL: searched for and not found */
};

/* Zero-initialise, cgroup_init(), cgroup_free(). */
struct cgroup_table {
	char *mount; /* "/sys/fs/cgroup" */
	struct cgroup_entry *entry; /* by id */
	u32 n, room;
};

/*
 * Finds where cgroup v2 is mounted in @mountinfo; NULL is /proc/self/mountinfo. 0; -ENOENT when it
 * is not mounted; another -errno. Nothing is printed.
 */
int cgroup_init(struct cgroup_table *t, const char *mountinfo);
void cgroup_free(struct cgroup_table *t);

/*
 * Returns the path of a cgroup below the mount: "/system.slice/ssh.service", "/" for the root. NULL
 * when there is no such group, because it is gone or outside our cgroup namespace. The tree is
 * walked when an id is met for the first time, so a group that ends later keeps its name. The table
 * owns the path until cgroup_free().
 */
const char *cgroup_path(struct cgroup_table *t, u64 id);

/*
 * Opens the group that -g @word names: a directory, a path below the mount (with or without "/" in
 * front), or an id. Returns a descriptor for a BPF map, or EXIT_AS(EXIT_NOTHING) after a message.
 */
int cgroup_open(struct cgroup_table *t, const char *word);

/*
 * Replay's answer to bpf_current_task_under_cgroup(): true when the recorded group @id at @path
 * (NULL: unknown) is the one -g @word means, or lies below it.
 */
bool cgroup_is_under(const char *word, u64 id, const char *path);

/*
 * Writes the name by which people know a group, for text: "postgresql.service", "docker/3f2a9c1b77de",
 * "podman/...", "pod/1a2b3c4d/3f2a9c1b77de"; "lxc/web1/mysql.service" for a unit of the systemd in a
 * container; else the path as it is. Of containers in containers the innermost counts. It returns
 * @buf, or @path or a part of it; @path may be NULL.
 */
#define CGROUP_LABEL 640 /* two names of directories and more; a longer one is cut */
const char *cgroup_label(const char *path, char buf[CGROUP_LABEL]);
/* Writes that name, cut at @size; nothing where @path is NULL. */
void cgroup_text(const char *path, char *buf, size_t size);

#endif
