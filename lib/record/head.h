// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads the blocks of a recording that are lines of text: HEAD and END. */
#ifndef NVT_RECORD_HEAD_H
#define NVT_RECORD_HEAD_H

#include "lib/event/counters.h"
#include "lib/record/format.h"

struct reader;

/*
 * Fills rd->head, rd->text and rd->map. 0, -EINVAL (too large, or no column for the time), -ENOMEM.
 */
int record_head_read(struct reader *rd, const u8 *payload, u32 size);

/* Sets @total to the counters of END; those that END does not have become 0. */
void record_end_read(struct counters *total, const u8 *payload, u32 size);

#endif
