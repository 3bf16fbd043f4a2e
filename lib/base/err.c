// SPDX-License-Identifier: GPL-2.0-or-later
/* Messages on stderr: one line, escaped, in one write; exit statuses. */
#include "lib/base/err.h"
#include "lib/base/escape.h"

#include <poll.h>
#include <unistd.h>

#include "lib/base/str.h"

/* Room for what a user may have typed; the reason and the remedy behind it must stay visible. */
#define WHAT_MAX       400
#define LINE_MAX_BYTES 1600
#define PROGRESS_MAX   80 /* the line of progress() with its NUL */
#define PROGRESS_CLEAR (PROGRESS_MAX + 2)

/* Set by err_quiet(). It is global because stderr is: both belong to the process. */
static bool notes_dropped;

/* Set by err_mute(), and global like notes_dropped. */
static bool muted;

/* Length of the line of progress() that stands on stderr; global for the same reason. */
static u32 progress_len;

/* The command's name, for hints; set once, since a process runs one command. */
static const char *command;

const char *err_text(int err)
{
	/* include/linux/errno.h */
	static const char *const internal[] = {
		[0] = "interrupted by a signal (ERESTARTSYS)",
		[1] = "interrupted by a signal (ERESTARTNOINTR)",
		[2] = "interrupted by a signal (ERESTARTNOHAND)",
		[3] = "no such ioctl command (ENOIOCTLCMD)",
		[4] = "interrupted by a signal (ERESTART_RESTARTBLOCK)",
		[5] = "the driver asks to be tried again later (EPROBE_DEFER)",
		[6] = "a stale file was found at open (EOPENSTALE)",
		[7] = "the parameter is not supported (ENOPARAM)",
		[9] = "illegal NFS file handle (EBADHANDLE)",
		[10] = "update synchronization mismatch (ENOTSYNC)",
		[11] = "the cookie is stale (EBADCOOKIE)",
		[12] = "the kernel does not support the operation (ENOTSUPP)",
		[13] = "the buffer or the request is too small (ETOOSMALL)",
		[14] = "a server failed in a way that has no name (ESERVERFAULT)",
		[15] = "the server does not know the type (EBADTYPE)",
		[16] = "the request will be completed later (EJUKEBOX)",
		[17] = "queued, and will be completed later (EIOCBQUEUED)",
		[18] = "it conflicts with a recalled state (ERECALLCONFLICT)",
		[19] = "an NFS file lock could not be reclaimed (ENOGRACE)",
	};
	int number = err < 0 ? -err : err;

	if (number >= 512 && number < 512 + (int)ARRAY_SIZE(internal) && internal[number - 512])
		return internal[number - 512];
	return strerror(number);
}

int err_exit_status(int err)
{
	if (err >= 0)
		return EXIT_OK;
	return err <= EXIT_AS(0) ? (-err - 4096) & 0xff : EXIT_RUNTIME;
}

/*
 * Writes all at once, so that lines of several processes do not mix. A failure is ignored: there is
 * no other place to report it.
 */
static void write_stderr(const char *text, size_t len)
{
	while (!muted && write(STDERR_FILENO, text, len) < 0 && errno == EINTR)
		;
}

/*
 * Writes what blanks out the line of progress() to @buf, which has room for PROGRESS_CLEAR, and
 * returns its length. Blanks work on every terminal.
 */
static size_t clear_text(char *buf)
{
	int len =
		progress_len ? snprintf(buf, PROGRESS_CLEAR, "\r%*s\r", (int)progress_len, "") : 0;

	progress_len = 0;
	return (size_t)len;
}

static void print_line(const char *line)
{
	char safe[PROGRESS_CLEAR + 4 * LINE_MAX_BYTES];
	size_t len = clear_text(safe);

	len += escape_text(line, safe + len, 4 * LINE_MAX_BYTES - 1);
	safe[len++] = '\n';
	write_stderr(safe, len);
}

