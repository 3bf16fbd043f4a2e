// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where output goes: a buffer in front of a file, pipe or terminal that never blocks its caller and
 * never grows without bound. Lines are dropped whole when the reader does not keep up.
 */
#ifndef NVT_OUT_SINK_H
#define NVT_OUT_SINK_H

#include "lib/base/types.h"

#define SINK_PUSH  (64U << 10) /* backlog at which a line pushes what is there */
#define SINK_BOUND (4U << 20) /* backlog past which lines are dropped */
#define SINK_SLACK 64 /* bytes behind a reservation that may be scribbled on */

struct sink {
	char *buf;
	size_t start, end, cap; /* bytes not yet written lie in [start, end) */
	u64 dropped; /* lines */
	u64 gone; /* bytes that left the buffer */
	u64 *mark; /* places of sink_mark() as counts of bytes, rising; those up to gone are done with */
	u32 first_mark, n_marks, marks_room;
	u64 until_ns; /* CLOCK_MONOTONIC: how long to be patient; 0: for ever */
	const char *file; /* as named; NULL: stdout */
	int fd, wake_fd; /* wake_fd: -1 none */
	int err; /* -errno of the first failure */
	bool owned; /* fd is ours to close */
	bool nonblocking; /* fd is: otherwise small writes, each after poll() */
	bool regular; /* writes never wait for a reader */
	bool replaces; /* it holds what was there before: see sink_replace() */
	bool created; /* nothing was there */
	bool for_owner; /* nobody else may read it */
	bool tells; /* ... which is said at the end, if something was written */
	bool patient, abandoned;
};

/*
 * Opens @file, NULL or "-" is stdout; it must outlive @s. Refuses a regular file that another
 * nvmetool has open for its output. Who may read a new file the umask decides; an old one keeps its
 * mode. @for_owner: either has mode 0600, and sink_close() says so. 0 or -errno after a message.
 */
int sink_open(struct sink *s, const char *file, bool for_owner);
/* The same, for the owner, but refuses a regular file that is there. */
int sink_open_new(struct sink *s, const char *file);

/*
 * Empties a regular file, which stays as it is until then: called before anything is written, once
 * what is asked for is known to be there. 0 or -errno after a message.
 */
int sink_replace(struct sink *s);

/*
 * Called before each line: pushes a large backlog. False, and the line is counted as dropped, when
 * there is no room. @extra: bytes over the bound granted to this line (records that must not be
 * dropped).
 */
bool sink_line(struct sink *s, size_t extra);

/*
 * Room for @n bytes at the end plus SINK_SLACK, NULL when out of memory. Move s->end once written.
 */
char *sink_reserve(struct sink *s, size_t n);

/* The same, inline where there is room already. */
static inline char *sink_room(struct sink *s, size_t n)
{
	if (s->cap - s->end >= n + SINK_SLACK)
		return s->buf + s->end;
	return sink_reserve(s, n);
}

/* Writes what the kernel takes now, or everything when patient. 0 or s->err. */
int sink_push(struct sink *s);

/* See out_mark() and out_marks_pending(). */
void sink_mark(struct sink *s);
u64 sink_marks_pending(struct sink *s);

/* See out_drain(). */
int sink_drain(struct sink *s, int timeout_ms);

/*
 * Drains without a limit unless abandoned, closes, frees; a file that we created and never began is
 * removed. 0 or s->err.
 */
int sink_close(struct sink *s);

#endif
