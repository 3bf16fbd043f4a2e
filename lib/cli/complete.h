// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Shell completion. The scripts of completion/ ask `nvmetool __complete WORDS...`, the words behind
 * "nvmetool" up to the one under the cursor, which may be empty.
 */
#ifndef NVT_CLI_COMPLETE_H
#define NVT_CLI_COMPLETE_H

#include <stdio.h>

#include "lib/cli/cmd.h"

/*
 * Tells what @cmd says of the words @argv, the first being its name: 0, EXIT_MISSING where they lack
 * another word, or another failure. Prints nothing.
 */
typedef int complete_try(const struct cmd *cmd, int argc, char **argv);

/*
 * @list: the commands. Prints `word<TAB>help` for each candidate; candidates are whole words
 * (--format=json, read,write). A line `:files`, `:dirs` or `:commands` asks the shell for those
 * instead. Only what @try_line does not refuse is offered, unless it refuses the line before the
 * cursor already; NULL refuses nothing. 0 or what help_flush() returns.
 */
int complete_words(FILE *f, const struct cmd *const *list, complete_try *try_line, int argc,
		   char **argv);

/* Copies the script for @shell (bash, zsh, fish) to @f. 0, or a usage error when there is none. */
int complete_script(FILE *f, const char *shell);

/* An option on the line, with its value (NULL: none). */
struct completion_typed {
	const struct opt *opt;
	const char *value;
};

/* The word under the cursor: `fixed` text stands, candidates begin with `begun`. */
struct completion {
	FILE *f;
	const struct cmd *const *commands;
	const char *fixed; /* "--opcode=read," */
	int fixed_len;
	const char *begun; /* "wri" */
	const char *sys; /* where sysfs is, NULL: /sys */
	const struct opt_group *groups; /* of the command */
	const struct opt *opt; /* whose value is under the cursor */
	struct completion_typed typed[64]; /* options before the word under the cursor */
	u32 n_typed;
	const struct cmd *cmd;
	complete_try *try_line; /* NULL: all candidates are offered */
	char **line; /* the words before the one under the cursor, beginning with the command */
	int n_line;
	int *failed; /* set to -errno where a line could not be tried */
};

/* Prints @word if it fits. @help may be NULL. */
void complete_offer(const struct completion *c, const char *word, const char *help);

/* True unless the line with @word behind it, and @more behind that (NULL: none), is refused. */
bool complete_accepted(const struct completion *c, const char *word, const char *more);

/* Offers values of @opt of @cmd; in lib/cli/complete_value.c. */
void complete_value(struct completion *c, const struct cmd *cmd, const struct opt *opt);

/*
 * True if the line with @name, which is @opt, is accepted with any value; of free text, with one
 * that is good where any is. In lib/cli/complete_value.c.
 */
bool complete_any_value(const struct completion *c, const struct opt *opt, const char *name);

#endif
