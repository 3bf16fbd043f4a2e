// SPDX-License-Identifier: GPL-2.0-or-later
/* help: prints texts, manual pages and schemas made from the tables, and the pages of this directory. */
#include "lib/cli/help.h"

#include "cmd/help/man.h"
#include "cmd/help/pager.h"
#include "cmd/commands.h"
#include "embed/embed.h"
#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/view/finding.h"

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

static bool is_topic(const char *word)
{
	return streq(word, "findings") || embed_find("topic", word);
}

static int print_topic(FILE *f, const void *word)
{
	const struct blob *text = embed_find("topic", word);

	if (text)
		fwrite(text->data, 1, text->size, f);
	else
		finding_help(f);
	return help_flush(f);
}

static int help_check(const struct invocation *inv)
{
	const struct help_cfg *cfg = inv->cfg;
	const struct opt_rest *rest = &inv->rest;
	const struct cmd *cmd = rest->n ? cmd_find(commands, rest->word[0]) : NULL;
	bool text = !cfg->man && !cfg->schema;

	if (rest->n > 1)
		return fail_usage("expected one command", "", "help");
	if (rest->n && !cmd && !(text && is_topic(rest->word[0])))
		return cmd_unknown(commands, rest->word[0]);
	if (cfg->man && cfg->schema)
		return fail_usage("they ask for two texts", "drop one of them",
				  "--man and --schema");
	if (cfg->schema && !cmd)
		return fail_missing("expected a command", "", "--schema");
	if (cfg->schema && !cmd->schemas)
		return fail_usage("this command prints no JSON", "", "--schema %s", cmd->name);
	return 0;
}

static int help_run(struct invocation *inv)
{
	const struct help_cfg *cfg = inv->cfg;
	const char *word = inv->rest.n ? inv->rest.word[0] : NULL;
	const struct cmd *cmd = word ? cmd_find(commands, word) : NULL;

	if (cfg->man)
		return cmd ? man_command(stdout, cmd) : man_overview(stdout, commands);
	if (cfg->schema)
		return help_schema(cmd);
	if (cmd)
		return pager_show(print_command, cmd);
	return word ? pager_show(print_topic, word) : help_overview(stdout, commands);
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
	.check_run = help_check,
	.run = help_run,
};
