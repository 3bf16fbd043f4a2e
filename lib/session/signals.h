// SPDX-License-Identifier: GPL-2.0-or-later
/* The signals of a run, and the word to whoever waits for its beginning. */
#ifndef NVT_SESSION_SIGNALS_H
#define NVT_SESSION_SIGNALS_H

#include "lib/base/types.h"

/*
 * Blocks SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2 and SIGCHLD, but not what our parent has
 * ignored, and returns a signalfd of them that does not wait; -errno after a message.
 */
int signals_open(void);

/* From now on a SIGINT ends the process at once, whatever it waits for. */
void signals_second_sigint(void);

/*
 * Writes a line to the descriptor that NVMETOOL_READY_FD names, once attached: for tests and
 * scripts. A process with capabilities of its file does not (env_get()).
 */
void signals_tell_ready(void);

#endif
