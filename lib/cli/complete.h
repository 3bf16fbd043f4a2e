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
 * @list: the commands. Prints `word<TAB>help` for each candidate; candidates are whole words
 * (--format=json, read,write). A line `:files`, `:dirs` or `:commands` asks the shell for those
 * instead. 0 or what help_flush() returns.
 */
int complete_words(FILE *f, const struct cmd *const *list, int argc, char **argv);

/* Copies the script for @shell (bash, zsh, fish) to @f. 0, or a usage error when there is none. */
int complete_script(FILE *f, const char *shell);

/* The word under the cursor: `fixed` text stands, candidates begin with `begun`. */
struct completion {
	FILE *f;
	const struct cmd *const *commands;
	const char *fixed; /* "--opcode=read," */
	int fixed_len;
	const char *begun; /* "wri" */
	const char *sys; /* where sysfs is, NULL: /sys */
};

/* Prints @word if it fits. @help may be NULL. */
void complete_offer(const struct completion *c, const char *word, const char *help);

/* Offers values of @opt of @cmd; in lib/cli/complete_value.c. */
void complete_value(struct completion *c, const struct cmd *cmd, const struct opt *opt);

#endif
