// SPDX-License-Identifier: GPL-2.0-or-later
/* The list of subcommands. */
#include "lib/cmd.h"

#include "lib/str.h"

const struct cmd *const cmds[] = {
#define CMD(name) &cmd_##name,
#include "cmd/list.def"
#undef CMD
	NULL,
};

const struct cmd *cmd_find(const char *name)
{
	for (u32 i = 0; cmds[i]; i++)
		if (streq(cmds[i]->name, name))
			return cmds[i];
	return NULL;
}
