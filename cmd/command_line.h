// SPDX-License-Identifier: GPL-2.0-or-later
/* The words behind a command: parsed and checked, with and without running the command. */
#ifndef NVT_CMD_COMMAND_LINE_H
#define NVT_CMD_COMMAND_LINE_H

#include "lib/cli/cmd.h"

/*
 * Parses the words @argv, the first being the command's name, into @inv, whose cmd and cfg are set.
 * Checks them, unless they ask for --help or --version. 0, EXIT_AS(...) or -errno after a message.
 */
int line_read(struct invocation *inv, int argc, char **argv);

/* True if inv->cmd->run() is to do all that @inv asks for; else it is a session. */
bool line_runs(const struct invocation *inv);

/*
 * Tells what the command says of a line without running it, for completion: no file is opened, and
 * neither the host nor a recording is read. 0, EXIT_MISSING, or another failure; messages are
 * printed as always.
 */
int line_try(const struct cmd *cmd, int argc, char **argv);

#endif
