// SPDX-License-Identifier: GPL-2.0-or-later
/* The subcommands. A new one is a line in cmd/list.def. */
#ifndef NVT_COMMANDS_H
#define NVT_COMMANDS_H

#include "lib/cli/cmd.h"

#define CMD(name) extern const struct cmd cmd_##name;
#include "cmd/list.def"
#undef CMD

/* One pointer per line of cmd/list.def, in that order, then NULL. */
extern const struct cmd *const commands[];

#endif
