// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads event blocks: inflates columns, and puts numbers back into some hundred events at a time.
 */
#ifndef NVT_RECORD_UNPACK_H
#define NVT_RECORD_UNPACK_H

#include <zlib.h>

#include "lib/record/format.h"

/* So many events at a time: they and their numbers stay in the first-level cache. */
#define UNPACK_BATCH 256

/* One of our columns, in the block at hand. */
struct unpack_column {
	u8 *room; /* inflated numbers, room_bytes long */
	u32 room_bytes;
	const u8 *data; /* in `room` or in the block; NULL: not in this block */
	u64 base, before;
	u8 width, encoding;
	bool wanted;
};

struct unpack {
	z_stream z;
	struct unpack_column column[RECORD_COLUMNS];
	u32 n, at; /* events of the block, and how many were handed out */
	s64 wall_offset_ns;
	u64 ts_ns[UNPACK_BATCH], value[UNPACK_BATCH];
	struct event ev[UNPACK_BATCH];
};

/* Prepares for the columns that @needs asks for. 0 or -ENOMEM. */
int unpack_open(struct unpack *u, u32 needs);
/*
 * Begins an event block; @map has our column for each of the file's @n_columns, or RECORD_COLUMNS.
 * The block must stay in memory. 0, -EINVAL when it is not sound, -ENOMEM.
 */
int unpack_begin(struct unpack *u, const struct record_block *b, const u8 *payload, const u8 *map,
		 u32 n_columns);
/* Fills u->ev with the next events of the block; returns how many, 0 at its end. */
u32 unpack_next(struct unpack *u);
void unpack_close(struct unpack *u);

#endif
