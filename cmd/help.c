// SPDX-License-Identifier: GPL-2.0-or-later
/* help: texts, manual pages and schemas from the tables. */
#include "lib/help.h"

#include "lib/err.h"

struct help_cfg {
	bool man, schema;
};

/* clang-format off */
static const struct opt opts[] = {
	OPT_FLAG(struct help_cfg, man, .name = "man", .help = "a manual page in mdoc"),
	OPT_FLAG(struct help_cfg, schema, .name = "schema",
		 .help = "the fields of the command's records, as JSON"),
	OPT_DONE,
};
/* clang-format on */

static int help_run(struct invocation *inv)
{
	const struct help_cfg *cfg = inv->cfg;
	const struct opt_rest *rest = &inv->rest;
	const struct cmd *cmd = rest->n ? cmd_find(rest->word[0]) : NULL;

	if (rest->n > 1)
		return fail_usage("expected one command", "", "help");
	if (rest->n && !cmd)
		return cmd_unknown(rest->word[0]);
	if (cfg->man && cfg->schema)
		return fail_usage("they ask for two texts", "drop one of them",
				  "--man and --schema");
	if (cfg->man)
		return man_page(stdout, cmd);
	if (cfg->schema)
		return cmd ? help_schema(cmd) : fail_usage("expected a command", "", "--schema");
	return cmd ? help_command(stdout, cmd) : help_overview(stdout);
}

static const char *const examples[] = {
	"nvmetool help latency",
	"nvmetool help --man trace",
	"nvmetool help --schema latency",
	NULL,
};

const struct cmd cmd_help = {
	.name = "help",
	.summary = "explain nvmetool or a command",
	.operands = "[COMMAND]",
	.examples = examples,
	.takes = TAKES_OPERANDS,
	.opts = opts,
	.cfg_size = sizeof(struct help_cfg),
	.run = help_run,
};
