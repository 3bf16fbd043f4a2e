// SPDX-License-Identifier: GPL-2.0-or-later
/* Puts like commands together. */
#include "cmd/report/classes.h"

#include <math.h>
#include <stdlib.h>

#include "lib/base/hash.h"

#define NO_CLASS CLASSES_MOST

u64 class_of_sender(const struct log *l, u32 i)
{
	const struct log_command *c = &l->at[i];

	if (l->kind[c->kind]->key.admin || l->sender[c->sender]->key.other || l->apart[i])
		return CLASS_NONE;
	return (u64)c->kind << 32 | (u64)c->sender << 16;
}

u64 class_of_depth(const struct log *l, u32 i)
{
	u64 key = class_of_sender(l, i);

	return key == CLASS_NONE ? key : key | class_bits(l->own[i]);
}

/* The class of command @i, which is made if it is new. */
static u32 number_of(struct classes *c, struct hash_index *x, u64 *keys, const struct log *l, u32 i,
		     u64 key)
{
	u32 at, number;

	if (key == CLASS_NONE)
		return NO_CLASS;
	if (hash_find(x, keys, key, &at, &number))
		return number;
	if (c->n == CLASSES_MOST)
		return NO_CLASS;
	hash_put(x, at, c->n);
	keys[c->n] = key;
	c->is[c->n] =
		(struct class){ .kind = l->at[i].kind, .sender = l->at[i].sender, .key = key };
	return c->n++;
}

/* Writes the commands of each class side by side, in the order of submission or of @by->at. */
static void fill(struct classes *c, const struct log *l, const struct classing *by,
		 const u16 *number)
{
	u32 first = 0;

	for (u32 i = 0; i < c->n; i++) {
		c->is[i].first = first;
		first += c->is[i].n;
		c->is[i].n = 0;
	}
	for (u32 i = 0; i < l->n; i++) {
		const struct log_command *command = &l->at[l->by_submit[i]];
		struct class *class = &c->is[number[i]];

		if (number[i] == NO_CLASS)
			continue;
		c->point[class->first + class->n++] = (struct stretch_point){
			.at = by->at ? by->at(command) : (double)command->submit_ns,
			.value = by->value ? by->value(l, l->by_submit[i])
					   : logf(command->lat_ns + 1),
			.tag = l->by_submit[i],
		};
	}
	for (u32 i = 0; by->at && i < c->n; i++)
		qsort(c->point + c->is[i].first, c->is[i].n, sizeof(*c->point), stretch_by_place);
}

struct classes *classes_make(const struct log *l, const struct classing *by)
{
	struct classes *c = calloc(1, sizeof(*c));
	u64 *keys = calloc(CLASSES_MOST, sizeof(*keys));
	u16 *number = malloc((l->n + 1) * sizeof(*number));
	struct hash_index x = { 0 };

	if (c)
		c->point = malloc((l->n + 1) * sizeof(*c->point));
	if (c && c->point && keys && number && !hash_open(&x, CLASSES_MOST)) {
		for (u32 i = 0; i < l->n; i++) {
			u32 at = l->by_submit[i];

			number[i] = (u16)number_of(c, &x, keys, l, at, by->key(l, at));
			if (number[i] != NO_CLASS)
				c->is[number[i]].n++;
		}
		fill(c, l, by, number);
	} else {
		classes_free(c);
		c = NULL;
	}
	hash_close(&x);
	free(keys);
	free(number);
	return c;
}

void classes_free(struct classes *c)
{
	if (c)
		free(c->point);
	free(c);
}
