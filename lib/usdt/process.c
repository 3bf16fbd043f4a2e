// SPDX-License-Identifier: GPL-2.0-or-later
/* Walks over what a process has mapped. */
#include "lib/usdt/process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "lib/base/array.h"
#include "lib/base/err.h"
#include "lib/base/handle.h"
#include "lib/base/str.h"
#include "lib/host/comm.h"
#include "lib/host/mappings.h"

#define PROC  "/proc"
#define FILES 4096 /* mapped files that are looked at */

/* A file met on the walk. */
struct seen {
	u64 inode;
	u32 dev_major, dev_minor;
	u32 mapped; /* index of struct usdt_mapped, NOT_WANTED */
};

#define NOT_WANTED UINT32_MAX

struct walk {
	struct usdt_process *p;
	const char *provider;
	struct seen *seen;
	u32 n_seen, seen_room;
};

/* Opens a regular file to be read, -1: it is none, or not the file of @l. */
static int open_if(const char *path, const struct maps_line *l, bool same_dev)
{
	int handle = open(path, O_PATH | O_CLOEXEC), fd = -1;
	struct stat st;

	if (handle < 0)
		return -1;
	if (!fstat(handle, &st) && S_ISREG(st.st_mode) && st.st_ino == l->inode &&
	    (!same_dev || (major(st.st_dev) == l->dev_major && minor(st.st_dev) == l->dev_minor)))
		fd = handle_open(handle);
	close(handle);
	return fd;
}

/*
 * Opens the file of a region. map_files has deleted files, and needs CAP_CHECKPOINT_RESTORE; the
 * link to the executable has it, too; a path leads into the mounts of the process. On btrfs and
 * overlayfs the device of a file is not that of its map.
 */
static int open_mapped(u32 pid, const struct maps_line *l)
{
	char path[PATH_MAX + 64];
	int fd;

	snprintf(path, sizeof(path), PROC "/%u/map_files/%llx-%llx", pid,
		 (unsigned long long)l->start, (unsigned long long)l->end);
	fd = open_if(path, l, false);
	if (fd < 0) {
		snprintf(path, sizeof(path), PROC "/%u/exe", pid);
		fd = open_if(path, l, false);
	}
	if (fd < 0) {
		snprintf(path, sizeof(path), PROC "/%u/root%s", pid, l->path);
		fd = open_if(path, l, true);
	}
	return fd;
}

static bool has_wanted(const struct usdt_file *f, const char *provider)
{
	for (u32 i = 0; i < f->n_probes; i++) {
		if (streq(f->probe[i].provider, provider))
			return true;
	}
	return false;
}

/* Takes the version that a file of the provider names; different ones are none. */
static void take_version(struct usdt_process *p, const struct usdt_file *f)
{
	bool pre = false;
	u32 version = usdt_version(f, &pre);

	if (version && p->version && (version != p->version || pre != p->pre))
		p->versions = true;
	if (version) {
		p->version = version;
		p->pre = pre;
	}
}

/* Keeps a file with probes. NOT_WANTED: it has none, or *@err. */
static u32 keep_file(struct walk *w, int fd, const struct maps_line *l, int *err)
{
	const char *base = strrchr(l->path, '/');
	struct usdt_process *p = w->p;
	struct usdt_mapped m = { 0 };
	bool wanted;

	*err = usdt_notes_read(&m.file, fd);
	*err = *err == -ENOEXEC ? 0 : *err;
	p->bad += m.file.bad;
	wanted = !*err && has_wanted(&m.file, w->provider);
	if (wanted || (base && strstr(base, w->provider)))
		take_version(p, &m.file);
	m.path = wanted ? strdup(l->path) : NULL;
	if (m.path && array_grow((void **)&p->mapped, p->n_mapped, &p->room, sizeof(m))) {
		p->mapped[p->n_mapped] = m;
		return p->n_mapped++;
	}
	*err = wanted ? -ENOMEM : *err;
	free(m.path);
	usdt_notes_free(&m.file);
	close(fd);
	return NOT_WANTED;
}

