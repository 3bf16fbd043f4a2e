// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One recording, read block by block with read(); whatever is damaged is skipped, counted and told.
 */
#ifndef NVT_RECORD_READER_H
#define NVT_RECORD_READER_H

#include "lib/record/names.h"
#include "lib/record/record.h"
#include "lib/record/unpack.h"

struct reader {
	const char *file;
	int fd;
	u32 index; /* of the file */
	u32 needs;
	const struct replay_wait *wait; /* NULL: none */
	struct record_head head;
	char *text; /* the strings of head */
	u8 map[RECORD_COLUMNS_MAX];
	u32 n_columns;
	u8 *buf; /* bytes of the file: buf[start .. end) are not used yet */
	u32 size, start, end;
	u64 offset; /* in the file, of buf[start] */
	bool eof, done;
	bool stopped; /* by wait->stop(): what is left was not wanted */
	bool ended; /* END was read */
	u64 events, skipped_blocks;
	bool damaged, cut;
	u64 damaged_at, cut_at;
	int err; /* see reader_error() */
	struct counters total; /* of END, or counted as long as it was not read */
	s64 shift_ns; /* to the clock that began first */
	u32 origin; /* for who merges: what the events at hand have in common */
	struct record_names names;
	struct unpack unpack;
	u32 batch, at; /* events in unpack.ev, the next one */
};

/*
 * Opens @rd->file and reads its head. 0, EXIT_AS(EXIT_NOTHING) after a message, -ENOMEM. The reader
 * must be zeroed but for file, index, needs and wait; reader_close() is needed in any case.
 */
int reader_open(struct reader *rd, struct record_queues *all);
/* Makes rd->unpack.ev[rd->at] the next event; false at the end, when damage has been told. */
bool reader_peek(struct reader *rd);
/* Why it could not be read to its end, reported: 0 or -ENOMEM. Damage is no such error. */
int reader_error(const struct reader *rd);
bool reader_is_damaged(const struct reader *rd);
void reader_close(struct reader *rd);

#endif
