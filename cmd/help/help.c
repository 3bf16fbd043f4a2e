// SPDX-License-Identifier: GPL-2.0-or-later
/* help: prints texts, manual pages and schemas made from the tables, and the pages of this directory. */
#include "lib/cli/help.h"

#include "cmd/commands.h"
#include "embed/embed.h"
#include "lib/base/err.h"
#include "lib/cli/pager.h"
#include "lib/view/finding.h"
#include "lib/base/str.h"

struct help_cfg {
	bool man, schema;
};

/* clang-format off */
static const struct opt opts[] = {
	OPT_FLAG(struct help_cfg, man, .name = "man", .main = true, .help = "print a manual page in mdoc"),
	OPT_FLAG(struct help_cfg, schema, .name = "schema", .main = true,
		 .brief = "print a JSON Schema of the command's records", .help = "print a JSON Schema (2020-12) of the command's records"),
	OPT_DONE,
};
/* clang-format on */

static int print_command(FILE *f, const void *cmd)
{
	return help_command(f, cmd);
}

static int print_topic(FILE *f, const void *topic)
{
	const struct blob *text = topic;

	fwrite(text->data, 1, text->size, f);
	return help_flush(f);
}

static int print_findings(FILE *f, const void *unused)
{
	(void)unused;
	finding_help(f);
	return help_flush(f);
}

static int help_run(struct invocation *inv)
{
	const struct help_cfg *cfg = inv->cfg;
	const struct opt_rest *rest = &inv->rest;
	const struct cmd *cmd = rest->n ? cmd_find(commands, rest->word[0]) : NULL;

	const bool findings = rest->n && streq(rest->word[0], "findings");
	const struct blob *topic = rest->n ? embed_find("topic", rest->word[0]) : NULL;

	if (rest->n > 1)
		return fail_usage("expected one command", "", "help");
	if (topic && !cfg->man && !cfg->schema)
		return pager_show(print_topic, topic);
	if (findings && !cfg->man && !cfg->schema)
		return pager_show(print_findings, NULL);
	if (rest->n && !cmd)
		return cmd_unknown(commands, rest->word[0]);
	if (cfg->man && cfg->schema)
		return fail_usage("they ask for two texts", "drop one of them",
				  "--man and --schema");
	if (cfg->man)
		return cmd ? man_command(stdout, cmd) : man_overview(stdout, commands);
	if (cfg->schema)
		return cmd ? help_schema(cmd) : fail_usage("expected a command", "", "--schema");
	return cmd ? pager_show(print_command, cmd) : help_overview(stdout, commands);
}

/* clang-format off */
static const struct example examples[] = {
	{ "the commands", "nvmetool help" },
	{ "all about a command", "nvmetool help latency" },
	{ "kernels, privileges, limits", "nvmetool help hosts" },
	{ "what report looks for", "nvmetool help findings" },
	{ "the same as a manual page", "nvmetool help --man latency | man -l -" },
	{ "a JSON Schema of its records", "nvmetool help --schema latency" },
	{ NULL },
};
/* clang-format on */

const struct cmd cmd_help = {
	.name = "help",
	.summary = "explain nvmetool or a command",
	.operands = "[COMMAND|hosts|findings]",
	.examples = examples,
	.takes = TAKES_OPERANDS,
	.opts = opts,
	.cfg_size = sizeof(struct help_cfg),
	.run = help_run,
};
