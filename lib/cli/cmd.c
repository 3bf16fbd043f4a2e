// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds a subcommand by name. */
#include "lib/cli/cmd.h"

#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/base/suggest.h"

const struct cmd *cmd_find(const struct cmd *const *list, const char *name)
{
	for (; *list; list++)
		if (streq((*list)->name, name))
			return *list;
	return NULL;
}

/* Names of other tools, and the command that does the same here. */
static const char *const synonyms[][2] = {
	{ "hist", "latency" },	   { "histogram", "latency" }, { "biolatency", "latency" },
	{ "snoop", "trace" },	   { "biosnoop", "trace" },    { "biopattern", "pattern" },
	{ "bitesize", "pattern" }, { "stackcount", "stacks" }, { "replay", "trace" },
	{ "check", "doctor" },
};

int cmd_unknown(const struct cmd *const *list, const char *name)
{
	struct suggestion near = { .typed = name };
	char remedy[80];

	for (; *list; list++)
		suggest_offer(&near, (*list)->name);
	for (u32 i = 0; i < ARRAY_SIZE(synonyms); i++)
		if (streq(name, synonyms[i][0]))
			near.best = synonyms[i][1];
	snprintf(remedy, sizeof(remedy), "did you mean %s?", near.best ? near.best : "");
	return fail_usage(name[0] == '-' ? "no such option" : "no such command",
			  near.best ? remedy : NULL, "%s", name);
}
