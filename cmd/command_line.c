// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads command lines, and tries those that are still being typed. */
#include "cmd/command_line.h"

#include <stddef.h>
#include <stdlib.h>

#include "lib/base/err.h"
#include "lib/cli/select.h"
#include "lib/session/session.h"

int line_read(struct invocation *inv, int argc, char **argv)
{
	struct opt_group groups[COMMON_GROUPS];

	common_groups(inv->cmd, &inv->common, inv->cfg, groups);
	int err = opt_parse(groups, argc, argv, &inv->rest);
	if (err || inv->common.internal.help || inv->common.internal.version)
		return err;
	err_quiet(inv->common.output.quiet);
	err = common_check(inv);
	if (!err && line_runs(inv) && inv->cmd->check_run)
		err = inv->cmd->check_run(inv);
	return err;
}

bool line_runs(const struct invocation *inv)
{
	return inv->cmd->run && (!inv->cmd->untraced || inv->cmd->untraced(inv->cfg));
}

/* A command whose run ends after its check(). */
struct tried {
	struct invocation inv;
	struct cmd cmd;
	const struct cmd *real;
};

/* A session returns this when all words of its line are good. */
#define ACCEPTED EXIT_AS(EXIT_OK)

static int check_and_end(struct session *s, struct session_request *ask)
{
	const char *common = (const char *)session_common(s);
	const struct tried *t = (const void *)(common - offsetof(struct tried, inv.common));
	const struct selection *sel = &session_common(s)->selection;
	struct filter f;
	int err = t->real->check ? t->real->check(s, ask) : 0;
	int more = session_out(s) && (!err || err == EXIT_MISSING) ? out_settle(session_out(s)) : 0;

	if (!more && !select_filter(&f, sel, NULL))
		more = expr_selected(session_condition(s), f.io, f.admin || ask->admin);
	return more ? more : err ? err : ACCEPTED;
}

/* Checks the columns of a command without a session. */
static int try_columns(const struct tried *t)
{
	struct out *o;
	int err = 0;

	if (!cmd_run_schemas(&t->inv))
		return 0;
	err = out_open(&o, &t->inv.common.output, cmd_run_schemas(&t->inv));
	if (err)
		return err;
	err = out_settle(o);
	out_close(o);
	return err;
}

static int try_line(struct tried *t, int argc, char **argv)
{
	int err = line_read(&t->inv, argc, argv);

	if (err || t->inv.common.internal.help || t->inv.common.internal.version)
		return err;
	/* Commands that open the file themselves do so after their check(). */
	if (!(t->cmd.takes & (NEEDS_FILE | WRITES_ITSELF)))
		t->inv.common.output.file = NULL;
	if (line_runs(&t->inv))
		return try_columns(t);
	t->cmd.check = check_and_end;
	err = session_run(&t->inv);
	return err == ACCEPTED ? 0 : err;
}

int line_try(const struct cmd *cmd, int argc, char **argv)
{
	struct tried t = { .cmd = *cmd, .real = cmd };

	t.inv = (struct invocation){ .cmd = &t.cmd, .argc = argc, .argv = argv };
	t.inv.cfg = calloc(1, cmd->cfg_size + 1);
	if (!t.inv.cfg)
		return fail(-ENOMEM, NULL, NULL, "cannot keep options");
	int err = try_line(&t, argc, argv);
	free(t.inv.cfg);
	return err;
}
