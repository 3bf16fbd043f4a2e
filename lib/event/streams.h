// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tells sequential from random commands: follows several streams of one device and direction.
 *
 * The last N commands are tracked. A sequential command replaces the tracked one that it continues
 * (the latest, if several end there), so a stream takes one place however long it is. Any other
 * command replaces the oldest. A command that repeats a range counts like any other.
 */
#ifndef NVT_EVENT_STREAMS_H
#define NVT_EVENT_STREAMS_H

#include "lib/base/types.h"

#define STREAMS_DEFAULT 16
#define STREAMS_MAX	1024
#define STREAM_HITS	4 /* sequential commands that make a stream */

enum stream_kind {
	STREAM_RANDOM,
	STREAM_SEQUENTIAL, /* starts where a tracked one ended */
	STREAM_BACKWARD, /* ends where a tracked one began */
	STREAM_STRIDED, /* the same gap to its predecessor for the third time, or more */
};

struct streams;

/* Follows @limit commands (1 to STREAMS_MAX). NULL: no memory. */
struct streams *streams_new(u32 limit);

/*
 * Returns the end of a command of @blocks, at most ~0: no drive is that large, but a command may
 * name any address.
 */
static inline u64 streams_end(u64 start, u64 blocks)
{
	return start + blocks < start ? ~0ULL : start + blocks;
}

/*
 * Adds a command of blocks [start, end). *@hits counts the sequential commands of its stream during
 * @interval, a number that changes with each interval; 0 when the command is not sequential.
 */
enum stream_kind streams_add(struct streams *s, u64 start, u64 end, u64 interval, u32 *hits);

void streams_free(struct streams *s); /* NULL is allowed */

#endif
