// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A bounded table of rows by key. A row is a piece of memory whose size the command chooses. The
 * key comes first, then the command's sums, which begin as zeroes. Keys begin with a struct
 * group_key and are compared as bytes.
 */
#ifndef NVT_GROUP_TABLE_H
#define NVT_GROUP_TABLE_H

#include "lib/base/types.h"

struct group_table;

/*
 * Opens a table of rows of @row_bytes, of which the first @key_bytes, a multiple of eight, are the
 * key. It has at most @limit rows, and "(other)" for keys that find no room; the key of that row
 * has `other` set. NULL: no memory.
 */
struct group_table *group_table_open(size_t key_bytes, size_t row_bytes, u32 limit);
void group_table_close(struct group_table *t); /* NULL is allowed */

/*
 * The row of @key, which is added if there is room. Otherwise, and if @key is NULL, the row
 * "(other)". Valid until group_table_reset().
 */
void *group_table_row(struct group_table *t, const void *key);

/* The row of @key; NULL: there is none. Valid as that of group_table_row(). */
void *group_table_find(const struct group_table *t, const void *key);

/*
 * Sorts the rows and returns how many there are. @compare gets two rows; NULL keeps the order in
 * which they came, with "(other)" last. "(other)" is among them if group_table_row() has returned
 * it.
 */
u32 group_table_sort(struct group_table *t, int (*compare)(const void *a, const void *b, void *ctx),
		     void *ctx);
/* Row @i in the order of the last group_table_sort(). */
const void *group_table_at(const struct group_table *t, u32 i);

/* Forgets all rows. */
void group_table_reset(struct group_table *t);

#endif
