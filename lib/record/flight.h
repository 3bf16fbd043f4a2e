// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Functions that a writer calls for a flight recorder. Those for any writer do nothing where it is
 * none.
 */
#ifndef NVT_RECORD_FLIGHT_H
#define NVT_RECORD_FLIGHT_H

#include "lib/base/types.h"

struct record_writer;

/* Only of a flight recorder: notes the losses so far, when a block of events begins. */
void flight_begin_block(struct record_writer *w);
/* For any writer: says what has to be known of the block of events that is written next. */
void flight_describe(struct record_writer *w);
/* Only of a flight recorder: keeps the block in w->out, of @bytes with its head. An error is w->broken. */
void flight_keep(struct record_writer *w, u32 kind, u32 bytes, u32 count);
/* For any writer: begins the dictionaries anew before they are full. */
void flight_renew(struct record_writer *w);

#endif
