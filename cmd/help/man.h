// SPDX-License-Identifier: GPL-2.0-or-later
/* Manual pages in mdoc. */
#ifndef NVT_HELP_MAN_H
#define NVT_HELP_MAN_H

#include <stdio.h>

struct cmd;

/* Print one of nvmetool with the commands of @list, or of one command. */
int man_overview(FILE *f, const struct cmd *const *list);
int man_command(FILE *f, const struct cmd *cmd);

#endif
