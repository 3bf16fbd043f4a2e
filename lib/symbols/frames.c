// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Gives the text of frames: live from the tables of the kernel and of processes, else as recorded.
 */
#include <errno.h>

#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/event/view.h"
#include "lib/host/probe.h"
#include "lib/symbols/frames.h"
#include "lib/symbols/ksyms.h"
#include "lib/symbols/usyms.h"

struct frames {
	struct ksyms *ksyms;
	struct usyms *usyms;
	char text[VIEW_FRAME];
};

static int open_kernel(struct frames *f)
{
	int err = ksyms_open(&f->ksyms, NULL);
	struct probe p;

	if (err || !ksyms_hidden(f->ksyms))
		return err;
	probe_read(&p);
	note("functions of the kernel have no names, because it hides their addresses; %s",
	     probe_kptr_remedy(&p));
	return 0;
}

int frames_open(struct frames **frames, bool kernel, bool user)
{
	struct frames *f = calloc(1, sizeof(*f));
	int err = f ? 0 : -ENOMEM;

	*frames = f;
	if (!err && kernel)
		err = open_kernel(f);
	if (!err && user && !probe_host_pids()) /* here the number belongs to another process */
		note("user functions have no names, because process IDs are those of the host, not of "
		     "this PID namespace");
	else if (!err && user)
		err = usyms_open(&f->usyms, NULL);
	return err ? fail(err, NULL, NULL, "cannot name the frames of stacks") : 0;
}

void frames_close(struct frames *f)
{
	if (!f)
		return;
	ksyms_close(f->ksyms);
	usyms_close(f->usyms);
	free(f);
}

const char *frames_name(struct frames *f, bool user, u32 pid, u64 addr, bool offsets)
{
	struct sym sym = { 0 };

	if (user && f->usyms)
		usyms_find(f->usyms, pid, addr, &sym);
	else if (!user && f->ksyms)
		ksyms_find(f->ksyms, addr, &sym);
	return symtab_format(f->text, sizeof(f->text), addr, &sym, offsets);
}

const char *frames_text(struct frames *f, const struct view *v, bool user, u32 i)
{
	const char *const *recorded = user ? v->utext : v->ktext;
	u64 addr = user ? v->ustack[i] : v->kstack[i];

	if (recorded)
		return recorded[i] ? recorded[i] : "?";
	if (!f)
		return "?";
	return frames_name(f, user, v->ev->pid, addr, true);
}
