// SPDX-License-Identifier: GPL-2.0-or-later
/* Signals as a descriptor. */
#include "lib/session/signals.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "lib/base/env.h"
#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/base/units.h"

static void second_sigint(int signal)
{
	(void)signal;
	_exit(EXIT_SECOND_SIGINT);
}

void signals_second_sigint(void)
{
	struct sigaction act = { .sa_handler = second_sigint };
	sigset_t set;

	sigaction(SIGINT, &act, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/*
 * True if our parent has the signal ignored, as nohup does. SIGINT does not count: shells start
 * commands in the background with it ignored.
 */
static bool is_ignored(int signal)
{
	struct sigaction act;

	return (signal == SIGHUP || signal == SIGTERM) && !sigaction(signal, NULL, &act) &&
	       act.sa_handler == SIG_IGN;
}

int signals_open(void)
{
	static const int ours[] = { SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGCHLD };
	sigset_t set;
	int fd;

	sigemptyset(&set);
	for (u32 i = 0; i < ARRAY_SIZE(ours); i++)
		if (!is_ignored(ours[i]))
			sigaddset(&set, ours[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? fail(-errno, NULL, NULL, "signals") : fd;
}

void signals_tell_ready(void)
{
	const char *text = env_get("NVMETOOL_READY_FD");
	u64 fd;

	if (!text || units_count(text, &fd) || fd > 1 << 20)
		return;
	if (write((int)fd, "ready\n", 6) != 6)
		note("NVMETOOL_READY_FD: cannot write to file descriptor %d", (int)fd);
	close((int)fd);
}
