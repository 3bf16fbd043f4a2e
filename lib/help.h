// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Texts that follow from the tables of lib/cmd.h and lib/opt.h: help, manual pages, schemas, versions.
 * All return 0 or what help_flush() does.
 */
#ifndef NVT_HELP_H
#define NVT_HELP_H

#include <stdio.h>

#include "lib/cmd.h"

/* Columns of a terminal that help must fit in. */
#define HELP_WIDTH 80

/* What nvmetool is and its commands; on @f. */
int help_overview(FILE *f);

/* The text of `nvmetool CMD --help`. */
int help_command(FILE *f, const struct cmd *cmd);

/* One JSON record on stdout that describes the records of @cmd: name, type, nullable of each field. */
int help_schema(const struct cmd *cmd);

/* Versions of nvmetool, libbpf, zlib and the C library. */
int help_version(FILE *f);

/* A manual page in mdoc: of @cmd, or nvmetool(1) when NULL. In lib/man.c. */
int man_page(FILE *f, const struct cmd *cmd);

/*
 * Flushes @f. 0, also when the reader is gone (EPIPE); -errno after a message. Every text ends with it.
 */
int help_flush(FILE *f);

/* A schema's field as JSON names its type: "integer", "string", "any" for what emit() writes, ... */
const char *help_json_type(const struct field *field);
bool help_json_nullable(const struct field *field);

/* Calls `put` for each line of @text broken at blanks to at most @width characters. */
void help_wrap(FILE *f, const char *text, int indent, int width);

#endif
