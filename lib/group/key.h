// SPDX-License-Identifier: GPL-2.0-or-later
/* A row of the table of keys. */
#ifndef NVT_GROUP_KEY_H
#define NVT_GROUP_KEY_H

#include "lib/group/group.h"

struct key_info {
	enum key key;
	bool bare; /* in the name of a row it stands without its label */
	u32 needs; /* bits of enum need */
	struct group_key mask; /* the members that it fills in */
	const struct field *fields; /* its columns */
	/* fill() takes the key from a command of a recording, show() puts it into the row. */
	void (*fill)(struct group_key *key, const struct group *g, const struct view *v);
	void (*show)(struct group_row *row, const struct group *g, const struct group_key *key);
	/*
	 * The value as text is a string if text_at has one that is known, else what text() writes,
	 * else a number.
	 */
	const char *label;
	void (*text)(const struct out *o, const void *row, char *buf, size_t size);
	size_t text_at, number_at; /* offsets in struct group_row; 0: none */
	size_t brief_at; /* offset of the string that is used in the name of a row */
};

/* The keys in the order of the columns; KEY_NONE ends them. */
extern const struct key_info key_infos[];

#endif
