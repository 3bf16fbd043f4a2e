// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Command lines: the input's lines are the words behind the name of the command that its first byte
 * chooses. They are parsed, checked against each other, and turned into a filter; then completed.
 */
#include "bpf/shared/filter.h"
#include "cmd/commands.h"
#include "lib/cli/complete.h"
#include "lib/cli/select.h"
#include "tests/fuzz/feed.h"

/* -c, -d and the like find nothing on an empty machine; what they say is parsed all the same. */
static void select_from(const struct cmd *cmd, int argc, char **argv)
{
	static struct filter filter;
	const struct device_dir none = { 0 };
	struct common common = { 0 };
	struct opt_rest rest;
	struct opt_group groups[COMMON_GROUPS];
	static u8 cfg[4096];

	if (cmd->cfg_size > sizeof(cfg))
		__builtin_trap();
	common_groups(cmd, &common, cfg, groups);
	if (!opt_parse(groups, argc, argv, &rest))
		select_filter(&filter, &common.selection, &none);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static FILE *sink;
	struct feed_words w;
	const struct cmd *cmd;
	u32 n = 0;

	if (!sink)
		sink = fopen("/dev/null", "w");
	if (!size || !sink)
		return 0;
	do
		n++;
	while (commands[n]);
	cmd = commands[data[0] % n];
	feed_words(&w, cmd->name, data + 1, size - 1);
	feed_command(cmd, w.n, w.word, false);
	if (cmd->takes & TAKES_SELECTION)
		select_from(cmd, w.n, w.word);
	complete_words(sink, commands, NULL, w.n, w.word);
	feed_free(&w);
	return 0;
}