/* The file of a region, read when it is met first. */
static u32 file_of(struct walk *w, const struct maps_line *l, int *err)
{
	struct usdt_process *p = w->p;
	struct seen *s;
	int fd;

	for (u32 i = 0; i < w->n_seen; i++) {
		s = &w->seen[i];
		if (s->inode == l->inode && s->dev_major == l->dev_major &&
		    s->dev_minor == l->dev_minor)
			return s->mapped;
	}
	if (w->n_seen == FILES)
		return NOT_WANTED;
	if (!array_grow((void **)&w->seen, w->n_seen, &w->seen_room, sizeof(*s))) {
		*err = -ENOMEM;
		return NOT_WANTED;
	}
	fd = open_mapped(p->pid, l);
	p->open += fd >= 0;
	if (fd < 0 && !p->closed++)
		snprintf(p->closed_path, sizeof(p->closed_path), "%s", l->path);
	s = &w->seen[w->n_seen++];
	*s = (struct seen){ l->inode, l->dev_major, l->dev_minor, NOT_WANTED };
	if (fd >= 0)
		s->mapped = keep_file(w, fd, l, err);
	return s->mapped;
}

/* Adds the places of file @index that lie in the region. */
static int add_places(struct walk *w, const struct maps_line *l, u32 index)
{
	struct usdt_process *p = w->p;
	const struct usdt_file *f = &p->mapped[index].file;

	for (u32 i = 0; i < f->n_probes; i++) {
		u64 offset = f->probe[i].offset;

		if (!streq(f->probe[i].provider, w->provider) || offset < l->offset ||
		    offset - l->offset >= l->end - l->start)
			continue;
		if (!array_grow((void **)&p->at, p->n_at, &p->at_room, sizeof(*p->at)))
			return -ENOMEM;
		p->at[p->n_at++] =
			(struct usdt_at){ &f->probe[i], index, l->start + (offset - l->offset) };
	}
	return 0;
}

static int walk(struct walk *w, char *text)
{
	struct maps_line l;
	char *line;
	int err = 0;

	while (!err && (line = strsep(&text, "\n"))) {
		u32 file;

		if (!maps_parse(line, &l) || !l.executable || !l.inode)
			continue;
		file = file_of(w, &l, &err);
		if (!err && file != NOT_WANTED)
			err = add_places(w, &l, file);
	}
	return err;
}

/* Says why the map of a process cannot be read. A kernel thread has none. */
static int refused(u32 pid, int err)
{
	char path[64];

	snprintf(path, sizeof(path), PROC "/%u", pid);
	if (err == -ENOENT || access(path, F_OK))
		return fail(EXIT_AS(EXIT_NOTHING), "no such process", "list them: ps -e",
			    "--pid %u", pid);
	if (err == -EACCES || err == -EPERM)
		return fail(EXIT_AS(EXIT_PERMISSION),
			    "the process belongs to another user, or has more privileges",
			    "run as root, or with CAP_SYS_PTRACE", "--pid %u", pid);
	if (err == -ESRCH)
		return fail(EXIT_AS(EXIT_NOTHING),
			    "it has no memory: it is a kernel thread, or ends just now",
			    "name a process of SPDK", "--pid %u", pid);
	return fail(err, NULL, NULL, "--pid %u", pid);
}

int usdt_process_read(struct usdt_process *p, u32 pid, const char *provider)
{
	struct walk w = { .p = p, .provider = provider };
	char *text;
	int err = 0;

	*p = (struct usdt_process){ .pid = pid };
	comm_read(pid, p->comm, sizeof(p->comm));
	text = maps_read(PROC, pid, &err);
	if (!text)
		return refused(pid, err);
	err = walk(&w, text);
	free(text);
	free(w.seen);
	if (p->versions)
		p->version = 0;
	return err ? fail(err, NULL, NULL, "probes of process %u", pid) : 0;
}

/* A file, and the number that the loader added to its addresses. */
struct moved {
	const struct usdt_file *file;
	u64 bias;
};

static int find_name(const void *ctx, const char *name, u64 *address)
{
	const struct moved *moved = ctx;
	int err = usdt_symbol(moved->file, name, address);

	*address += moved->bias;
	return err;
}

int usdt_process_args(const struct usdt_process *p, const struct usdt_at *at,
		      struct usdt_spec *spec, const char *why[USDT_ARGS])
{
	const struct moved moved = { &p->mapped[at->file].file, at->address - at->probe->address };
	const struct usdt_names names = { find_name, &moved };

	return usdt_args(spec, at->probe->args, &names, why);
}

void usdt_process_free(struct usdt_process *p)
{
	for (u32 i = 0; i < p->n_mapped; i++) {
		close(p->mapped[i].file.fd);
		usdt_notes_free(&p->mapped[i].file);
		free(p->mapped[i].path);
	}
	free(p->mapped);
	free(p->at);
	*p = (struct usdt_process){ 0 };
}
