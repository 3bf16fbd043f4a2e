// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Errors and notes on stderr, and the exit statuses of the contract.
 *
 * Functions return 0 or a negative errno; the one that knows most about a failure reports it, once,
 * with fail(). A failure that must end the program with a particular status is returned as
 * EXIT_AS(code).
 */
#ifndef NVT_BASE_ERR_H
#define NVT_BASE_ERR_H

#include <errno.h>
#include <stdarg.h>

#include "lib/base/types.h"

enum exit_status {
	EXIT_OK = 0,
	EXIT_RUNTIME = 1, /* I/O error, out of memory, output cannot be written */
	EXIT_USAGE = 2, /* bad command line */
	EXIT_PERMISSION = 3, /* missing capability, lockdown */
	EXIT_KERNEL = 4, /* this kernel cannot: no BTF, no driver, program rejected */
	EXIT_NOTHING = 5, /* no such controller, device, pid; input empty, damaged, not ours */
	EXIT_CONDITION = 6, /* a --fail-if condition was true */
	EXIT_INCOMPLETE = 7, /* --strict and data is incomplete */
	EXIT_NOT_EXECUTABLE = 126,
	EXIT_NOT_FOUND = 127,
	EXIT_SECOND_SIGINT = 130,
};

/* A negative return value that carries an exit status; outside the range of errno. */
#define EXIT_AS(status) (-(4096 + (int)(status)))

/*
 * Returns what the number of an error means, negative or not. It knows those that the kernel keeps
 * to itself but lets out at times (512 to 531), for which libc has no text.
 */
const char *err_text(int err);

/* A usage error of a line that would be good with another word: what fail_missing() returns. */
#define EXIT_MISSING EXIT_AS(256 + EXIT_USAGE)

/* The exit status for a return value: 0 for >= 0, the carried one, else EXIT_RUNTIME. */
int err_exit_status(int err);

/*
 * Prints `error: WHAT: WHY; REMEDY` on stderr, control characters escaped, and returns @err.
 * @what is a format with the arguments after it. @why is the reason; NULL takes err_text(@err).
 * @remedy says what to do; NULL drops that part.
 */
__attribute__((format(printf, 4, 5))) int fail(int err, const char *why, const char *remedy,
					       const char *what, ...);

/*
 * fail() with EXIT_AS(EXIT_USAGE). @remedy NULL says `try 'nvmetool COMMAND --help'`, "" says
 * nothing.
 */
__attribute__((format(printf, 3, 4))) int fail_usage(const char *why, const char *remedy,
						     const char *what, ...);

/*
 * fail_usage() of a line in which nothing is wrong, but which lacks a word; returns EXIT_MISSING.
 * Completion goes on offering words for such a line.
 */
__attribute__((format(printf, 3, 4))) int fail_missing(const char *why, const char *remedy,
						       const char *what, ...);

/*
 * Prints `nvmetool: ...` on stderr, control characters escaped, unless err_quiet(true) was called.
 */
__attribute__((format(printf, 1, 2))) void note(const char *fmt, ...);

/*
 * Prints `failed: ...` on stderr in the same way, and after err_quiet(true) as well: it says why
 * the exit status is EXIT_CONDITION.
 */
__attribute__((format(printf, 1, 2))) void tell_failed(const char *fmt, ...);

/* True when a note would block: the reader of stderr is behind, or has stopped reading. */
bool note_waits(void);

/*
 * Shows a line of at most 79 characters on stderr, over the one before; the next message, or
 * progress_clear(), removes it. Nothing is shown after err_quiet(true), where stderr is no
 * terminal, and while its reader is behind.
 */
__attribute__((format(printf, 1, 2))) void progress(const char *fmt, ...);
bool progress_wanted(void); /* progress() would show something */
void progress_clear(void);

/*
 * Sets the command whose help fail_usage() names; @name must be a constant. Until then it is
 * nvmetool itself.
 */
void err_command(const char *name);

/* --quiet: notes are dropped, errors are not. */
void err_quiet(bool quiet);

/* From true to false no message is printed: completion tries lines, some of which are refused. */
void err_mute(bool mute);

#endif
