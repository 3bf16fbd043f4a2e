// SPDX-License-Identifier: GPL-2.0-or-later
/* Text of frames; the maps of processes are kept for a second, they change with exec and dlopen. */
#include <errno.h>
#include <inttypes.h>

#include "lib/err.h"
#include "lib/frames.h"
#include "lib/ksyms.h"
#include "lib/session.h"
#include "lib/str.h"

#define PROCESSES 64 /* whose maps are kept; a power of two */
#define MAPPINGS  512 /* executable ones of a process */
#define TEXT_MAX  512
#define KEEP_NS	  1000000000ULL

/* Part of a file, mapped. */
struct mapping {
	u64 start, end, offset;
	char file[64]; /* last part of the path */
};

struct process {
	u32 pid, n;
	u64 read_ns; /* by the events' clock; 0: empty */
	struct mapping *map;
};

struct frames {
	struct ksyms *ksyms;
	struct process process[PROCESSES];
	char text[TEXT_MAX];
};

int frames_open(struct frames **frames, bool kernel, bool user)
{
	struct frames *f = calloc(1, sizeof(*f));
	int err = 0;

	*frames = f;
	if (!f)
		return fail(-ENOMEM, NULL, NULL, "cannot name stacks");
	if (kernel)
		err = ksyms_open(&f->ksyms, NULL);
	if (err)
		return fail(err, NULL, NULL, "cannot name kernel functions");
	for (u32 i = 0; user && i < PROCESSES; i++) {
		f->process[i].map = calloc(MAPPINGS, sizeof(struct mapping));
		if (!f->process[i].map)
			return fail(-ENOMEM, NULL, NULL, "cannot name stacks");
	}
	return 0;
}

void frames_close(struct frames *f)
{
	if (!f)
		return;
	ksyms_close(f->ksyms);
	for (u32 i = 0; i < PROCESSES; i++)
		free(f->process[i].map);
	free(f);
}

/* Takes an executable line of maps: "start-end r-xp offset dev inode path". */
static void take_line(struct process *p, const char *line)
{
	struct mapping *m = &p->map[p->n];
	char perms[5], path[256] = "";
	const char *last;

	if (p->n == MAPPINGS ||
	    sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*s %255[^\n]", &m->start,
		   &m->end, perms, &m->offset, path) < 4 ||
	    perms[2] != 'x' || !path[0])
		return;
	last = strrchr(path, '/');
	snprintf(m->file, sizeof(m->file), "%.63s", last ? last + 1 : path);
	p->n++;
}

/* A process that is gone has no maps: its frames stay addresses. */
static void read_maps(struct process *p, u32 pid, u64 now_ns)
{
	char path[32], line[512];
	FILE *in;

	p->pid = pid;
	p->n = 0;
	p->read_ns = now_ns;
	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	in = fopen(path, "re");
	if (!in)
		return;
	while (fgets(line, sizeof(line), in))
		take_line(p, line);
	fclose(in);
}

static void find_user(struct frames *f, const struct view *v, u64 addr, struct sym *sym)
{
	struct process *p = &f->process[v->ev->pid & (PROCESSES - 1)];

	*sym = (struct sym){ 0 };
	if (!p->map)
		return;
	if (p->pid != v->ev->pid || v->ev->ts_ns >= p->read_ns + KEEP_NS)
		read_maps(p, v->ev->pid, v->ev->ts_ns);
	for (u32 i = 0; i < p->n; i++) {
		const struct mapping *m = &p->map[i];

		if (addr < m->start || addr >= m->end)
			continue;
		sym->name = m->file;
		sym->offset = addr - m->start + m->offset;
		return;
	}
}

const char *frames_text(struct frames *f, const struct view *v, bool user, u32 i)
{
	const char *const *recorded = user ? v->utext : v->ktext;
	u64 addr = user ? v->ustack[i] : v->kstack[i];
	struct sym sym = { 0 };

	if (recorded && recorded[i])
		return recorded[i];
	if (!f)
		return "?";
	if (user)
		find_user(f, v, addr, &sym);
	else if (f->ksyms)
		ksyms_find(f->ksyms, addr, &sym);
	return symtab_format(f->text, sizeof(f->text), addr, &sym, true);
}
