// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of views, and what follows from their keys. */
#include "cmd/top/top_view.h"

#include "lib/base/str.h"
#include "lib/group/fields.h"

#define ON(key) (1U << KEY_##key)

/* clang-format off */
const struct opt_word top_view_words[] = {
	{ "proc", ON(PID) | ON(COMM) | ON(DEV) | ON(OPCODE), "a row per process, device and operation" },
	{ "cgroup", ON(CGROUP) | ON(DEV) | ON(OPCODE), "per cgroup that caused it, device and operation" },
	{ "dev", ON(DEV) | ON(OPCODE), "per namespace's device and operation" },
	{ "ctrl", ON(CTRL) | ON(OPCODE), "per controller and operation" },
	{ "queue", ON(CTRL) | ON(QID) | ON(OPCODE), "per queue and operation" },
	{ "owner", ON(OWNER) | ON(DEV) | ON(OPCODE), "the same; of a recording it must be there" },
	{ NULL },
};

const struct opt_word top_by_words[] = {
	GROUP_WORD(NONE) GROUP_ALL(GROUP_WORD)
	{ NULL },
};
/* clang-format on */

/* The index of the view with these keys; that of the end if there is none. */
static u32 find(u32 by)
{
	u32 i = 0;

	while (top_view_words[i].word && top_view_words[i].value != by)
		i++;
	return i;
}

const char *top_view_name(u32 by, char *buf, size_t size)
{
	const char *name = top_view_words[find(by)].word;
	size_t n = 0;

	if (name)
		return name;
	snprintf(buf, size, "%s", top_by_words[0].word);
	for (const struct opt_word *w = top_by_words + 1; w->word && n < size; w++) {
		if (by >> w->value & 1)
			n += (size_t)snprintf(buf + n, size - n, "%s%s", n ? "," : "", w->word);
	}
	return buf;
}

u32 top_view_all(u32 by)
{
	for (const struct opt_word *w = top_view_words; w->word; w++) {
		if (!(w->value & ON(OWNER))) /* which is looked up for each command */
			by |= w->value;
	}
	return by;
}

u32 top_view_next(u32 by, u32 own, u32 all)
{
	const u32 n = ARRAY_SIZE(top_view_words);
	u32 i = find(by), keys;

	do {
		i = (i + 1) % n;
		keys = top_view_words[i].word ? top_view_words[i].value : own;
	} while (keys & ~all);
	return keys;
}

u32 top_view_busy(u32 by)
{
	switch (by & ~(ON(OPCODE) | ON(HOST))) {
	case ON(DEV):
		return BUSY_DEVICE;
	case ON(CTRL):
		return BUSY_CTRL;
	case ON(CTRL) | ON(QID):
		return BUSY_QUEUE;
	default:
		return BUSY_NONE;
	}
}

bool top_view_late(u32 by)
{
	return by & (ON(STATUS) | ON(DURING));
}
