// SPDX-License-Identifier: GPL-2.0-or-later
/* lib/confine: what a process can do no more, tried in children. */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/host/calls.h"
#include "lib/host/confine.h"
#include "tests/unit/test.h"

/* Line @key of /proc/self/status has number @value (hexadecimal). */
static bool status_is(const char *key, unsigned long long value)
{
	char text[4096], *at;
	int fd = open("/proc/self/status", O_RDONLY);
	ssize_t len = read(fd, text, sizeof(text) - 1);

	close(fd);
	if (len <= 0)
		return false;
	text[len] = '\0';
	at = strstr(text, key);
	return at && strtoull(at + strlen(key), NULL, 16) == value;
}

/* Without the sanitizers' look for leaks, which makes calls that are not in the list. */
static void leave(int status)
{
	syscall(SYS_exit_group, status);
}

/* Runs @body in a child that is confined for @what; its wait status. */
static int confined(u32 what, int (*body)(void))
{
	pid_t pid = fork();
	int status;
	u64 kept;

	if (!pid) {
		if (confine(what, -1, &kept) || kept)
			leave(99);
		leave(body());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static int nothing_left(void)
{
	return !(status_is("\nCapEff:", 0) && status_is("\nCapPrm:", 0) &&
		 status_is("\nNoNewPrivs:", 1) && status_is("\nSeccomp:", 2));
}

static int bounded(void)
{
	return !status_is("\nCapBnd:", 0);
}

static int read_only(void)
{
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return 1;
	if (open("/proc/self/comm", O_WRONLY | O_CLOEXEC) >= 0 || errno != EPERM)
		return 2;
	if (open("/tmp/nvmetool-confine", O_RDONLY | O_CREAT | O_CLOEXEC, 0600) >= 0 ||
	    errno != EPERM)
		return 3;
	if (socket(AF_INET, SOCK_STREAM, 0) >= 0 || errno != EPERM)
		return 4;
	return close(fd);
}

/*
 * The size of a terminal is asked for; what types into one, or settles another thing of a file, is
 * not.
 */
static int few_ioctls(void)
{
	struct winsize size;
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC), n;

	if (ioctl(fd, TIOCGWINSZ, &size) >= 0 || errno != ENOTTY)
		return 1;
	if (ioctl(fd, TIOCSTI, "x") >= 0 || errno != EPERM)
		return 2;
	if (ioctl(fd, FIONBIO, &n) >= 0 || errno != EPERM)
		return 3;
	return close(fd);
}

static int send_signal(void)
{
	return kill(getppid(), 0) ? errno : 0;
}

static int make_socket(void)
{
	return socket(AF_INET, SOCK_STREAM, 0);
}

TEST(nothing_left)
{
	assert_int_equal(confined(CONFINE_ALWAYS, nothing_left), 0);
	if (geteuid() == 0)
		assert_int_equal(confined(CONFINE_ALWAYS, bounded), 0);
}

TEST(calls)
{
	assert_int_equal(confined(CONFINE_ALWAYS, read_only), 0);
	assert_int_equal(confined(CONFINE_ALWAYS, few_ioctls), 0);
}

/* Signals are for whoever started a program. */
TEST(program)
{
	assert_int_equal(WEXITSTATUS(confined(CONFINE_ALWAYS, send_signal)), EPERM);
}

/* A call that is not in the list may also end the process, as it does in guests. */
TEST(kill)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
		    calls_filter(CONFINE_ALWAYS, SECCOMP_RET_KILL_PROCESS))
			leave(99);
		leave(make_socket());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS);
}

/* From now on this process may not make call @number with that first argument (-1: any). */
static int deny(u32 number, int arg)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
		BPF_JUMP(BPF_JMP | (arg < 0 ? BPF_JGE : BPF_JEQ) | BPF_K, arg < 0 ? 0 : (u32)arg, 0,
			 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { .len = ARRAY_SIZE(code), .filter = code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -errno;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) ? -errno : 0;
}

/* Privileges that cannot be given up: it is refused to go on with them. */
TEST(drop_fails)
{
	static const struct {
		u32 number;
		int arg;
	} calls[] = {
		{ SYS_capset, -1 },
		{ SYS_prctl, PR_SET_NO_NEW_PRIVS },
		{ SYS_seccomp, -1 },
	};

	for (u32 i = 0; i < ARRAY_SIZE(calls); i++) {
		pid_t pid = fork();
		int status;
		u64 kept;

		if (!pid) {
			close(STDERR_FILENO);
			if (deny(calls[i].number, calls[i].arg))
				leave(99);
			leave(confine(CONFINE_ALWAYS, -1, &kept) == EXIT_AS(EXIT_PERMISSION));
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 1);
	}
}

TEST(names)
{
	u64 all = 0, bit;
	u32 n = 0;

	for (; confine_cap_name(n, &bit); n++) {
		assert_true(bit && !(all & bit));
		all |= bit;
	}
	assert_true(n > 0);
}
