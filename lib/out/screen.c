// SPDX-License-Identifier: GPL-2.0-or-later
/* The terminal as a screen, and the process that restores it if we cannot. */
#include "lib/out/screen.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

#include "lib/base/env.h"
#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/out/out.h"

/* XTerm control sequences: alternate buffer, cursor (DECTCEM), autowrap (DECAWM). */
#define TAKE   "\033[?1049h\033[?25l\033[?7l"
#define GIVE   "\033[?7h\033[?25h\033[?1049l"

#define CUT_MS 25 /* how long the rest of an arrow may be on its way */

const char screen_clear[] = "\033[H\033[J";

enum { PIPE_READ, PIPE_WRITE, PIPE_ENDS };

struct screen {
	struct termios before, raw;
	int guard; /* pipe to the process that restores */
	int epoll, signals;
	int messages[PIPE_ENDS], stderr_fd; /* stderr_fd: the terminal, -1: stderr is not held */
	char keys[64]; /* bytes that were read, but not returned */
	u32 n;
	pid_t self;
	bool entered;
};

static void put(const char *s)
{
	if (write(STDOUT_FILENO, s, strlen(s)) < 0)
		return; /* the terminal has gone */
}

static void hold(int how, int signal)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, signal);
	sigprocmask(how, &set, NULL);
}

/*
 * Gives the terminal back, also from the background, where the shell has put us if our parent has
 * ended. Taking it from there is what SIGTTOU prevents.
 */
static void give(const struct screen *s)
{
	put(GIVE);
	hold(SIG_BLOCK, SIGTTOU);
	tcsetattr(STDIN_FILENO, TCSANOW, &s->before);
	hold(SIG_UNBLOCK, SIGTTOU);
}

bool screen_possible(void)
{
	const char *term = env_look("TERM");

	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && !(term && streq(term, "dumb"));
}

/*
 * The process that restores. Each byte in the pipe says whether the terminal is taken; its end says
 * that we have ended. It outlives what the terminal sends to all: only its pipe ends it.
 */
static void guard_run(const struct screen *s, int pipe)
{
	bool taken = false;
	sigset_t all;
	char byte;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	while (read(pipe, &byte, 1) == 1)
		taken = byte;
	if (taken)
		give(s);
	_exit(0);
}

static int guard_fork(struct screen *s)
{
	int ends[PIPE_ENDS];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	pid = fork();
	if (!pid) {
		close(ends[PIPE_WRITE]);
		guard_run(s, ends[PIPE_READ]);
	}
	close(ends[PIPE_READ]);
	s->guard = ends[PIPE_WRITE];
	return pid < 0 ? -errno : 0;
}

static void guard_tell(const struct screen *s, char taken)
{
	if (write(s->guard, &taken, 1) < 0)
		return; /* somebody has killed it */
}

static int watch(const struct screen *s, int fd)
{
	struct epoll_event event = { .events = EPOLLIN };

	return epoll_ctl(s->epoll, EPOLL_CTL_ADD, fd, &event);
}

static int open_events(struct screen *s)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	sigaddset(&set, SIGCONT);
	sigaddset(&set, SIGWINCH);
	s->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	s->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (s->signals < 0 || s->epoll < 0 || watch(s, s->signals) || watch(s, STDIN_FILENO))
		return -errno;
	if (pipe2(s->messages, O_CLOEXEC | O_NONBLOCK))
		return -errno;
	sigprocmask(SIG_BLOCK, &set, NULL);
	return 0;
}

/* The settings of a screen: keys at once and unseen, and Ctrl-S is one of them. */
static int read_settings(struct screen *s)
{
	if (tcgetattr(STDIN_FILENO, &s->before))
		return -errno;
	s->raw = s->before;
	s->raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	s->raw.c_iflag &= ~(tcflag_t)IXON;
	s->raw.c_oflag |= OPOST | ONLCR;
	s->raw.c_cc[VMIN] = 0;
	s->raw.c_cc[VTIME] = 0;
	return 0;
}

int screen_open(struct screen **screen)
{
	struct screen *s = calloc(1, sizeof(*s));
	int err;

	*screen = s;
	if (!s)
		return fail(-ENOMEM, NULL, NULL, "terminal");
	s->guard = s->epoll = s->signals = s->stderr_fd = -1;
	s->messages[PIPE_READ] = s->messages[PIPE_WRITE] = -1;
	s->self = getpid();
	err = read_settings(s);
	if (!err)
		err = guard_fork(s);
	if (!err)
		err = open_events(s);
	return err ? fail(err, NULL, "use -b", "terminal") : 0;
}

/* Takes the terminal, at the start and whenever the process goes on. */
static void take(const struct screen *s)
{
	guard_tell(s, 1);
	tcsetattr(STDIN_FILENO, TCSANOW, &s->raw);
	put(TAKE);
}

