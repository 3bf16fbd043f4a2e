// SPDX-License-Identifier: GPL-2.0-or-later
/* Tells the programs which devices of file systems lie on which namespaces. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "bpf/shared/syncer.h"
#include "lib/base/clock.h"
#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/host/above.h"
#include "lib/host/mounts.h"
#include "lib/loader/loader.h"
#include "lib/session/impl.h"

#define RENEW_NS NSEC_PER_SEC /* so often the table of devices is made anew */
#define LONG_NS                                                                                    \
	(NSEC_PER_SEC / 10) /* how long a call takes before it is asked whether it has ended */
#define BELOW 64 /* namespaces below a device that count */

struct table {
	struct device_dir dir;
	struct sync_device device[SYNC_DEVICES];
	bool full; /* something was left out */
};

static void add(struct table *t, u32 dev, const struct device *below)
{
	u32 ctrl_id = (u32)below->ctrl_id, at = sync_device_first(dev, ctrl_id, below->nsid);

	for (u32 i = 0; i <= SYNC_STEPS; i++) {
		struct sync_device *d = &t->device[at];

		if (d->dev == dev && d->ctrl_id == ctrl_id && d->nsid == below->nsid)
			return;
		if (!d->dev) {
			*d = (struct sync_device){ dev, below->nsid, ctrl_id, 0 };
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

	t->full |= n > BELOW;
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

/* Programs read meanwhile: an entry is free until the whole of it is there. */
static void replace(struct sync_device *to, const struct sync_device *from)
{
	if (memcmp(to, from, sizeof(*to)) == 0)
		return;
	__atomic_store_n(&to->dev, 0, __ATOMIC_SEQ_CST);
	to->nsid = from->nsid;
	to->ctrl_id = from->ctrl_id;
	__atomic_store_n(&to->dev, from->dev, __ATOMIC_SEQ_CST);
}

static void renew_devices(struct session *s, struct sync_table *sync)
{
	struct table *t = read_table();

	if (!t)
		return;
	for (u32 i = 0; i < SYNC_DEVICES; i++)
		replace(&sync->device[i], &t->device[i]);
	if (t->full && !s->names.below_full)
		note("some devices above namespaces are not followed, there are too many: who waits for their flushes is not known");
	s->names.below_full |= t->full;
	device_dir_free(&t->dir);
	free(t);
}

/* Whether thread @tid sleeps otherwise than for a disk, or is gone. */
static bool is_elsewhere(u32 tid)
{
	char path[32], line[128];
	const char *state;

	snprintf(path, sizeof(path), "/proc/%u", tid);
	sysfs_line(path, "stat", line, sizeof(line));
	state = strrchr(line, ')');
	return !line[0] || (state && state[1] == ' ' && !strchr("DR", state[2]));
}

/*
 * Drops calls that have ended though no program saw it: the kernel leaves out programs at the return of calls
 * that are under way when another program is attached to the function. A call that is dropped here has no
 * return that a program could see.
 */
static void drop_ended(struct sync_table *sync, u64 now_ns)
{
	for (u32 i = 0; i < SYNCERS; i++) {
		struct syncing *call = &sync->task[i];
		u64 since_ns = __atomic_load_n(&call->since_ns, __ATOMIC_SEQ_CST);

		if (!since_ns || since_ns + LONG_NS > now_ns || !is_elsewhere(call->tid))
			continue;
		if (__atomic_compare_exchange_n(&call->since_ns, &since_ns, 0, false,
						__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
			__atomic_fetch_sub(&call->claims, 1, __ATOMIC_SEQ_CST);
	}
}

void session_syncers_watch(struct session *s, u64 now_ns)
{
	u64 begin_ns = clock_ns(CLOCK_MONOTONIC), rest_ns;
	struct sync_table *sync;
	size_t size = 0;

	if (!s->loader || !(s->needs & NEED_SYNCER))
		return;
	sync = loader_memory(s->loader, ".bss.sync", &size);
	if (!sync)
		return;
	drop_ended(sync, now_ns);
	if (now_ns < s->names.below_ns)
		return;
	renew_devices(s, sync);
	rest_ns = clock_rest(begin_ns);
	s->names.below_ns = rest_ns < now_ns + RENEW_NS ? now_ns + RENEW_NS : rest_ns;
	if (!sync->start_ns)
		__atomic_store_n(&sync->start_ns, s->clock.start_ns, __ATOMIC_SEQ_CST);
}
