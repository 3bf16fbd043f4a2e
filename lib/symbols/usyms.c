// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds user-space functions by process and address. */
#include "lib/symbols/usyms.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "lib/base/array.h"
#include "lib/base/clock.h"
#include "lib/base/err.h"
#include "lib/base/handle.h"
#include "lib/base/str.h"
#include "lib/host/mappings.h"
#include "lib/host/mounts.h"
#include "lib/symbols/elfsyms.h"
#include "lib/symbols/perfmap.h"

#define PROCESSES  64
#define FILES_OPEN 256
#define REGIONS	   16384 /* regions of a process; addresses behind them are not named */
/* Bound on the symbols of all files, since any user can map files. */
#define SYMS_BYTES (1ULL << 30)

/*
 * A file that was mapped. Its numbers differ from those of a file that took its name since, its
 * time from that of a file that took its numbers.
 */
struct file {
	u64 inode, changed_ns; /* 0: not known */
	u32 dev_major, dev_minor;
	char *name; /* last part of its path, with " (deleted)" */
	int fd; /* open until symbols are asked for, since the process may end; -1: none */
	struct elfsyms syms;
};

struct region {
	u64 start, end, offset; /* executable memory [start, end), from offset of the file */
	u32 file; /* index, NO_FILE: anonymous */
};

#define NO_FILE UINT32_MAX

struct process {
	struct region *region;
	u32 n, room;
	u32 pid;
	u64 used; /* time of the last question */
	int err; /* error of reading its map */
	u64 again_ns; /* when it may be read again */
	struct perfmap compiled; /* functions of a just-in-time compiler */
};

struct usyms {
	char *proc;
	struct process process[PROCESSES];
	struct file *file;
	u32 n_files, file_room, n_open;
	u64 clock, bytes;
	struct mounts mounts;
	bool mounts_fresh; /* mounts were read for the present map */
};

int usyms_open(struct usyms **u, const char *proc)
{
	*u = calloc(1, sizeof(**u));
	if (!*u)
		return -ENOMEM;
	(*u)->proc = strdup(proc ? proc : "/proc");
	if (!(*u)->proc) {
		free(*u);
		*u = NULL;
		return -ENOMEM;
	}
	return 0;
}

static enum mount_kind mount_kind(struct usyms *u, u32 major, u32 minor)
{
	enum mount_kind kind = mounts_kind(&u->mounts, major, minor);

	if (kind != MOUNT_UNKNOWN || u->mounts_fresh)
		return kind;
	mounts_read(&u->mounts, u->proc);
	u->mounts_fresh = true;
	return mounts_kind(&u->mounts, major, minor);
}

/*
 * True when a handle is on a regular file that may be read. It may be another file than @l says,
 * since the process goes on.
 */
static bool is_readable(struct usyms *u, const struct stat *st)
{
	return S_ISREG(st->st_mode) &&
	       mount_kind(u, major(st->st_dev), minor(st->st_dev)) != MOUNT_FUSE;
}

/*
 * Returns a handle (O_PATH) on the file of a region, else -1. It is found through map_files, which
 * needs CAP_CHECKPOINT_RESTORE, has files that were removed or replaced since, and follows no path.
 * A path of the process may by now lead into a mount of its own, or to a device. A file on FUSE, or
 * on a file system that this host has not mounted, is not touched.
 */
