// SPDX-License-Identifier: GPL-2.0-or-later
/* completion: prints the script that a shell loads. */
#include "lib/base/err.h"
#include "lib/cli/cmd.h"
#include "lib/cli/complete.h"

static int completion_check(const struct invocation *inv)
{
	static const char why[] = "expected one shell", remedy[] = "name bash, zsh or fish";

	if (!inv->rest.n)
		return fail_missing(why, remedy, "completion");
	return inv->rest.n > 1 ? fail_usage(why, remedy, "completion") : 0;
}

static int completion_run(struct invocation *inv)
{
	return complete_script(stdout, inv->rest.word[0]);
}

/* clang-format off */
static const struct example examples[] = {
	{ "bash, all users", "nvmetool completion bash >/etc/bash_completion.d/nvmetool" },
	{ "bash, this user", "nvmetool completion bash >>~/.bash_completion" },
	{ "zsh", "nvmetool completion zsh >\"${fpath[1]}/_nvmetool\"" },
	{ "fish, this shell", "nvmetool completion fish | source" },
	{ "fish, this user", "nvmetool completion fish >~/.config/fish/completions/nvmetool.fish" },
	{ NULL },
};
/* clang-format on */

const struct cmd cmd_completion = {
	.name = "completion",
	.summary = "print the completion script of a shell",
	.about =
		"The script asks nvmetool for candidates: commands, options, values, opcodes, and the\n"
		"controllers, namespaces and devices present. It need not be replaced with nvmetool.",
	.operands = "bash|zsh|fish",
	.examples = examples,
	.takes = TAKES_OPERANDS,
	.check_run = completion_check,
	.run = completion_run,
};