static void hold_messages(struct screen *s)
{
	if (!isatty(STDERR_FILENO))
		return;
	s->stderr_fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (s->stderr_fd >= 0)
		syscall(SYS_dup3, s->messages[PIPE_WRITE], STDERR_FILENO, 0);
}

static void print_messages(struct screen *s)
{
	char text[512];
	ssize_t n;

	if (s->stderr_fd < 0)
		return;
	syscall(SYS_dup3, s->stderr_fd, STDERR_FILENO, 0);
	while ((n = read(s->messages[PIPE_READ], text, sizeof(text))) > 0)
		if (write(STDERR_FILENO, text, (size_t)n) < 0)
			break;
}

void screen_enter(struct screen *s)
{
	pid_t parent = getppid();

	prctl(PR_SET_PDEATHSIG, SIGHUP);
	if (getppid() != parent)
		kill(s->self, SIGHUP);
	hold_messages(s);
	take(s);
	s->entered = true;
}

void screen_close(struct screen *s)
{
	const int fds[] = { s ? s->guard : -1,
			    s ? s->epoll : -1,
			    s ? s->signals : -1,
			    s ? s->stderr_fd : -1,
			    s ? s->messages[PIPE_READ] : -1,
			    s ? s->messages[PIPE_WRITE] : -1 };

	if (!s)
		return;
	if (s->entered) {
		give(s);
		guard_tell(s, 0);
		print_messages(s);
	}
	for (u32 i = 0; i < ARRAY_SIZE(fds); i++)
		if (fds[i] >= 0)
			close(fds[i]);
	free(s);
}

int screen_fd(const struct screen *s)
{
	return s->epoll;
}

void screen_size(const struct screen *s, u32 *lines, u32 *columns)
{
	struct winsize size = { 0 };

	(void)s;
	ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
	*lines = size.ws_row ? size.ws_row : 24;
	*columns = terminal_columns(STDOUT_FILENO);
}

/*
 * Stops the process as SIGTSTP does when nobody catches it (not at all where no shell could wake
 * it), with the terminal as it was.
 */
static void suspend(const struct screen *s)
{
	give(s);
	guard_tell(s, 0);
	kill(s->self, SIGTSTP);
	hold(SIG_UNBLOCK, SIGTSTP); /* here it stops, and goes on */
	hold(SIG_BLOCK, SIGTSTP);
}

/* Handles the signals that came; returns what they mean. */
static int take_signals(const struct screen *s)
{
	struct signalfd_siginfo info;
	int key = SCREEN_NONE;

	while (read(s->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGTSTP)
			suspend(s);
		if (info.ssi_signo != SIGWINCH)
			take(s);
		key = SCREEN_REDRAW;
	}
	return key;
}

/* Reads what was typed, within @wait_ms. False: the terminal has gone. */
static bool read_keys(struct screen *s, int wait_ms)
{
	struct pollfd fd = { .fd = STDIN_FILENO, .events = POLLIN };
	ssize_t n;

	if (s->n == sizeof(s->keys) || poll(&fd, 1, wait_ms) <= 0)
		return true;
	n = read(STDIN_FILENO, s->keys + s->n, sizeof(s->keys) - s->n);
	if (n > 0)
		s->n += (u32)n;
	return n >= 0 && !(fd.revents & (POLLHUP | POLLERR | POLLNVAL));
}

static int drop_keys(struct screen *s, u32 n, int key)
{
	s->n -= n;
	memmove(s->keys, s->keys + n, s->n);
	return key;
}

/* Whether what is there may be the begin of an arrow. */
static bool is_cut(const struct screen *s)
{
	return s->n && s->n < 3 && s->keys[0] == '\033' &&
	       (s->n < 2 || s->keys[1] == '[' || s->keys[1] == 'O');
}

/* The key at the front. An arrow is ESC [ A or ESC O A; an ESC that begins nothing counts alone. */
static int first_key(struct screen *s)
{
	static const int arrows[] = { SCREEN_UP, SCREEN_DOWN, SCREEN_RIGHT, SCREEN_LEFT };
	u8 last = s->n > 2 ? (u8)s->keys[2] : 0;

	if (s->n < 3 || s->keys[0] != '\033' || (s->keys[1] != '[' && s->keys[1] != 'O'))
		return drop_keys(s, 1, (u8)s->keys[0]);
	return drop_keys(s, 3, last >= 'A' && last <= 'D' ? arrows[last - 'A'] : '\033');
}

int screen_key(struct screen *s)
{
	int key = take_signals(s);

	if (key != SCREEN_NONE)
		return key;
	if (!read_keys(s, 0) || (is_cut(s) && !read_keys(s, CUT_MS)))
		return SCREEN_GONE;
	return s->n ? first_key(s) : SCREEN_NONE;
}