/* Like vsnprintf(), but ends a text that was cut with dots. */
static void format(char *buf, size_t size, const char *fmt, va_list args)
{
	int len = vsnprintf(buf, size, fmt, args);

	if (len < 0)
		buf[0] = '\0';
	else if ((size_t)len >= size)
		memcpy(buf + size - 4, "...", 4);
}

static int vfail(int err, const char *why, const char *remedy, const char *fmt, va_list args)
{
	char what[WHAT_MAX], line[LINE_MAX_BYTES];

	format(what, sizeof(what), fmt, args);
	if (!why)
		why = err_text(err < 0 && err > EXIT_AS(0) ? err : EINVAL);
	bool advice = remedy && remedy[0];
	snprintf(line, sizeof(line), "error: %s: %s%s%s", what, why, advice ? "; " : "",
		 advice ? remedy : "");
	print_line(line);
	return err;
}

int fail(int err, const char *why, const char *remedy, const char *what, ...)
{
	va_list args;

	va_start(args, what);
	vfail(err, why, remedy, what, args);
	va_end(args);
	return err;
}

static int vfail_usage(int err, const char *why, const char *remedy, const char *fmt, va_list args)
{
	char help[80] = "try 'nvmetool help'";

	if (command)
		snprintf(help, sizeof(help), "try 'nvmetool %s --help'", command);
	return vfail(err, why, remedy ? remedy : help, fmt, args);
}

int fail_usage(const char *why, const char *remedy, const char *what, ...)
{
	va_list args;

	va_start(args, what);
	vfail_usage(EXIT_AS(EXIT_USAGE), why, remedy, what, args);
	va_end(args);
	return EXIT_AS(EXIT_USAGE);
}

int fail_missing(const char *why, const char *remedy, const char *what, ...)
{
	va_list args;

	va_start(args, what);
	vfail_usage(EXIT_MISSING, why, remedy, what, args);
	va_end(args);
	return EXIT_MISSING;
}

void note(const char *fmt, ...)
{
	static const char name[] = "nvmetool: ";
	char line[LINE_MAX_BYTES];
	va_list args;

	if (notes_dropped)
		return;
	memcpy(line, name, sizeof(name));
	va_start(args, fmt);
	format(line + sizeof(name) - 1, sizeof(line) - sizeof(name) + 1, fmt, args);
	va_end(args);
	print_line(line);
}

void tell_failed(const char *fmt, ...)
{
	static const char word[] = "failed: ";
	char line[LINE_MAX_BYTES];
	va_list args;

	memcpy(line, word, sizeof(word));
	va_start(args, fmt);
	format(line + sizeof(word) - 1, sizeof(line) - sizeof(word) + 1, fmt, args);
	va_end(args);
	print_line(line);
}

bool note_waits(void)
{
	struct pollfd out = { .fd = STDERR_FILENO, .events = POLLOUT };

	return !notes_dropped && !poll(&out, 1, 0);
}

bool progress_wanted(void)
{
	return !notes_dropped && isatty(STDERR_FILENO);
}

void progress(const char *fmt, ...)
{
	char text[PROGRESS_MAX], line[2 * PROGRESS_MAX];
	va_list args;
	int len;

	if (!progress_wanted() || note_waits())
		return;
	va_start(args, fmt);
	format(text, sizeof(text), fmt, args);
	va_end(args);
	len = snprintf(line, sizeof(line), "\r%-*s", (int)progress_len, text);
	progress_len = (u32)strlen(text);
	write_stderr(line, (size_t)len);
}

void progress_clear(void)
{
	char text[PROGRESS_CLEAR];
	size_t len = clear_text(text);

	if (len)
		write_stderr(text, len);
}

void err_command(const char *name)
{
	command = name;
}

void err_quiet(bool quiet)
{
	notes_dropped = quiet;
}

void err_mute(bool mute)
{
	muted = mute;
}
