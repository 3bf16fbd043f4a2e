// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Recordings: self-describing files of events, written by `record`, read by -i. This header is the
 * interface of writer and replay; lib/record/format.h specifies the file.
 *
 * A file names its columns in its head, holds events column by column, and ends with the counters
 * of the run. Columns are compressed one by one, so that a reader inflates only those it needs.
 * Every block has its length and a CRC. The reader trusts nothing.
 */
#ifndef NVT_RECORD_RECORD_H
#define NVT_RECORD_RECORD_H

#include "bpf/shared/file.h"
#include "lib/cli/opt.h"
#include "lib/event/counters.h"
#include "lib/host/device.h"
#include "lib/host/sysfs.h"

struct replay_queue;
struct view;

/*
 * Where, when and with which selection a recording was made. Strings belong to the reader, or to
 * the caller when writing.
 */
struct record_head {
	const char *version, *host, *kernel, *arch; /* NULL: not known */
	u64 start_ns; /* CLOCK_MONOTONIC at attach */
	s64 wall_offset_ns; /* wall clock = monotonic + this */
	u32 needs; /* enum need: what the events hold */
	bool hosts; /* events are of several hosts: each queue names its own */
	const char *filters; /* the selection, as in lib/session/about.h; NULL: not known */
	const char *ctrls; /* the controllers, in the form of lib/session/about.h */
	const char *parts; /* partitions, in the form of device_parts() */
	const char *trigger; /* why a flight recorder wrote it; NULL: it is none of its files */
	u64 trigger_ns; /* when that was, CLOCK_MONOTONIC; @start_ns is where the file begins */
};

struct record_writer;

/*
 * Opens or creates @file (0600, no symlinks; "-" is stdout, not a terminal). 0 or -errno after a
 * message.
 */
int record_create(struct record_writer **w, const char *file);
/* Empties the file; without this call record_begin() does it. Returns as record_create() does. */
int record_replace(struct record_writer *w);
/*
 * @patient: a block waits for a reader that does not keep up, until @wake_fd (or -1) is readable;
 * this is the default. Otherwise the block is kept, and record_push() tries again.
 */
void record_patient(struct record_writer *w, bool patient, int wake_fd);
int record_push(struct record_writer *w);
/* True when so much is kept for the reader that no event should be added. */
bool record_full(const struct record_writer *w);
/* Returns the commands in blocks that the reader has not taken. */
u64 record_unread(struct record_writer *w);
/* Writes @head; called once, before the first event. 0 or -errno. */
int record_begin(struct record_writer *w, const struct record_head *head);
/*
 * Appends one event; dictionaries follow from the view, stacks with the text of their frames
 * (view.ktext, view.utext). Blocks are small at first and grow with the file. They are written when
 * full, and before an event that is a second later than their first. 0 or -errno of the first
 * failed write, which was reported (-EPIPE is not).
 */
int record_add(struct record_writer *w, const struct view *v);
/* True when the stacks of @v are new to the file, so that the text of their frames is wanted. */
bool record_wants_kstack(const struct record_writer *w, const struct view *v);
bool record_wants_ustack(const struct record_writer *w, const struct view *v);
/*
 * Writes out the block that was begun, if it is older than a second at @now_ns (CLOCK_MONOTONIC).
 */
int record_flush(struct record_writer *w, u64 now_ns);
u64 record_events(const struct record_writer *w); /* so far */
u64 record_bytes(const struct record_writer *w); /* written so far */
/*
 * Writes what is left and the last block with @total; a file without it counts as cut. A reader
 * that has stopped does not get it. 0 or -errno.
 */
int record_finish(struct record_writer *w, const struct counters *total);
/* Writes what is left and closes. 0 or -errno. NULL @w is allowed. */
int record_close(struct record_writer *w);

/*
 * A flight recorder: events are not written but kept, the last ones in at most @bytes of memory
 * (RECORD_RING_LEAST or more; tables of some 10 MiB come on top). @losses, which must outlive the
 * writer, has the losses of the run so far. record_add(), record_wants_*stack(), record_flush() and
 * record_close() serve as above. 0 or -errno after a message.
 */
#define RECORD_RING_LEAST (4ULL << 20)
int record_create_ring(struct record_writer **w, u64 bytes, const struct lost *losses);
u64 record_kept_bytes(const struct record_writer *w);
/*
 * Creates @file (0600), which must not be there, with the events that are kept from @head->start_ns on;
 * later ones follow until record_dump_end(). Sets @head->start_ns to where the file begins: it has
 * all events from then on, some earlier if they lie in the same block, and later than asked for
 * when some were not kept. The counters in the file are those of its events, and the losses while
 * it lasted, as @now has them at the end. 0, or -errno of the first failed write after a message:
 * events are kept all the same, and record_dump_end() is needed in any case.
 */
int record_dump_begin(struct record_writer *w, const char *file, struct record_head *head);
int record_dump_end(struct record_writer *w, const struct counters *now);
/* Events in the file, the open one or the last; record_bytes() are its bytes. */
u64 record_written(const struct record_writer *w);

struct replay;

/*
 * A way to end a replay: stop() is asked before each batch of events, and when @fd becomes readable
 * while standard input has nothing.
 */
