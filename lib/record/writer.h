// SPDX-License-Identifier: GPL-2.0-or-later
/* The writer as its two files see it: writer.c, and flight.c for a flight recorder. */
#ifndef NVT_RECORD_WRITER_H
#define NVT_RECORD_WRITER_H

#include "lib/out/sink.h"
#include "lib/record/column.h"
#include "lib/record/dict.h"
#include "lib/record/flight_ring.h"

#define WRITER_ROOM (RECORD_HEAD_BYTES + RECORD_PAYLOAD_MAX)

struct record_writer {
	char *file;
	struct sink sink;
	int err; /* of the first failed write */
	int broken; /* of a flight recorder, which then has an event less than it should */
	bool begun; /* head written; of a flight recorder: a file is open */
	s64 wall_offset_ns; /* wall-clock offset of the block begun */
	u32 n; /* events of the block begun */
	u64 events, written; /* so far, and of these in the file */
	u64 gone; /* of a flight recorder: bytes of the file that was closed */
	struct record_ring *ring; /* of a flight recorder, else NULL */
	const struct lost *losses; /* of a flight recorder: as they are now */
	struct record_kept block; /* of a flight recorder: about the block begun, or written */
	struct counters total; /* of a flight recorder: of the events in its file */
	struct lost lost_before; /* of a flight recorder: when its file begins */
	struct record_dict dict;
	struct event *ev;
	struct record_packer packer;
	u8 out[WRITER_ROOM]; /* the block that is written, with its head */
};

/* A writer for @file, which is not opened. NULL, or w->err set, after a message. */
struct record_writer *writer_make(const char *file);
/* Adds bytes to what is written next; nothing after an error. */
void writer_put(struct record_writer *w, const u8 *data, size_t size);
/* Passes to the kernel what it takes. 0 or w->err, reported. */
int writer_push(struct record_writer *w);
/* Writes the events gathered, and before them the dictionaries they refer to. As record_add(). */
int writer_events(struct record_writer *w);
/* Writes the last block of a file, with @total. */
void writer_end(struct record_writer *w, const struct counters *total);
/* Writes what is kept as long as the reader takes some of it, and then throws the rest away. */
void writer_drain(struct record_writer *w);
/* Notes the first failed write, and reports it unless the reader has gone. Returns @err. */
int writer_failed(struct record_writer *w, int err);

#endif
