// SPDX-License-Identifier: GPL-2.0-or-later
/* lib/program: how PROGRAM ends, and what is said of it. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/str.h"
#include "lib/session/program.h"
#include "tests/unit/stderr.h"
#include "tests/unit/test.h"

#define PATIENCE_MS 10000

/* A session reads them from a descriptor. */
static int block_signals(void **state)
{
	sigset_t blocked;

	(void)state;
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGCHLD);
	sigaddset(&blocked, SIGPIPE);
	return sigprocmask(SIG_BLOCK, &blocked, NULL);
}

TEST_GROUP(block_signals, NULL);

static struct program *forked(const char *script)
{
	static char *argv[] = { (char *)"sh", (char *)"-c", NULL, NULL };
	struct program *p;

	argv[2] = (char *)script;
	assert_int_equal(program_fork(&p, argv), 0);
	return p;
}

/* Until it waits to be reaped. */
static void wait_for(const struct program *p, int options)
{
	siginfo_t info;

	assert_int_equal(waitid(P_PID, (id_t)program_pid(p), &info, options | WNOWAIT), 0);
}

/* A parent that ignores SIGCHLD hands that down. */
TEST(ignored_sigchld)
{
	struct program *p;

	signal(SIGCHLD, SIG_IGN);
	p = forked("exit 3");
	assert_int_equal(program_go(p), 0);
	wait_for(p, WEXITED);
	assert_true(program_ended(p));
	assert_int_equal(program_exit_status(p), 3);
	program_close(p);
}

/* Somebody else has reaped it. */
TEST(no_child_of_ours)
{
	struct program *p = forked("exit 3");

	assert_int_equal(program_go(p), 0);
	assert_int_equal(waitpid(program_pid(p), NULL, 0), program_pid(p));
	assert_true(program_ended(p));
	assert_int_equal(program_status(p), -1);
	assert_int_equal(program_signal(p), 0);
	assert_int_equal(program_exit_status(p), 0);
	program_close(p);
}

TEST(killed_while_held)
{
	struct program *p = forked("exit 3");

	kill(program_pid(p), SIGKILL);
	wait_for(p, WEXITED);
	assert_int_equal(program_go(p), 0);
	assert_true(program_ended(p));
	assert_int_equal(program_exit_status(p), 128 + SIGKILL);
	program_close(p);
}

TEST(stopped)
{
	struct program *p = forked("kill -STOP $$");

	assert_int_equal(program_go(p), 0);
	wait_for(p, WSTOPPED);
	program_stop(p, PATIENCE_MS);
	assert_true(program_ended(p));
	assert_int_equal(program_signal(p), SIGTERM);
	program_close(p);
}

/* Ctrl-C is for all of a terminal's processes; who gets it first is chance. */
TEST(told_to_end)
{
	struct program *p = forked("kill -INT $$");

	assert_int_equal(program_go(p), 0);
	program_excuse(p);
	wait_for(p, WEXITED);
	assert_true(program_ended(p));
	assert_int_equal(program_signal(p), SIGINT);
	assert_int_equal(program_exit_status(p), 0);
	program_close(p);
}

/* A program that ended before it was excused keeps its status. */
TEST(ended_before)
{
	struct program *p = forked("exit 3");

	assert_int_equal(program_go(p), 0);
	wait_for(p, WEXITED);
	assert_true(program_ended(p));
	program_excuse(p);
	assert_int_equal(program_exit_status(p), 3);
	program_close(p);
}

TEST(will_not_end)
{
	struct stderr_capture c;
	struct program *p = forked("trap '' TERM; kill -STOP $$; exec sleep 100");
	char said[200], want[40];

	assert_int_equal(program_go(p), 0);
	wait_for(p, WSTOPPED);
	c = stderr_begin();
	program_stop(p, 100);
	stderr_end(&c, said, sizeof(said));
	assert_false(program_ended(p));
	snprintf(want, sizeof(want), "still running (pid %d)", program_pid(p));
	assert_non_null(strstr(said, want));
	kill(program_pid(p), SIGKILL);
	wait_for(p, WEXITED);
	program_close(p);
}
