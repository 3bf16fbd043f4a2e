// SPDX-License-Identifier: GPL-2.0-or-later
/* `-- PROGRAM`: forked first, with the caller's privileges, and held until tracing has begun. */
#ifndef NVT_SESSION_PROGRAM_H
#define NVT_SESSION_PROGRAM_H

#include <sys/types.h>

#include "lib/base/types.h"

struct program;

/* Forks @argv and holds it. 0 or -errno after a message. */
int program_fork(struct program **p, char **argv);

/* Lets it run. 0, or EXIT_AS(126 or 127) after a message if it cannot be executed. */
int program_go(struct program *p);

/* True once it has ended (after SIGCHLD); its status is kept. */
bool program_ended(struct program *p);

/*
 * Sends SIGTERM if it runs, because it belongs to the run. Waits up to @timeout_ms for its end, and
 * reports if it does not end. SIGCHLD must be blocked.
 */
void program_stop(struct program *p, u32 timeout_ms);

/*
 * To be called when the run is told to end. PROGRAM may have got the same signal (Ctrl-C): if it
 * has not ended yet, its end is not taken for its own.
 */
void program_excuse(struct program *p);

pid_t program_pid(const struct program *p);
/* Its exit status, or -1 if it runs, was ended by a signal, or the status is not known. */
int program_status(const struct program *p);
int program_signal(const struct program *p); /* 0: none */

/*
 * The exit status for the shell: that of PROGRAM, 128 + signal, or 0 if it ended because of
 * program_stop() or program_excuse().
 */
int program_exit_status(const struct program *p);

/* Ends it if it still is held, and frees. @p may be NULL. */
void program_close(struct program *p);

#endif