struct replay_wait {
	int fd;
	bool (*stop)(void *arg);
	void *arg;
};

/*
 * Opens the recordings of @files ("-" is stdin) and merges them by time. 0, or
 * EXIT_AS(EXIT_NOTHING) after a message that names the file and what is wrong with it (not a
 * recording, version, empty). @needs: columns to inflate and kinds of events to hand out, enum
 * need. Joined commands come always.
 *
 * @wait, which must outlive @r, may be NULL. When it stops, nothing more is read: the counters are of
 * the events that were read until then and are not complete, since the recording tells its losses
 * and what was in flight at its end. In replay_open() that is EXIT_AS(EXIT_OK).
 *
 * Times are those of the clock that began first by wall clock: the events of another host, or of
 * another boot, are moved by the difference of the wall-clock offsets, and so are the times in its
 * head.
 */
int replay_open(struct replay **r, const struct opt_list *files, u32 needs,
		const struct replay_wait *wait);
/*
 * Returns the needs that every file holds. NEED_SUBMIT is among them with NEED_IO: it is derived.
 */
u32 replay_needs(const struct replay *r);
const struct record_head *replay_head(const struct replay *r, u32 file); /* NULL past the last */
/*
 * True when the recordings are of several hosts: their controllers and devices are then called
 * `host/nvme0`, unless replay_plain_names() is called before the first event.
 */
bool replay_hosts(const struct replay *r);
void replay_plain_names(struct replay *r);
/*
 * An event that several files of a host have, as those of a flight recorder do whose windows overlap,
 * is handed out once, unless replay_keep_copies() is called before the first event.
 */
void replay_keep_copies(struct replay *r);
u64 replay_copies(const struct replay *r); /* events that were passed over so far */
/*
 * What was in flight at the end of the recordings, EVENT_INFLIGHT: how many came so far. They do not count
 * as a recording's last event.
 */
u64 replay_inflight(const struct replay *r);
/* Returns the attach time of the earliest recording, on the clock of the events. */
u64 replay_start_ns(const struct replay *r);
/* Returns the time of the last event of a file so far; 0: there was none. */
u64 replay_last_ns(const struct replay *r, u32 file);
/* The same or, where it was told what was in flight at the end, the time of that. */
u64 replay_end_ns(const struct replay *r, u32 file);
/*
 * Gives the next event in time order: 1 and *v (valid until the next call), 0 at the end, -ENOMEM
 * after a message. Damage is reported once per file on stderr, with the byte position and how much
 * was read; reading goes on with the next sound block.
 *
 * view.flags is as recorded. ev->cmd_flags has the same bits, enum req_flag, whatever kernel ran.
 * Stack ids are unique over all files. Without the need, or for a stack that was not kept, they are
 * -1.
 *
 * NEED_SUBMIT in @needs of replay_open(): each joined command also yields an EVENT_SUBMIT at its
 * submission time. For that up to 65536 commands are read ahead. A submission comes late,
 * behind later events, when more commands than that completed before its own did.
 */
int replay_next(struct replay *r, struct view *v);
/*
 * Sets *done to the bytes of the files that were read so far, and *total to the size of all; 0: not
 * known, as of standard input.
 */
void replay_progress(const struct replay *r, u64 *done, u64 *total);
/* Returns a queue by the number that events have in `queue`, from 0 on; NULL: not known (yet). */
const struct replay_queue *replay_queue(const struct replay *r, u32 index);
/*
 * Collects the devices of recordings, which the names of a selection refer to; all queues must be
 * known before the first event is selected, so this reads @files to their end. 0, or EXIT_AS(...)
 * or -ENOMEM after a message. @wait as in replay_open().
 */
int replay_devices(const struct opt_list *files, struct device_dir *dir,
		   const struct replay_wait *wait);
/* Returns the path of a cgroup, from the first file that knows the id, or NULL. */
const char *replay_cgroup(const struct replay *r, u64 cgroup_id);
/* Returns the path of the file that events have by these numbers, likewise. */
const char *replay_file_path(const struct replay *r, const struct file_id *id);
/* Returns the name of a scheduler by the number that events have in `sched`; NULL: not known. */
const char *replay_sched(const struct replay *r, u8 number);
/*
 * Sets @c to the counters of a file as far as it was read. One that was cut counts the events that
 * can be read.
 */
void replay_counters_of(const struct replay *r, u32 file, struct counters *c);
/* Adds up the counters of all files; an event that several files have counts once. */
void replay_counters(const struct replay *r, struct counters *total);
/* The commands in a file, as far as it was read. */
u64 replay_commands(const struct replay *r, u32 file);
/* True when some file was cut or damaged: the run ends with EXIT_NOTHING. */
bool replay_damaged(const struct replay *r);
void replay_close(struct replay *r); /* NULL is allowed */

/* A queue as recorded. */
struct replay_queue {
	struct queue_info info;
	const char *ctrl, *dev; /* as in struct view */
	const char *path; /* or NULL; view.members of a device above namespaces */
	const char *host; /* host of the file that it is from; NULL: not known */
	struct sysfs_limits limits;
};

#endif
