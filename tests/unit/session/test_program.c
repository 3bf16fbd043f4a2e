// SPDX-License-Identifier: GPL-2.0-or-later
/* lib/program: how PROGRAM ends, and what is said of it. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/str.h"
#include "lib/session/program.h"
#include "tests/unit/stderr.h"

#include <cmocka.h>

#define PATIENCE_MS 10000

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
static void test_ignored_sigchld(void **state)
{
	struct program *p;

	(void)state;
	signal(SIGCHLD, SIG_IGN);
	p = forked("exit 3");
	assert_int_equal(program_go(p), 0);
	wait_for(p, WEXITED);
	assert_true(program_ended(p));
	assert_int_equal(program_exit_status(p), 3);
	program_close(p);
}

/* Somebody else has reaped it. */
static void test_no_child_of_ours(void **state)
{
	struct program *p = forked("exit 3");

	(void)state;
	assert_int_equal(program_go(p), 0);
	assert_int_equal(waitpid(program_pid(p), NULL, 0), program_pid(p));
	assert_true(program_ended(p));
	assert_int_equal(program_status(p), -1);
	assert_int_equal(program_signal(p), 0);
	assert_int_equal(program_exit_status(p), 0);
	program_close(p);
}

static void test_killed_while_held(void **state)
{
	struct program *p = forked("exit 3");

	(void)state;
	kill(program_pid(p), SIGKILL);
	wait_for(p, WEXITED);
	assert_int_equal(program_go(p), 0);
	assert_true(program_ended(p));
	assert_int_equal(program_exit_status(p), 128 + SIGKILL);
	program_close(p);
}

static void test_stopped(void **state)
{
	struct program *p = forked("kill -STOP $$");

	(void)state;
	assert_int_equal(program_go(p), 0);
	wait_for(p, WSTOPPED);
	program_stop(p, PATIENCE_MS);
	assert_true(program_ended(p));
	assert_int_equal(program_signal(p), SIGTERM);
	program_close(p);
}

/* Ctrl-C is for all of a terminal's processes; who gets it first is chance. */
static void test_told_to_end(void **state)
{
	struct program *p = forked("kill -INT $$");

	(void)state;
	assert_int_equal(program_go(p), 0);
	program_excuse(p);
	wait_for(p, WEXITED);
	assert_true(program_ended(p));
	assert_int_equal(program_signal(p), SIGINT);
	assert_int_equal(program_exit_status(p), 0);
	program_close(p);
}

/* What it did before is its own. */
static void test_ended_before(void **state)
{
	struct program *p = forked("exit 3");

	(void)state;
	assert_int_equal(program_go(p), 0);
	wait_for(p, WEXITED);
	assert_true(program_ended(p));
	program_excuse(p);
	assert_int_equal(program_exit_status(p), 3);
	program_close(p);
}

static void test_will_not_end(void **state)
{
	struct stderr_capture c;
	struct program *p = forked("trap '' TERM; kill -STOP $$; exec sleep 100");
	char said[200], want[40];

	(void)state;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ignored_sigchld),	  cmocka_unit_test(test_no_child_of_ours),
		cmocka_unit_test(test_killed_while_held), cmocka_unit_test(test_stopped),
		cmocka_unit_test(test_told_to_end),	  cmocka_unit_test(test_ended_before),
		cmocka_unit_test(test_will_not_end),
	};
	sigset_t blocked;

	sigemptyset(&blocked);
	sigaddset(&blocked, SIGCHLD);
	sigaddset(&blocked, SIGPIPE);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
