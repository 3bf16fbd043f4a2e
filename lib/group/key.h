// SPDX-License-Identifier: GPL-2.0-or-later
/* A key of --by as the code of lib/group/ knows it. */
#ifndef NVT_GROUP_KEY_H
#define NVT_GROUP_KEY_H

#include "lib/group/group.h"

struct key_info {
	enum key key;
	bool bare; /* its text names a row without the label in front */
	u32 needs; /* bits of enum need */
	const struct field *fields; /* its columns */
	/* From a command of a recording to the key, from the key to the row. */
	void (*fill)(struct group_key *key, const struct group *g, const struct view *v);
	void (*show)(struct group_row *row, const struct group *g, const struct group_key *key);
	/* As text: text() if there is one, else the first that is known of a string and a number. */
	const char *label;
	void (*text)(const struct out *o, const void *row, char *buf, size_t size);
	size_t text_at, number_at; /* of struct group_row; 0: none */
	size_t brief_at; /* the string that stands for it in the name of a row */
};

/* In the order of the columns, ended by KEY_NONE. */
extern const struct key_info key_infos[];

#endif
