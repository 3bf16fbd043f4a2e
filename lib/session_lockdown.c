// SPDX-License-Identifier: GPL-2.0-or-later
/* What lockdown=confidentiality leaves of a live session. */
#include "lib/err.h"
#include "lib/session_impl.h"

int session_lockdown(struct session *s)
{
	const struct filter *f = &s->filter;
	const char *what = NULL;

	if (s->probe.lockdown != LOCKDOWN_CONFIDENTIALITY)
		return 0;
	s->no_status = probe_no_status(&s->probe, &s->btf);
	if (s->n_probes || s->needs & (NEED_KSTACK | NEED_USTACK))
		what = "stacks";
	else if (!s->no_status)
		return 0;
	else if (s->cmd->takes & NEEDS_STATUS)
		what = s->cmd->name;
	else if (f->n_status || f->status_classes)
		what = "--status";
	else if (expr_names_errors(&s->expr))
		what = "--fail-if 'errors'";
	if (what)
		return probe_locked_down(what);
	note("status, result and retries are not known: kernel lockdown=confidentiality forbids "
	     "to read them");
	return 0;
}

bool session_no_status(const struct session *s)
{
	return s->no_status;
}
