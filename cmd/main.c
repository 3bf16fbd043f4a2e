// SPDX-License-Identifier: GPL-2.0-or-later
/* Goes from argv to a command, and from its result to an exit status. */
#include <signal.h>

#include "cmd/command_line.h"
#include "cmd/commands.h"
#include "cmd/links.h"
#include "lib/base/clock.h"
#include "lib/base/err.h"
#include "lib/base/relro.h"
#include "lib/base/stdfd.h"
#include "lib/base/str.h"
#include "lib/cli/complete.h"
#include "lib/cli/help.h"
#include "lib/session/session.h"

static int run(struct invocation *inv, int argc, char **argv)
{
	int err = line_read(inv, argc, argv);

	if (err)
		return err;
	if (inv->common.internal.help)
		return help_brief(stdout, inv->cmd);
	if (inv->common.internal.version)
		return help_version(stdout);
	return line_runs(inv) ? inv->cmd->run(inv) : session_run(inv);
}

/* Runs @cmd. @argv starts with its name; @all is the whole command line. */
static int run_command(const struct cmd *cmd, int argc, char **argv, int all_argc, char **all)
{
	struct invocation inv = { .cmd = cmd, .argc = all_argc, .argv = all };

	err_command(cmd->name);

	if (cmd->cfg_size) {
		inv.cfg = calloc(1, cmd->cfg_size);
		if (!inv.cfg)
			return fail(-ENOMEM, NULL, NULL, "cannot keep options");
	}
	int err = run(&inv, argc, argv);
	free(inv.cfg);
	return err;
}

/* line_try() without its messages: some of the lines that completion tries are refused. */
static int try_line(const struct cmd *cmd, int argc, char **argv)
{
	err_mute(true);
	int err = line_try(cmd, argc, argv);
	err_mute(false);
	return err;
}

/* Handles a command line without a command: --help, --version and the like. */
static int run_itself(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : NULL;

	if (!word) {
		help_commands(stderr, commands);
		return EXIT_AS(EXIT_USAGE);
	}
	if (streq(word, "__complete"))
		return complete_words(stdout, commands, try_line, argc - 2, argv + 2);
	if (streq(word, "-h") || streq(word, "--help"))
		return help_commands(stdout, commands);
	if (streq(word, "-V") || streq(word, "--version"))
		return help_version(stdout);
	if (streq(word, "--install"))
		return argc == 3 ? links_install(argv[2])
				 : fail_usage("expected one directory", "", "--install");
	return cmd_unknown(commands, word);
}

static int dispatch(int argc, char **argv)
{
	const char *linked = argc > 0 ? links_command(argv[0]) : NULL;
	const struct cmd *cmd = linked ? cmd_find(commands, linked) : NULL;

	if (cmd)
		return run_command(cmd, argc, argv, argc, argv);
	cmd = argc > 1 ? cmd_find(commands, argv[1]) : NULL;
	if (cmd)
		return run_command(cmd, argc - 1, argv + 1, argc, argv);
	return run_itself(argc, argv);
}

/*
 * Blocks SIGPIPE and SIGXFSZ: write() then fails, and that is reported. They are not ignored, since
 * PROGRAM would inherit that.
 */
static void block_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGPIPE);
	sigaddset(&set, SIGXFSZ);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

int main(int argc, char **argv)
{
	relro_protect();
	block_signals();
	int err = stdfd_open();
	clock_open(NULL); /* without /proc the clock is taken to be the host's */
	if (!err)
		err = dispatch(argc, argv);
	return err_exit_status(err);
}
