// SPDX-License-Identifier: GPL-2.0-or-later
/* What lockdown=confidentiality leaves of a session, live or of a recording made under it. */
#include "lib/err.h"
#include "lib/session_impl.h"

/* What makes no sense without the status of commands, of all that was asked for; NULL: nothing. */
static const char *needs_status(const struct session *s)
{
	if (s->cmd->takes & NEEDS_STATUS)
		return s->cmd->name;
	if (s->filter.n_status || s->filter.status_classes)
		return "--status";
	return expr_names_errors(&s->expr) ? "--fail-if 'errors'" : NULL;
}

int session_lockdown(struct session *s)
{
	const char *what = NULL;

	if (s->probe.lockdown != LOCKDOWN_CONFIDENTIALITY)
		return 0;
	s->no_status = probe_no_status(&s->probe, &s->btf);
	if (s->n_probes || s->needs & (NEED_KSTACK | NEED_USTACK))
		what = "stacks";
	else if (!s->no_status)
		return 0;
	else
		what = needs_status(s);
	if (what)
		return probe_locked_down(what);
	note("status, result and retries are not known: kernel lockdown=confidentiality forbids "
	     "to read them");
	return 0;
}

void session_miss_status(struct session *s)
{
	const char *what = needs_status(s);

	if (s->no_status)
		return;
	s->no_status = true;
	/* With several recordings some may tell it: of these there is something to say, but no number of errors. */
	if (what && (!s->some_status || expr_names_errors(&s->expr)))
		session_fail(s, fail(EXIT_AS(EXIT_NOTHING),
				     "the recording does not tell the status of commands",
				     "record under lockdown=integrity", "%s", what));
	else
		note("the recording does not tell status, result and retries of all commands: "
		     "kernel lockdown=confidentiality forbade to read them");
}

bool session_no_status(const struct session *s)
{
	return s->no_status;
}
