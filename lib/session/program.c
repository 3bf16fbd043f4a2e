// SPDX-License-Identifier: GPL-2.0-or-later
/* `-- PROGRAM`: forks it, holds it, lets it go, and reaps it. */
#include "lib/session/program.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/base/str.h"

#define STATUS_UNKNOWN 0x7f /* neither exited nor killed */

struct program {
	char **argv;
	pid_t pid;
	int go_fd; /* a byte makes the child execute, end of file makes it exit */
	int fail_fd; /* close-on-exec: brings errno of a failed exec, else end of file */
	int wait_status;
	bool ended, gone, stopped;
};

static void child(char **argv, int go, int failed)
{
	sigset_t none;
	char byte;
	int err;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (read(go, &byte, 1) != 1)
		_exit(EXIT_RUNTIME); /* the run ended before it attached */
	execvp(argv[0], argv);
	err = errno;
	if (write(failed, &err, sizeof(err)) != sizeof(err))
		_exit(EXIT_RUNTIME);
	_exit(err == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE);
}

int program_fork(struct program **program, char **argv)
{
	struct program *p = calloc(1, sizeof(*p));
	int go[2], failed[2];

	if (!p)
		return fail(-ENOMEM, NULL, NULL, "-- %s", argv[0]);
	*program = p;
	p->argv = argv;
	p->wait_status = STATUS_UNKNOWN;
	p->go_fd = p->fail_fd = -1;
	if (pipe2(go, O_CLOEXEC) || pipe2(failed, O_CLOEXEC))
		return fail(-errno, NULL, NULL, "-- %s", argv[0]);
	p->pid = fork();
	if (p->pid < 0)
		return fail(-errno, NULL, NULL, "-- %s", argv[0]);
	if (p->pid == 0) {
		close(go[1]);
		close(failed[0]);
		child(argv, go[0], failed[1]);
	}
	signal(SIGCHLD,
	       SIG_DFL); /* our parent may ignore it: then the end of a child would go unnoticed */
	close(go[0]);
	close(failed[1]);
	p->go_fd = go[1];
	p->fail_fd = failed[0];
	return 0;
}

int program_go(struct program *p)
{
	int err = 0;
	ssize_t n;

	n = write(p->go_fd, "", 1);
	close(p->go_fd);
	p->go_fd = -1;
	p->gone = true;
	/* If it was killed while it was held, SIGCHLD says so. */
	if (n != 1 || read(p->fail_fd, &err, sizeof(err)) != sizeof(err))
		return 0;
	return fail(EXIT_AS(err == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE), strerror(err),
		    "name a program that can be run", "-- %s", p->argv[0]);
}

bool program_ended(struct program *p)
{
	/*
	 * An error of waitpid() counts as the end: the process is not our child any more, and its
	 * number may be another's, who must get no signal from us.
	 */
	if (!p->ended)
		p->ended = waitpid(p->pid, &p->wait_status, WNOHANG) != 0;
	return p->ended;
}

void program_stop(struct program *p, u32 timeout_ms)
{
	struct timespec timeout = { timeout_ms / 1000, timeout_ms % 1000 * 1000000L };
	sigset_t child_ended;

	if (!p->gone || program_ended(p))
		return;
	if (kill(p->pid, SIGTERM)) { /* it changed its user, and we have no capability left */
		note("cannot stop %s: %s", p->argv[0], strerror(errno));
		return;
	}
	kill(p->pid, SIGCONT); /* a stopped process would not get SIGTERM */
	p->stopped = true;
	sigemptyset(&child_ended);
	sigaddset(&child_ended, SIGCHLD);
	while (!program_ended(p) && sigtimedwait(&child_ended, NULL, &timeout) == SIGCHLD)
		;
	if (!p->ended)
		note("%s did not stop at SIGTERM and is still running (pid %d)", p->argv[0],
		     p->pid);
}

void program_excuse(struct program *p)
{
	p->stopped |= !p->ended;
}

pid_t program_pid(const struct program *p)
{
	return p->pid;
}

int program_status(const struct program *p)
{
	return p->ended && WIFEXITED(p->wait_status) ? WEXITSTATUS(p->wait_status) : -1;
}

int program_signal(const struct program *p)
{
	return p->ended && WIFSIGNALED(p->wait_status) ? WTERMSIG(p->wait_status) : 0;
}

int program_exit_status(const struct program *p)
{
	if (p->stopped)
		return 0; /* it ended because we wanted it to */
	if (program_signal(p))
		return 128 + program_signal(p);
	return program_status(p) > 0 ? program_status(p) : 0;
}

void program_close(struct program *p)
{
	if (!p)
		return;
	if (p->go_fd >= 0)
		close(p->go_fd); /* it was held until now and ends by itself */
	if (p->fail_fd >= 0)
		close(p->fail_fd);
	if (p->pid > 0 && !p->gone)
		waitpid(p->pid, &p->wait_status, 0);
	free(p);
}
