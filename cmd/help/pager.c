// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs a pager in a shell, with a pipe as its standard input. */
#include "cmd/help/pager.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/env.h"
#include "lib/base/err.h"
#include "lib/base/str.h"

/* -F: a text that fits the screen is printed as it is. */
#define LESS_OR_MORE                                                                               \
	"if command -v less >/dev/null; then exec less -FRX; "                                     \
	"elif command -v more >/dev/null; then exec more; else exec cat; fi"

/* Returns the pager as a line for the shell; NULL: none is wanted. */
static const char *choose(void)
{
	const char *pager = env_get("PAGER"), *term = env_look("TERM");

	if (env_raised() || !isatty(STDOUT_FILENO) || !term || streq(term, "dumb"))
		return NULL;
	if (!pager)
		return LESS_OR_MORE;
	return *pager && !streq(pager, "cat") ? pager : NULL;
}

/* Runs @line with @input as its standard input and no signal blocked; 0 or a positive errno. */
static int spawn(pid_t *pid, const char *line, int input)
{
	char *argv[] = { "sh", "-c", (char *)line, NULL };
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t none;
	int err;

	sigemptyset(&none);
	posix_spawn_file_actions_init(&files);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	err = posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
	if (!err)
		err = posix_spawn(pid, "/bin/sh", &files, &attr, argv, environ);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attr);
	return err;
}

/* Starts a pager and returns the pipe to it, or NULL. */
static FILE *start(pid_t *pid, const char *line)
{
	FILE *f = NULL;
	int fd[2];

	if (pipe2(fd, O_CLOEXEC))
		return NULL;
	if (!spawn(pid, line, fd[0]))
		f = fdopen(fd[1], "w");
	close(fd[0]);
	if (!f)
		close(fd[1]);
	return f;
}

/* Ignores Ctrl-C, which is for the pager: it goes on, and so must we. */
static void leave_keys_to_pager(void)
{
	sigset_t keys;

	sigemptyset(&keys);
	sigaddset(&keys, SIGINT);
	sigaddset(&keys, SIGQUIT);
	sigprocmask(SIG_BLOCK, &keys, NULL);
}

/* Waits for the pager's end. False: the shell could not run it. */
static bool was_run(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return true; /* our parent ignores SIGCHLD, so the status is not known */
	return !WIFEXITED(status) || (WEXITSTATUS(status) != EXIT_NOT_FOUND &&
				      WEXITSTATUS(status) != EXIT_NOT_EXECUTABLE);
}

int pager_show(int (*print)(FILE *f, const void *subject), const void *subject)
{
	const char *line = choose();
	pid_t pid;
	FILE *f = line ? start(&pid, line) : NULL;
	int err;

	if (!f)
		return print(stdout, subject);
	leave_keys_to_pager();
	err = print(f, subject);
	fclose(f);
	return was_run(pid) ? err : print(stdout, subject);
}
