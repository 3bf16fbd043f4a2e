// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds a subcommand by name, and prints for one that does not trace. */
#include "lib/cli/cmd.h"

#include <errno.h>

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

const struct schema *const *cmd_run_schemas(const struct invocation *inv)
{
	return inv->cmd->run_schemas ? inv->cmd->run_schemas(inv->cfg) : inv->cmd->schemas;
}

int cmd_print(const struct invocation *inv, int (*print)(struct out *o, const void *ctx),
	      const void *ctx)
{
	struct out *o;
	int err = out_open(&o, &inv->common.output, cmd_run_schemas(inv)), closed;

	if (err)
		return err;
	out_patient(o, -1);
	err = print(o, ctx);
	closed = out_close(o);
	if (closed && closed != -EPIPE)
		err = fail(closed, NULL, NULL, "cannot write output");
	return err;
}

/* Words that people may look for a command by. */
static const char *const synonyms[][2] = {
	{ "hist", "latency" }, { "histogram", "latency" }, { "snoop", "trace" },
	{ "replay", "trace" }, { "check", "doctor" },
};

/* Other tools, and the commands that replace them. */
static const char *const tools[][2] = {
#define TOOL(name, command) { #name, #command },
#include "lib/cli/tools.def"
#undef TOOL
};

int cmd_unknown(const struct cmd *const *list, const char *name)
{
	struct suggestion near = { .typed = name };
	char remedy[80];

	for (u32 i = 0; i < ARRAY_SIZE(tools); i++) {
		if (!streq(name, tools[i][0]))
			continue;
		snprintf(remedy, sizeof(remedy), "%s replaces %s", tools[i][1], name);
		return fail_usage("no such command", remedy, "%s", name);
	}
	for (; *list; list++)
		suggest_offer(&near, (*list)->name);
	for (u32 i = 0; i < ARRAY_SIZE(synonyms); i++)
		if (streq(name, synonyms[i][0]))
			near.best = synonyms[i][1];
	snprintf(remedy, sizeof(remedy), "did you mean %s?", near.best ? near.best : "");
	return fail_usage(name[0] == '-' ? "no such option" : "no such command",
			  near.best ? remedy : NULL, "%s", name);
}
