// SPDX-License-Identifier: GPL-2.0-or-later
/* A made-up run for the tests of recordings, and the files they write. */
#ifndef NVT_RECORD_SAMPLE_H
#define NVT_RECORD_SAMPLE_H

#include "lib/record/record.h"

struct view;

#define WALL 1700000000000000000LL
#define ALL                                                                                        \
	((((u32)NEED_CPU * 2 - 1) & ~(u32)NEED_SUBMIT) | NEED_OWNER | NEED_SCHED | NEED_DURING |   \
	 NEED_FILE)

struct sample {
	char file[2][64];
	int stderr_fd;
};

/* The counters that sample_write() ends a file with. */
extern const struct counters sample_total;
/* The frames of the stacks of sample_view(). */
extern const char *const sample_text[3], *const sample_user_text[2];

/* Event @i of a run: every member has a value, many change with each event. */
void sample_event(struct event *ev, u32 i);
void sample_view(struct view *v, const struct event *ev);
/*
 * The head of a file that @host began at @start_ns of its monotonic clock, with all that events may
 * have.
 */
struct record_head sample_head(const char *host, u64 start_ns);
/* Events @from to @to - 1 into @file; without @end the file is as after a SIGKILL. */
void sample_write(const char *file, const char *host, s64 wall, u32 from, u32 to, bool end);
struct replay *sample_open(const char *file, u32 needs);
/* Reads all; returns how many events. */
u32 sample_drain(struct replay *r);

/* For cmocka: two files, and stderr thrown away, for errors are told there by the thousand. */
int sample_setup(void **state);
int sample_teardown(void **state);

#endif
