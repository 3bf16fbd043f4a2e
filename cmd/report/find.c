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
	*f = (struct finding){
		.kind = kind, .severity = severity, .side = side, .pid = -1, .with_pid = -1
	};
	if (!dev)
		return f;
	snprintf(f->dev_room, sizeof(f->dev_room), "%s", dev);
	finding_say(f, "%s: ", dev);
	return f;
}

/* Writes @word for a shell, in quotes where it needs them. */
static void quote(char *to, size_t size, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "_@%+=:,./-";
	size_t n = 0;

	if (*word && !word[strspn(word, plain)]) {
		snprintf(to, size, "%s", word);
		return;
	}
	to[n++] = '\'';
	for (; *word && n + 6 < size; word++) {
		if (*word == '\'')
			n += (size_t)snprintf(to + n, size - n, "'\\'");
		to[n++] = *word;
	}
	snprintf(to + n, size - n, "'");
}

void find_shows(struct report *r, struct finding *f, const char *format, ...)
{
	char options[200], file[256] = "";
	va_list args;

	va_start(args, format);
	vsnprintf(options, sizeof(options), format, args);
	va_end(args);
	if (session_is_replay(r->s))
		quote(file, sizeof(file),
		      r->page ? page_file(r, f->side)
			      : session_common(r->s)->run.input.word[f->side]);
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

void find_who(struct report *r, struct finding *f, const struct group_key *key)
{
	struct group_row keys;

	group_row_fill(&keys, &r->find_groups.who, key);
	snprintf(f->comm_room, sizeof(f->comm_room), "%s", keys.comm ? keys.comm : "");
	f->pid = keys.pid;
}

void find_all(struct report *r)
{
	static void (*const looks[])(struct report * r, u32 side) = {
		find_lost,   find_errors,  find_resets,	    find_retries,    find_paths,
		find_stalls, find_steps,   find_waits,	    find_saturation, find_admin,
		find_uneven, find_flushes, find_misaligned, find_discards,   find_writeback,
	};

	for (u32 side = 0; side < r->sides; side++) {
		find_settle(r, &r->side[side]);
		for (u32 i = 0; i < ARRAY_SIZE(looks); i++)
			looks[i](r, side);
	}
	qsort(r->find.at, r->find.n, sizeof(r->find.at[0]), finding_compare);
	for (u32 i = 0; i < r->find.n; i++)
		finding_settle(&r->find.at[i]);
}
