// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The flight recorder: keeps the last events in memory, and writes a file of them, and of what
 * comes next, each time its condition comes true or a signal asks for it.
 */
#ifndef NVT_RECORD_RECORDER_H
#define NVT_RECORD_RECORDER_H

#include "lib/record/record.h"
#include "lib/session/session.h"

struct ring_opts {
	u64 bytes; /* 0: no flight recorder */
	const char *trigger; /* NULL: signals alone */
	u64 before_ns, after_ns; /* before_ns 0: all that is kept */
	u32 max_files;
};

struct ring;

/* Checks the options against each other and @file, the pattern of names. 0 or a usage error. */
int ring_check(const struct ring_opts *opts, const char *file, const struct opt_list *input);
/*
 * Makes the recorder and *@w, in which it keeps the events; the caller closes both, the writer
 * last. 0 or -errno after a message.
 */
int ring_open(struct ring **r, const struct ring_opts *opts, struct session *s,
	      struct session_request *ask, struct record_writer **w);
/*
 * Called when it is known which events this kernel shows: 0, or EXIT_AS(EXIT_KERNEL) where the
 * trigger needs more.
 */
int ring_ready(const struct ring *r);
/* The run begins: @head is what each file says of it, but its times; the strings stay. */
int ring_begin(struct ring *r, const struct record_head *head);
/* Keeps an event. 0 or -errno after a message: then the recorder is of no use any more. */
int ring_event(struct ring *r, const struct view *v);
/* Notes that no event until @now_ns will come any more. */
void ring_until(struct ring *r, u64 now_ns);
/* SIGUSR1 came at @now_ns. */
void ring_signal(struct ring *r, u64 now_ns);
/* The run ends: what is open is closed. 0, or -errno of the first file that could not be written. */
int ring_end(struct ring *r);
u64 ring_files(const struct ring *r); /* so far */
void ring_close(struct ring *r); /* NULL is allowed */

#endif
