// SPDX-License-Identifier: GPL-2.0-or-later
/* The list of subcommands. */
#include "cmd/commands.h"

const struct cmd *const commands[] = {
#define CMD(name) &cmd_##name,
#include "cmd/list.def"
#undef CMD
	NULL,
};
