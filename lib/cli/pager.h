// SPDX-License-Identifier: GPL-2.0-or-later
/* Shows a long text on a terminal through $PAGER, else less or more. */
#ifndef NVT_CLI_PAGER_H
#define NVT_CLI_PAGER_H

#include <stdio.h>

#include "lib/cli/cmd.h"

/*
 * Lets @print write its text about @cmd to a pager, and waits for that. To standard output when it
 * is no terminal, when TERM is dumb, when PAGER is empty or cat, and when the pager cannot be run.
 * What @print returns.
 */
int pager_show(int (*print)(FILE *f, const struct cmd *cmd), const struct cmd *cmd);

#endif
