// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A bounded table of rows by key. A row is a piece of memory of the command's size: its key comes
 * first, what the command sums up follows, zeroed when the row is made. Keys begin with a struct
 * group_key and are compared as bytes.
 */
#ifndef NVT_GROUP_TABLE_H
#define NVT_GROUP_TABLE_H

#include "lib/base/types.h"

struct group_table;

/*
 * Rows of @row_bytes, of which the first @key_bytes, a multiple of eight, are the key. At most
 * @limit rows, and "(other)", which takes what finds none; its key has `other` set. NULL: no memory.
 */
struct group_table *group_table_open(size_t key_bytes, size_t row_bytes, u32 limit);
void group_table_close(struct group_table *t); /* NULL is allowed */

/*
 * The row of @key, made if there is room; else "(other)", which is also that of NULL. Valid until
 * group_table_reset().
 */
void *group_table_row(struct group_table *t, const void *key);

/*
 * Puts the rows in order and returns how many there are. @compare gets two rows; NULL: in the order
 * they came, "(other)" last. "(other)" is there if it was handed out.
 */
u32 group_table_sort(struct group_table *t, int (*compare)(const void *a, const void *b, void *ctx),
		     void *ctx);
/* Row @i of the last group_table_sort(). */
const void *group_table_at(const struct group_table *t, u32 i);

/* Forgets all rows. */
void group_table_reset(struct group_table *t);

#endif
