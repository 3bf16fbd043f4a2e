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

/* Set by err_quiet(). It is global because stderr is: both belong to the process. */
static bool notes_dropped;

/* The command's name, for hints; set once, since a process runs one command. */
static const char *command;

int err_exit_status(int err)
{
	if (err >= 0)
		return EXIT_OK;
	return err <= EXIT_AS(0) ? -err - 4096 : EXIT_RUNTIME;
}

/*
 * Prints in one write, so that lines of several processes do not mix. A failure is ignored: there
 * is no other place to report it.
 */
static void print_line(const char *line)
{
	char safe[4 * LINE_MAX_BYTES];
	size_t len = escape_text(line, safe, sizeof(safe) - 1);

	safe[len++] = '\n';
	while (write(STDERR_FILENO, safe, len) < 0 && errno == EINTR)
		;
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
		why = strerror(err < 0 && err > EXIT_AS(0) ? -err : EINVAL);
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

int fail_usage(const char *why, const char *remedy, const char *what, ...)
{
	char help[80] = "try 'nvmetool help'";
	va_list args;

	if (command)
		snprintf(help, sizeof(help), "try 'nvmetool %s --help'", command);
	va_start(args, what);
	vfail(EXIT_AS(EXIT_USAGE), why, remedy ? remedy : help, what, args);
	va_end(args);
	return EXIT_AS(EXIT_USAGE);
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

void err_command(const char *name)
{
	command = name;
}

void err_quiet(bool quiet)
{
	notes_dropped = quiet;
}
