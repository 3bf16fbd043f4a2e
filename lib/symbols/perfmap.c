// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads the files that name functions compiled at run time. */
#include "lib/symbols/perfmap.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/handle.h"
#include "lib/base/str.h"
#include "lib/host/mounts.h"

#define FILE_BYTES (256LL << 20)
#define NAME_BYTES 512

/* Returns the PID of process @pid in its own namespace, the last one that the kernel lists. */
static u32 own_pid(const char *proc, u32 pid)
{
	char path[PATH_MAX], line[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%u/status", proc, pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		const char *last = has_prefix(line, "NSpid:") ? strrchr(line, '\t') : NULL;

		if (last)
			pid = (u32)strtoul(last, NULL, 10);
	}
	if (f)
		fclose(f);
	return pid;
}

/* Returns true when the kernel answers for @fd, and not a process that may never do so. */
static bool is_safe(int fd, const char *proc, u32 pid, const struct mounts *mounts)
{
	return fd >= 0 && mounts_kind_of(mounts, proc, pid, fd) == MOUNT_KERNEL;
}

/*
 * Opens ROOT/tmp/@name of the process step by step, without following a link: each step is looked
 * at before the next is made through it. Returns a handle (O_PATH), or -1.
 */
static int find_file(const char *name, const char *proc, u32 pid, const struct mounts *mounts)
{
	char path[PATH_MAX];
	int root, tmp = -1, file = -1;

	snprintf(path, sizeof(path), "%s/%u/root", proc, pid);
	root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (is_safe(root, proc, pid, mounts))
		tmp = openat(root, "tmp", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (is_safe(tmp, proc, pid, mounts))
		file = openat(tmp, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (root >= 0)
		close(root);
	if (tmp >= 0)
		close(tmp);
	if (file >= 0 && !is_safe(file, proc, pid, mounts)) {
		close(file);
		return -1;
	}
	return file;
}

/* Returns true when the file may name functions of the process: anyone can write to /tmp. */
static bool is_trusted(const struct stat *st, const char *proc, u32 pid)
{
	char path[PATH_MAX];
	struct stat process;

	if (!S_ISREG(st->st_mode) || st->st_size > FILE_BYTES)
		return false;
	snprintf(path, sizeof(path), "%s/%u", proc, pid);
	return st->st_uid == 0 || st->st_uid == geteuid() ||
	       (!stat(path, &process) && st->st_uid == process.st_uid);
}

/* Adds the function of a line; one that the process is still writing has no newline. */
static int add_line(struct perfmap *m, const char *line)
{
	size_t len = strcspn(line, "\n");
	struct symtab_entry entry = { .weight = m->table.n };
	char *at;
	u64 size;

	if (!line[len])
		return 0;
	entry.addr = strtoull(line, &at, 16);
	size = strtoull(at, &at, 16);
	if (*at != ' ' || !size || entry.addr + size < entry.addr)
		return 0;
	at++;
	len -= (size_t)(at - line);
	entry.size = size > UINT32_MAX ? UINT32_MAX : (u32)size;
	entry.name = symtab_text(&m->table, at, len < NAME_BYTES ? len : NAME_BYTES);
	return entry.name ? symtab_add(&m->table, &entry) : -ENOMEM;
}

/*
 * Leaves out of a sorted table what a later line overlaps: that memory belongs to another function
 * now. Those that stay do not overlap, so only the last of them can meet the next.
 */
static void drop_overlapped(struct symtab *t)
{
	u32 n = 0;

	for (u32 i = 0; i < t->n; i++) {
		const struct symtab_entry e = t->entry[i];

		while (n && t->entry[n - 1].addr + t->entry[n - 1].size > e.addr &&
		       t->entry[n - 1].weight < e.weight)
			n--;
		if (!n || t->entry[n - 1].addr + t->entry[n - 1].size <= e.addr)
			t->entry[n++] = e;
	}
	t->n = n;
}

static void read_lines(struct perfmap *m, FILE *f)
{
	char *line = NULL;
	size_t size = 0;

	symtab_free(&m->table);
	while (getline(&line, &size, f) > 0 && !add_line(m, line))
		;
	free(line);
	symtab_sort(&m->table);
	drop_overlapped(&m->table);
}

/* Reads the file unless it is as it was. */
static void read_file(struct perfmap *m, const char *proc, u32 pid, struct mounts *mounts)
{
	int handle, fd = -1;
	struct stat st;
	u64 changed_ns;
	FILE *f;

	mounts_read(mounts, proc);
	snprintf(m->name, sizeof(m->name), "perf-%u.map", own_pid(proc, pid));
	handle = find_file(m->name, proc, pid, mounts);
	if (handle < 0)
		return;
	if (!fstat(handle, &st) && is_trusted(&st, proc, pid))
		fd = handle_open(handle);
	close(handle);
	if (fd < 0)
		return;
	f = fdopen(fd, "r");
	if (!f) {
		close(fd);
		return;
	}
	changed_ns = clock_from(st.st_ctim);
	if (changed_ns != m->changed_ns)
		read_lines(m, f);
	m->changed_ns = changed_ns;
	fclose(f);
}

bool perfmap_find(struct perfmap *m, const char *proc, u32 pid, struct mounts *mounts, u64 addr,
		  struct sym *sym)
{
	u64 begin_ns = clock_ns(CLOCK_MONOTONIC);
	bool found = symtab_find(&m->table, addr, sym);

	if (!found && begin_ns >= m->again_ns) {
		read_file(m, proc, pid, mounts);
		m->again_ns = clock_rest(begin_ns);
		found = symtab_find(&m->table, addr, sym);
	}
	if (found)
		sym->module = m->name;
	return found;
}

void perfmap_free(struct perfmap *m)
{
	symtab_free(&m->table);
	memset(m, 0, sizeof(*m));
}
