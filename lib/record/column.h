// SPDX-License-Identifier: GPL-2.0-or-later
/* Writes one column of an event block: values are made small, then deflated where that helps. */
#ifndef NVT_RECORD_COLUMN_H
#define NVT_RECORD_COLUMN_H

#include <zlib.h>

#include "lib/record/format.h"

struct record_packer {
	z_stream z;
	u64 value[RECORD_BLOCK_EVENTS];
	u8 bytes[8 * RECORD_BLOCK_EVENTS];
	u8 stored[RECORD_COLUMNS]; /* blocks until a column is deflated again, 0: it is */
};

/* 0 or -ENOMEM. */
int record_column_open(struct record_packer *p);
/*
 * Stores column @number of @n events at @at, which has room for 8 bytes an event, and its 16 bytes
 * of description at @head. Returns the bytes stored.
 */
u32 record_column_pack(struct record_packer *p, u32 number, const struct event *ev, u32 n, u8 *head,
		       u8 *at);
void record_column_close(struct record_packer *p);

#endif
