// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The source of a live run: where it gets what it shows from. The session is the same for all: loop,
 * signals, ready, PROGRAM, intervals, output, account, confinement. A command names its source in
 * struct cmd; without one it is source_kernel.
 */
#ifndef NVT_SESSION_SOURCE_H
#define NVT_SESSION_SOURCE_H

#include "lib/session/session.h"

struct json;

/*
 * In the order of the calls. All but look() and attach() may be NULL. Those that return int return 0
 * or EXIT_AS(...)/-errno after a message, unless it is said.
 */
struct source {
	int (*look)(struct session *s); /* probes the host, and reads the selection */
	int (*open)(struct session *s); /* makes what the command's start() may set up */
	int (*attach)(struct session *s);
	/* A ring whose records are events, see cmd->unpack(): descriptor of its map. -1: none. */
	int (*ring)(struct session *s);
	/* Returns what it still does once attached, enum confine_for; *map: any map, for confine(). */
	u32 (*still)(struct session *s, int *map);
	const char *(*method)(struct session *s); /* how it is attached, a word */
	void (*tell)(struct session *s); /* says what is traced, and what is missing */
	void (*watch)(struct session *s, u64 now_ns); /* several times a second */
	void (*lost)(struct session *s, struct counters *c); /* adds the losses so far */
	void (*detach)(struct session *s);
	void (*account)(struct session *s, struct counters *c); /* the rest, once detached */
	/* Writes what the summary of TRACES_USERS has in place of the numbers of commands. */
	void (*summary)(struct session *s, struct json *j);
	/* --absent, in place of all the others: prints what has a record though no drive is there. */
	int (*empty)(struct session *s);
	void (*close)(struct session *s); /* in any case, even if look() was not called */
};

/* Programs at the kernel's hooks: cmd->bpf. */
extern const struct source source_kernel;

/*
 * For look(): probes the kernel, and turns the selection into a filter. @does_without, which may be
 * NULL, says whether the run has something to show though no program can be loaded; then that is no
 * error.
 */
int session_look(struct session *s, bool (*does_without)(const struct session *s));
/* For look() of a source that traces processes: probes the host alone, and reads no selection. */
int session_look_host(struct session *s);

#endif
