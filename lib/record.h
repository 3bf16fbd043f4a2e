// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Recordings: a self-describing file of events, written by `record`, read by -i.
 *
 * Layout: magic and version; a header block that names each column (name, width) and holds meta (host,
 * kernel, clock offset, needs, filters); then blocks: events column by column, each column compressed
 * apart so that a reader inflates only what it needs, and dictionaries (queues, cgroups, stacks)
 * before the first event that refers to them; last a block with the run's counters. Every block has
 * its length and a CRC. The reader trusts nothing.
 */
#ifndef NVT_RECORD_H
#define NVT_RECORD_H

#include "bpf/wire.h"
#include "lib/counters.h"
#include "lib/opt.h"

struct view;

/* What was recorded, where and when. Strings belong to the reader, or to the caller when writing. */
struct record_head {
	const char *version, *host, *kernel, *arch;
	u64 start_ns;	     /* CLOCK_MONOTONIC at attach */
	s64 wall_offset_ns;  /* wall clock = monotonic + this */
	u32 needs;	     /* enum need: what the events hold */
	const char *filters; /* JSON text of meta.filters */
	const char *ctrls;   /* JSON text of meta.ctrls */
};

struct record_writer;

/* Creates @file (0600, no symlinks; "-" is stdout). 0 or -errno after a message. */
int record_create(struct record_writer **w, const char *file, const struct record_head *head);
/* Appends one event; dictionaries follow from the view. 0 or -errno of the first failed write. */
int record_add(struct record_writer *w, const struct view *v);
/* Writes out the block begun, if it is older than a second or @force. */
int record_flush(struct record_writer *w, bool force);
/* Writes the last block and closes; @total NULL: cut short. 0 or -errno. NULL @w is allowed. */
int record_close(struct record_writer *w, const struct counters *total);

struct replay;

/*
 * Opens the recordings of @files and merges them by time. 0, or EXIT_AS(EXIT_NOTHING) after a message
 * that names the file and what is wrong with it (not a recording, version, empty).
 * @needs: columns to inflate, enum need.
 */
int replay_open(struct replay **r, const struct opt_list *files, u32 needs);
/* Needs that every file holds. */
u32 replay_needs(const struct replay *r);
const struct record_head *replay_head(const struct replay *r, u32 file); /* NULL past the last */
/*
 * The next event in time order: 1 and *v (valid until the next call), 0 at the end. Damage is told once
 * per file on stderr with the byte position and what was read; reading goes on with the next sound block.
 * With NEED_SUBMIT in @needs of replay_open(), each joined command also yields an EVENT_SUBMIT at its
 * submission time.
 */
int replay_next(struct replay *r, struct view *v);
/* Sums of the counters of all files; counters of a cut file are those of its readable events. */
void replay_counters(const struct replay *r, struct counters *total);
/* True when some file was cut or damaged: the run ends with EXIT_NOTHING. */
bool replay_damaged(const struct replay *r);
void replay_close(struct replay *r);

#endif
