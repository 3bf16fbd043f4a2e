// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Texts made from the tables of lib/cli/cmd.h and lib/cli/opt.h: help, manual pages, schemas,
 * versions. Functions that print a whole text return what help_flush() does.
 */
#ifndef NVT_CLI_HELP_H
#define NVT_CLI_HELP_H

#include <stdio.h>

#include "lib/cli/cmd.h"

/* Prints the text of `nvmetool -h`: the commands of @list on a screen of 80 columns and 24 lines. */
int help_commands(FILE *f, const struct cmd *const *list);

/* Prints the text of `nvmetool help`: the same, exit statuses, and what else there is. */
int help_overview(FILE *f, const struct cmd *const *list);

/* Prints the text of `nvmetool CMD -h`: one screen of 80 columns and 24 lines. */
int help_brief(FILE *f, const struct cmd *cmd);

/* Prints the text of `nvmetool help CMD`: all there is to say, 80 columns wide. */
int help_command(FILE *f, const struct cmd *cmd);

/* Prints a JSON Schema of the records of @cmd, which has some, on stdout. In lib/cli/schema.c. */
int help_schema(const struct cmd *cmd);

/*
 * Members of objects in several records: a controller, a selection, losses by cause. In
 * lib/cli/schema.c.
 */
extern const struct field schema_ctrls[], schema_filters[], schema_lost[];

/* Prints the versions of nvmetool and of the libraries in it. */
int help_version(FILE *f);

/* Flushes @f. 0, also when the reader is gone (EPIPE); -errno after a message. */
int help_flush(FILE *f);

/* Exit statuses with their meaning, the last with text NULL. */
struct help_status {
	int code;
	const char *text;
};
extern const struct help_status help_statuses[];

/*
 * Returns the synopsis of what may follow the options of @cmd: "[INTERVAL [COUNT]] [--
 * PROGRAM...]".
 */
const char *help_operands(const struct cmd *cmd);

/* An option, and the heading it stands under. */
struct help_option {
	const char *title;
	const struct opt *opt;
};

#define HELP_OPTIONS 100 /* the most of a command */

/*
 * Fills @list with the options of @cmd in the order of help and manual page, and returns how many
 * there are: the main ones, which are all of -h, then those of each group, the rare ones at the end.
 */
u32 help_options(const struct cmd *cmd, struct help_option list[HELP_OPTIONS]);

/*
 * Writes the explanation of an option into buf, cut at size: its help, the words it takes, its
 * default in brackets. The formats of @cmd count as words of --format.
 */
void help_option_text(const struct cmd *cmd, const struct opt *opt, char *buf, size_t size);

/*
 * Returns the first record of @cmd that has the fields of @schema; NULL if that is @schema itself.
 */
const struct schema *help_same_fields(const struct cmd *cmd, const struct schema *schema);

#endif
