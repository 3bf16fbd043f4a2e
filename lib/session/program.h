// SPDX-License-Identifier: GPL-2.0-or-later
/* `-- PROGRAM`: forked first, with the caller's privileges, and held until tracing has begun. */
#ifndef NVT_SESSION_PROGRAM_H
#define NVT_SESSION_PROGRAM_H

#include <sys/types.h>

#include "lib/base/types.h"

struct program;

/* Forks @argv and holds it. 0 or -errno after a message. */
int program_fork(struct program **p, char **argv);

/* Lets it run. 0, or EXIT_AS(126 or 127) after a message when it cannot be executed. */
int program_go(struct program *p);

/* True once it has ended (after SIGCHLD); its status is kept. */
bool program_ended(struct program *p);

/*
 * SIGTERM, if it runs: it belongs to the run. Waits up to @timeout_ms for its end, and says when it
 * does not come; SIGCHLD must be blocked.
 */
void program_stop(struct program *p, u32 timeout_ms);

/*
 * The run was told to end, and PROGRAM may have been as well (Ctrl-C): unless it has ended, that is
 * not its own doing.
 */
void program_excuse(struct program *p);

pid_t program_pid(const struct program *p);
/* Exit status, or -1 while it runs, when a signal ended it or when it is not known. */
int program_status(const struct program *p);
int program_signal(const struct program *p); /* 0: none */

/*
 * The exit status for the shell: its own, 128 + signal, 0 when it was to end: program_stop(),
 * program_excuse().
 */
int program_exit_status(const struct program *p);

/* Ends it if it was never let go, frees. NULL is allowed. */
void program_close(struct program *p);

#endif
