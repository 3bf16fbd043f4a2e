// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sessions that cannot read the status of commands, because of lockdown=confidentiality or because
 * the driver has no BTF.
 */
#include "lib/base/err.h"
#include "lib/loader/loader.h"
#include "lib/session/impl.h"

#define NO_LAYOUT	"the driver has no BTF, and its requests are not laid out as in Linux 5.10.223"
#define NEED_MODULE_BTF "use a kernel with CONFIG_DEBUG_INFO_BTF_MODULES"

/* The name of an option in use that makes no sense without a status; NULL: none. */
static const char *needs_status(const struct session *s)
{
	if (s->cmd->takes & NEEDS_STATUS)
		return s->cmd->name;
	if (s->subject.filter.n_status || s->subject.filter.status_classes)
		return "--status";
	return expr_names(&s->expr, EXPR_ERRORS) ? "--fail-if 'errors'" : NULL;
}

/* Whether single blocks of a device are selected: by --lba or as a partition. */
static bool selects_blocks(const struct filter *f)
{
	bool part = false;

	for (u32 i = 0; i < f->n_dev; i++)
		part |= f->dev[i].lba.lo != 0 || f->dev[i].lba.hi != ~0ULL;
	return f->n_lba || part;
}

int session_lockdown(struct session *s)
{
	const char *what = NULL;

	if (s->kernel.probe.lockdown != LOCKDOWN_CONFIDENTIALITY)
		return 0;
	if (selects_blocks(&s->subject.filter))
		note("trims are not selected by their blocks: kernel lockdown=confidentiality "
		     "forbids reading them");
	s->no_status = probe_no_status(&s->kernel.probe, &s->kernel.btf);
	if (s->request.n_probes || s->needs & (NEED_KSTACK | NEED_USTACK))
		what = "stacks";
	else if (!s->no_status)
		return 0;
	else
		what = needs_status(s);
	if (what)
		return probe_locked_down(what);
	note("status, result and retries are unknown: kernel lockdown=confidentiality forbids "
	     "reading them");
	return 0;
}

void session_miss_status(struct session *s)
{
	const char *what = needs_status(s);

	if (s->no_status || s->cmd->takes & SHOWS_INFLIGHT) /* which shows none */
		return;
	s->no_status = true;
	/*
	 * Some of several recordings may have the status: the run goes on with these, but there is
	 * no number of errors.
	 */
	if (what && (!s->some_status || expr_names(&s->expr, EXPR_ERRORS)))
		session_fail(s,
			     fail(EXIT_AS(EXIT_NOTHING), "the recording has no status of commands",
				  "record again on a host booted with lockdown=integrity", "%s",
				  what));
	else
		note("the recording lacks status, result and retries of some commands: "
		     "kernel lockdown=confidentiality forbade reading them");
}

void session_check_layout(struct session *s)
{
	const char *what;

	if (s->no_status || !s->loader || loader_layout(s->loader) != LAYOUT_WRONG)
		return;
	s->no_status = true;
	what = needs_status(s);
	if (what)
		session_fail(s, fail(EXIT_AS(EXIT_KERNEL), NO_LAYOUT, NEED_MODULE_BTF, "%s", what));
	else
		note("status, result and retries are unknown: " NO_LAYOUT "; " NEED_MODULE_BTF);
}

bool session_no_status(const struct session *s)
{
	return s->no_status || (s->loader && loader_layout(s->loader) != LAYOUT_RIGHT);
}
