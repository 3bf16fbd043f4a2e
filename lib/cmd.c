// SPDX-License-Identifier: GPL-2.0-or-later
/* The list of subcommands. */
#include "lib/cmd.h"

#include "lib/err.h"
#include "lib/nearest.h"
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

/* Names from other tools, and the command that does the same here. */
static const char *const synonyms[][2] = {
	{ "hist", "latency" },	   { "histogram", "latency" }, { "biolatency", "latency" },
	{ "snoop", "trace" },	   { "biosnoop", "trace" },    { "biopattern", "pattern" },
	{ "bitesize", "pattern" }, { "stackcount", "stacks" }, { "replay", "trace" },
	{ "check", "doctor" },
};

int cmd_unknown(const char *name)
{
	struct nearest near = { .typed = name };
	char remedy[80];

	for (u32 i = 0; cmds[i]; i++)
		nearest_offer(&near, cmds[i]->name);
	for (u32 i = 0; i < ARRAY_SIZE(synonyms); i++)
		if (streq(name, synonyms[i][0]))
			near.best = synonyms[i][1];
	snprintf(remedy, sizeof(remedy), "did you mean %s?", near.best ? near.best : "");
	return fail_usage(name[0] == '-' ? "no such option" : "no such command",
			  near.best ? remedy : NULL, "%s", name);
}
