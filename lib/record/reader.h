// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads one recording block by block. Damage is skipped, counted and reported. */
#ifndef NVT_RECORD_READER_H
#define NVT_RECORD_READER_H

#include "lib/record/record_names.h"
#include "lib/record/record.h"
#include "lib/record/record_unpack.h"

struct reader {
	const char *file;
	int fd;
	u32 index; /* of the file */
	u32 needs;
	u64 inflight, inflight_ns; /* how many there were so far, and the time of the latest */
	const struct replay_wait *wait; /* NULL: none */
	struct record_head head;
	char *text; /* the strings of head */
	u8 map[RECORD_COLUMNS_MAX];
	u32 n_columns;
	u8 *buf; /* bytes of the file: buf[start .. end) are not used yet */
	u32 size, start, end;
	u64 offset; /* offset of buf[start] in the file */
	bool eof, done;
	bool stopped; /* wait->stop() ended the run: what is left was not wanted */
	bool ended; /* END was read */
	u64 events, skipped_blocks;
	bool damaged, cut;
	u64 damaged_at, cut_at;
	int err; /* see reader_error() */
	struct counters total; /* from END, if it was read and nothing was damaged before: `told` */
	struct counters counted; /* from events */
	bool told;
	u64 impossible; /* events with times that cannot be */
	u64 impossible_ns; /* the first of these times */
	u64 start_ns; /* as in the head, by the clock of the file */
	u64 newest_ns; /* the latest time that was possible, by the same clock */
	u64 last_ns; /* the latest event that was handed out */
	s64 shift_ns; /* shifts times to the clock that began first */
	u32 origin; /* for replay.c: origin of the events at hand */
	struct record_names names;
	struct unpack unpack;
	u32 batch, at; /* events in unpack.ev, the next one */
};

/*
 * Opens @rd->file and reads its head. 0, EXIT_AS(EXIT_NOTHING) after a message, -ENOMEM. The reader
 * must be zeroed but for file, index, needs and wait; reader_close() is needed in any case.
 */
int reader_open(struct reader *rd, struct record_queues *all);
/* Makes rd->unpack.ev[rd->at] the next event; false at the end, after damage was reported. */
bool reader_peek(struct reader *rd);
/*
 * Returns why the file could not be read to its end, after it was reported: 0 or -ENOMEM. Damage is
 * no such error.
 */
int reader_error(const struct reader *rd);
bool reader_is_damaged(const struct reader *rd);
/* Sets @c to the counters as far as the file was read. */
void reader_counters(const struct reader *rd, struct counters *c);
void reader_close(struct reader *rd);

#endif
