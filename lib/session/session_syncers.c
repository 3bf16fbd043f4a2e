// SPDX-License-Identifier: GPL-2.0-or-later
/* Tells the programs which devices of file systems lie on which namespaces. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "bpf/shared/syncer.h"
#include "lib/base/str.h"
#include "lib/host/above.h"
#include "lib/host/mounts.h"
#include "lib/loader/loader.h"
#include "lib/session/impl.h"

#define RENEW_NS NSEC_PER_SEC /* how long devices are taken to be as they were */
#define BELOW	 64 /* namespaces below a device that count */

struct table {
	struct device_dir dir;
	struct sync_device entry[SYNC_DEVICES];
	bool full; /* something was left out */
};

static void add(struct table *t, u32 dev, const struct device *below)
{
	u32 ctrl_id = (u32)below->ctrl_id, at = sync_device_first(dev, ctrl_id, below->nsid);

	for (u32 i = 0; i <= SYNC_STEPS; i++) {
		struct sync_device *e = &t->entry[at];

		if (e->dev == dev && e->ctrl_id == ctrl_id && e->nsid == below->nsid)
			return;
		if (!e->dev) {
			*e = (struct sync_device){ dev, below->nsid, ctrl_id, 0 };
			return;
		}
		at = sync_device_next(at);
	}
	t->full = true;
}

/* Adds the namespaces below @word, a device or a mount point, for @dev. */
static void add_below(struct table *t, u32 dev, const char *word)
{
	char names[STACK_MEMBERS] = "";
	u32 found[BELOW], n = above_find(&t->dir, word, found, BELOW, names);

	for (u32 i = 0; i < n && i < BELOW; i++) {
		if (t->dir.dev[found[i]].nsid)
			add(t, dev, &t->dir.dev[found[i]]);
	}
}

static void add_devices(struct table *t)
{
	const struct dirent *entry;
	DIR *dir = opendir(SYSFS_DIR "/dev/block");
	u32 major_nr, minor_nr;

	while (dir && (entry = readdir(dir))) {
		/* NOLINTNEXTLINE(cert-err34-c): the kernel wrote it */
		if (sscanf(entry->d_name, "%u:%u", &major_nr, &minor_nr) == 2)
			add_below(t, major_nr << 20 | minor_nr, entry->d_name);
	}
	if (dir)
		closedir(dir);
}

/* A file system of several devices has a number of its own, that of no device: btrfs. */
static void add_mounts(struct table *t)
{
	FILE *f = fopen("/proc/self/mountinfo", "re");
	char *line = NULL, point[256];
	u32 minor_nr;
	size_t room = 0;

	while (f && getline(&line, &room, f) > 0) {
		/* NOLINTNEXTLINE(cert-err34-c): the kernel wrote it */
		if (sscanf(line, "%*u %*u 0:%u %*s %255s", &minor_nr, point) == 2)
			add_below(t, minor_nr, point);
	}
	free(line);
	if (f)
		fclose(f);
}

static struct table *read_table(void)
{
	struct table *t = calloc(1, sizeof(*t));
	struct sysfs sysfs = { 0 };

	if (t && !sysfs_read(&sysfs, NULL) && !device_add_sysfs(&t->dir, &sysfs)) {
		add_devices(t);
		add_mounts(t);
	}
	sysfs_free(&sysfs);
	return t;
}

void session_syncers_watch(struct session *s, u64 now_ns)
{
	struct sync_device *to;
	struct table *t;
	size_t size = 0;

	if (!s->loader || !(s->needs & NEED_SYNCER) || now_ns < s->names.below_ns)
		return;
	s->names.below_ns = now_ns + RENEW_NS;
	to = loader_memory(s->loader, ".bss.below", &size);
	t = to ? read_table() : NULL;
	if (!t)
		return;
	for (u32 i = 0; i < SYNC_DEVICES && i < size / sizeof(*to); i++) {
		if (memcmp(&to[i], &t->entry[i], sizeof(*to)) != 0)
			to[i] = t->entry[i];
	}
	device_dir_free(&t->dir);
	free(t);
}
