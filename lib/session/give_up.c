// SPDX-License-Identifier: GPL-2.0-or-later
/* Gives up the privileges that a live session does not need after attaching. */
#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/host/confine.h"
#include "lib/session/impl.h"

static u32 still_done(const struct session *s)
{
	u32 what = 0;

	if (s->program)
		what |= CONFINE_PROGRAM;
	if (s->request.makes_files)
		what |= CONFINE_FILES | (s->request.foreign_files ? CONFINE_OVERRIDE : 0);
	if (s->request.replaces_file)
		what |= CONFINE_REPLACE;
	if (s->request.serves)
		what |= CONFINE_SERVE;
	if (s->request.screen_fd)
		what |= CONFINE_SCREEN;
	return what;
}

static const char *why_kept(const struct session *s, u32 what)
{
	if (s->needs & NEED_USTACK)
		return "it looks up the functions of other processes";
	if (what & CONFINE_USERS)
		return "it looks up the open files of other processes";
	if (s->request.foreign_files)
		return "it creates files in a directory of another user";
	return "this kernel asks for it when maps are read";
}

static void tell_kept(const struct session *s, u32 what)
{
	char names[120] = "";
	const char *name;
	u64 bit;

	for (u32 i = 0; (name = confine_cap_name(i, &bit)); i++) {
		if (s->account.kept_caps & bit)
			snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%s",
				 names[0] ? ", " : "", name);
	}
	if (names[0])
		note("keeps %s while it runs, because %s", names, why_kept(s, what));
}

int session_confine(struct session *s)
{
	int map = -1, err;
	u32 what = still_done(s);

	if (s->source->still)
		what |= s->source->still(s, &map);
	err = confine(what, map, &s->account.kept_caps);
	if (!err && !session_once(s))
		tell_kept(s, what);
	return err;
}
