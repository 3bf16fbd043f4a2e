// SPDX-License-Identifier: GPL-2.0-or-later
/* Has the command make what its run needs, and applies what it asks for. */
#include "lib/base/str.h"
#include "lib/loader/loader.h"
#include "lib/session/impl.h"

/* Sets the contents of sections and the sizes of maps. */
static int configure_object(struct session *s)
{
	const struct session_section *section = s->request.sections;
	const struct session_map *map = s->request.maps;
	int err = 0;

	for (u32 i = 0; !err && i < SESSION_SECTIONS && section[i].name; i++)
		err = loader_rodata(s->loader, section[i].name, section[i].data, section[i].size);
	for (u32 i = 0; !err && i < SESSION_MAPS && map[i].name; i++)
		err = loader_size_map(s->loader, map[i].name, map[i].value_size,
				      map[i].entries ? map[i].entries
						     : loader_queues(&s->kernel.sysfs));
	return err;
}

/*
 * Asks for what the columns that show need, unless it is what the programs never tell. Where a
 * recording lacks some of it, what most recordings lack, that is not told.
 */
static void ask_for_columns(struct session *s)
{
	static const u32 quiet = NEED_CPU | NEED_FILE | NEED_SYNCER;
	u32 needs = s->out ? out_needs(s->out) : 0;

	if (s->loader)
		needs &= ~loader_never(s->loader);
	s->request.optional |= needs & ~quiet;
	s->request.quiet |= needs & quiet;
}

int session_start(struct session *s)
{
	struct session_request *request = &s->request;
	int err;

	s->started = true;
	err = s->cmd->start ? s->cmd->start(s, request) : 0;
	if (err)
		return err;
	ask_for_columns(s);
	s->needs = request->required;
	s->aggregates |= request->aggregates;
	s->subject.filter.admin |= request->admin;
	if (session_is_replay(s))
		return 0;
	s->needs |= request->optional | request->quiet;
	return configure_object(s);
}

int session_replace(struct session *s)
{
	int err = s->out ? out_begin(s->out) : 0;

	return err || !s->cmd->begin ? err : s->cmd->begin(s);
}
