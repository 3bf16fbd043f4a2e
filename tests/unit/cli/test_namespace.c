// SPDX-License-Identifier: GPL-2.0-or-later
/* lib/cli/select in a PID namespace of its own, where a number is another process of the host. */
#include <sched.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/cli/select.h"
#include "lib/host/device.h"
#include "lib/host/probe.h"
#include "tests/unit/test.h"

/* Selects -p 1, of this machine or of a recording. */
static int select_first(bool live)
{
	struct selection sel = { .pid = { .word = { "1" }, .n = 1 } };
	struct device_dir dir = { .live = live };
	struct filter filter;

	return select_filter(&filter, &sel, &dir);
}

static int refused(void)
{
	return probe_host_pids() == 0 && select_first(true) == EXIT_AS(EXIT_NOTHING) &&
	       select_first(false) == 0;
}

/* The same in a new PID namespace, which a process enters only by its children: _exit status 0. */
static void refused_in_new(void)
{
	int status = 1;
	pid_t pid;

	if (unshare(CLONE_NEWPID))
		_exit(2);
	pid = fork();
	if (!pid)
		_exit(!refused());
	_exit(waitpid(pid, &status, 0) != pid || status);
}

TEST(refused)
{
	int status;
	pid_t pid;

	if (probe_host_pids() == 0) { /* as in CI */
		assert_true(refused());
		return;
	}
	assert_int_equal(select_first(true), 0);
	pid = fork();
	if (!pid)
		refused_in_new();
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}