static int find_mapped(struct usyms *u, u32 pid, const struct maps_line *l, u64 *changed_ns)
{
	char path[PATH_MAX];
	struct stat st;
	int fd;

	if (mount_kind(u, l->dev_major, l->dev_minor) != MOUNT_KERNEL)
		return -1;
	snprintf(path, sizeof(path), "%s/%u/map_files/%llx-%llx", u->proc, pid,
		 (unsigned long long)l->start, (unsigned long long)l->end);
	fd = open(path, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return -1;
	if (fstat(fd, &st) || !is_readable(u, &st)) {
		close(fd);
		return -1;
	}
	*changed_ns = clock_from(st.st_ctim);
	return fd;
}

/* Opens the file of @handle for reading, and closes @handle. */
static int open_found(int handle)
{
	int fd;

	if (handle < 0)
		return -1;
	fd = handle_open(handle);
	close(handle);
	return fd;
}

static void read_symbols(struct usyms *u, struct file *f)
{
	if (f->fd < 0)
		return;
	if (u->bytes < SYMS_BYTES) {
		elfsyms_read(&f->syms, f->fd);
		u->bytes += f->syms.bytes;
		if (u->bytes >= SYMS_BYTES)
			note("the symbols take too much memory: functions of further files have no names");
	}
	close(f->fd);
	f->fd = -1;
	u->n_open--;
}

/* Returns the index of a file met before that @handle is on; NO_FILE: it is a new one. */
static u32 known_file(const struct usyms *u, const struct maps_line *l, int handle, u64 changed_ns)
{
	for (u32 i = u->n_files; i--;) {
		const struct file *f = &u->file[i];

		if (f->inode == l->inode && f->dev_major == l->dev_major &&
		    f->dev_minor == l->dev_minor && (handle < 0 || f->changed_ns == changed_ns))
			return i;
	}
	return NO_FILE;
}

/* Adds the file of a region. One without readable symbols is kept as well, for its name. */
static u32 add_file(struct usyms *u, u32 pid, const struct maps_line *l)
{
	const char *slash = strrchr(l->path, '/');
	u64 changed_ns = 0;
	int handle = find_mapped(u, pid, l, &changed_ns);
	u32 known = known_file(u, l, handle, changed_ns);
	struct file *f = NULL;

	if (known == NO_FILE)
		f = array_add((void **)&u->file, &u->n_files, &u->file_room, sizeof(*f));
	if (!f) {
		if (handle >= 0)
			close(handle);
		return known;
	}
	f->inode = l->inode;
	f->changed_ns = changed_ns;
	f->dev_major = l->dev_major;
	f->dev_minor = l->dev_minor;
	f->name = strdup(slash ? slash + 1 : l->path);
	f->fd = open_found(handle);
	u->n_open += f->fd >= 0;
	if (u->n_open > FILES_OPEN)
		read_symbols(u, f);
	return u->n_files - 1;
}

static int add_region(struct usyms *u, struct process *p, const struct maps_line *l)
{
	if (p->n == REGIONS)
		return -E2BIG;
	if (!array_grow((void **)&p->region, p->n, &p->room, sizeof(*p->region)))
		return -ENOMEM;
	p->region[p->n++] = (struct region){
		.start = l->start,
		.end = l->end,
		.offset = l->offset,
		.file = l->inode ? add_file(u, p->pid, l) : NO_FILE,
	};
	return 0;
}

static void read_maps(struct usyms *u, struct process *p)
{
	char *text, *at, *line;
	struct maps_line l;

	p->n = 0;
	p->err = 0;
	u->mounts_fresh = false;
	text = at = maps_read(u->proc, p->pid, &p->err);
	while (!p->err && (line = strsep(&at, "\n"))) {
		if (maps_parse(line, &l) && l.executable)
			p->err = add_region(u, p, &l);
	}
	if (!p->n && !p->err)
		p->err = -ESRCH;
	free(text);
}

/*
 * Returns the map of a process. A new one takes the place of the one whose last question is oldest.
 * *fresh: it was read just now.
 */
static struct process *find_process(struct usyms *u, u32 pid, bool *fresh)
{
	struct process *oldest = &u->process[0];

	*fresh = false;
	for (u32 i = 0; i < PROCESSES; i++) {
		struct process *p = &u->process[i];

		if (p->used && p->pid == pid)
			return p;
		if (p->used < oldest->used)
			oldest = p;
	}
	oldest->pid = pid;
	oldest->again_ns = 0;
	perfmap_free(&oldest->compiled);
	*fresh = true;
	read_maps(u, oldest);
	return oldest;
}

/*
 * Reads the map of a process again. The old one stays when the process has ended meanwhile. A
 * register that is no frame pointer yields thousands of addresses that nothing is mapped at, so
 * the reading has to rest.
 */
static void read_again(struct usyms *u, struct process *p)
{
	struct process now = { .pid = p->pid };
	u64 begin_ns = clock_ns(CLOCK_MONOTONIC);

	if (begin_ns < p->again_ns)
		return;
	read_maps(u, &now);
	p->again_ns = clock_rest(begin_ns);
	if (now.err) {
		free(now.region);
		p->err = now.err;
		return;
	}
	free(p->region);
	p->region = now.region;
	p->n = now.n;
	p->room = now.room;
}

static const struct region *find_region(const struct process *p, u64 addr)
{
	for (u32 i = 0; i < p->n; i++) {
		if (addr >= p->region[i].start && addr < p->region[i].end)
			return &p->region[i];
	}
	return NULL;
}

/* Returns the word for a failure to read a map. */
static const char *reason(int err)
{
	if (err == -ENOENT || err == -ESRCH)
		return "exited";
	return err == -EACCES || err == -EPERM ? "denied" : NULL;
}

void usyms_find(struct usyms *u, u32 pid, u64 addr, struct sym *sym)
{
	const struct region *r;
	struct process *p;
	struct file *f;
	bool fresh;

	memset(sym, 0, sizeof(*sym));
	p = find_process(u, pid, &fresh);
	p->used = ++u->clock;
	r = find_region(p, addr);
	if (!r && !fresh && !p->err) { /* mapped since, or the process runs another program */
		read_again(u, p);
		r = find_region(p, addr);
	}
	if (!r) {
		sym->module = reason(p->err);
		return;
	}
	sym->module = "anonymous";
	if (r->file != NO_FILE) {
		f = &u->file[r->file];
		read_symbols(u, f);
		elfsyms_find(&f->syms, addr - r->start + r->offset, sym);
		sym->module = f->name;
	}
	if (!sym->name)
		perfmap_find(&p->compiled, u->proc, pid, &u->mounts, addr, sym);
}

void usyms_close(struct usyms *u)
{
	if (!u)
		return;
	for (u32 i = 0; i < PROCESSES; i++) {
		free(u->process[i].region);
		perfmap_free(&u->process[i].compiled);
	}
	for (u32 i = 0; i < u->n_files; i++) {
		if (u->file[i].fd >= 0)
			close(u->file[i].fd);
		free(u->file[i].name);
		elfsyms_free(&u->file[i].syms);
	}
	free(u->file);
	mounts_free(&u->mounts);
	free(u->proc);
	free(u);
}
