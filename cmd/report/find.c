// SPDX-License-Identifier: GPL-2.0-or-later
/* Looks for findings, and sorts them. */
#include <stdarg.h>
#include <stdlib.h>

#include "cmd/report/page.h"
#include "lib/base/fmt.h"
#include "lib/base/str.h"
#include "lib/base/units.h"

struct finding *find_new(struct report *r, u32 side, enum finding_kind kind,
			 enum finding_severity severity, const char *dev)
{
	struct find *all = &r->find;
	struct finding *f;

	if (all->n == FIND_MOST) { /* the least consequential one goes */
		qsort(all->at, all->n, sizeof(all->at[0]), finding_compare);
		all->n--;
	}
	f = &all->at[all->n++];
	*f = (struct finding){ .kind = kind, .severity = severity, .side = side, .pid = -1 };
	if (!dev)
		return f;
	snprintf(f->dev_room, sizeof(f->dev_room), "%s", dev);
	finding_say(f, "%s: ", dev);
	return f;
}

void find_shows(struct report *r, struct finding *f, const char *format, ...)
{
	char options[500], file[FIND_WORD] = "";
	va_list args;

	va_start(args, format);
	vsnprintf(options, sizeof(options), format, args);
	va_end(args);
	if (session_is_replay(r->s))
		find_quote(r->page ? page_file(r, f->side)
				   : session_common(r->s)->run.input.word[f->side],
			   file);
	snprintf(f->command_room, sizeof(f->command_room), "nvmetool %s%s%s", options,
		 file[0] ? " -i " : "", file);
}

void find_when(struct report *r, struct finding *f, u64 from_ns, u64 to_ns)
{
	f->from_ns = session_wall_ns(r->s, from_ns);
	f->to_ns = session_wall_ns(r->s, to_ns);
}

const char *find_time(struct report *r, u64 ns, char buf[FIND_TIME])
{
	struct out_stamp stamp;

	out_stamp(&stamp, session_wall_ns(r->s, ns), out_opts(r->o)->utc, 1);
	snprintf(buf, FIND_TIME, "%s", stamp.time);
	return buf;
}

void find_op(struct finding *f, const char *op)
{
	snprintf(f->op_room, sizeof(f->op_room), "%s", op ? op : "");
}

const char *find_time_after(struct report *r, u64 from_ns, u64 ns, char buf[FIND_TIME])
{
	char from[FIND_TIME];
	size_t minute = sizeof("22:13:") - 1;

	find_time(r, from_ns, from);
	find_time(r, ns, buf);
	if (!strncmp(from, buf, minute))
		memmove(buf, buf + minute, strlen(buf + minute) + 1);
	return buf;
}

bool find_is_io(const struct log *l, u32 kind)
{
	return !l->kind[kind]->key.admin && !l->kind[kind]->key.other;
}

bool find_is_of(const struct log *l, u32 kind, u32 device)
{
	return find_is_io(l, kind) && l->kind[kind]->key.device == device;
}

bool find_is_first(const struct log *l, u32 kind)
{
	u32 i = 0;

	while (i < kind && !find_is_of(l, i, l->kind[kind]->key.device))
		i++;
	return i == kind && find_is_io(l, kind);
}

int find_all(struct report *r)
{
	static void (*const looks[])(struct report * r, u32 side) = {
		find_changes, find_lost,    find_errors, find_resets,	  find_retries,	 find_paths,
		find_hung,    find_uneven,  find_slow,	 find_pauses,	  find_overload, find_waits,
		find_tails,   find_regions, find_load,	 find_misaligned,
	};
	int err = 0;

	for (u32 side = 0; !err && side < r->sides; side++)
		err = log_settle(&r->side[side].log);
	for (u32 side = 0; !err && side < r->sides; side++) {
		for (u32 i = 0; i < ARRAY_SIZE(looks); i++)
			looks[i](r, side);
	}
	qsort(r->find.at, r->find.n, sizeof(r->find.at[0]), finding_compare);
	for (u32 i = 0; i < r->find.n; i++)
		finding_settle(&r->find.at[i]);
	return err;
}
