// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The selection of a replay. Controllers and devices of several hosts have the same numbers, and the
 * same partition lies elsewhere: each host has a filter of its own.
 */
#include <errno.h>
#include <stdlib.h>

#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/cli/select.h"
#include "lib/session/impl.h"

/* The place in dir.hosts of a host as views name it. DEVICE_ANY: it has no event, or none is looked at. */
u32 session_host_place(const struct session *s, const char *host)
{
	if (!host)
		host = DEVICE_NO_HOST;
	return device_find_host(&s->subject.dir, host, strlen(host));
}

/* Makes the filter of each host. */
static int select_hosts(struct session *s)
{
	const struct device_dir *dir = &s->subject.dir;
	struct host_filter *hosts = calloc(dir->n_hosts, sizeof(*hosts));
	bool any = false;
	int err = 0;

	s->subject.hosts = hosts;
	if (!hosts)
		return fail(-ENOMEM, NULL, NULL, "session");
	for (u32 i = 0; !err && i < dir->n_hosts; i++) {
		err = select_host_filter(&hosts[i].filter, &s->inv->common.selection, dir, i,
					 &hosts[i].none);
		hosts[i].filter.admin |= s->request.admin;
		any |= !hosts[i].none;
	}
	return err || any ? err : select_nothing();
}

int session_select(struct session *s)
{
	struct selection sel = s->inv->common.selection;
	int err;

	if (s->subject.dir.n_hosts < 2 || !(sel.ctrl.n || sel.device.n))
		return select_filter(&s->subject.filter, &sel, &s->subject.dir);
	sel.ctrl.n = sel.device.n = 0;
	err = select_filter(&s->subject.filter, &sel, &s->subject.dir);
	return err ? err : select_hosts(s);
}

const struct filter *session_filter_of(struct session *s, const char *host)
{
	struct run_subject *subject = &s->subject;

	if (!subject->hosts)
		return &subject->filter;
	if (!streq(subject->dir.hosts[subject->host], host ? host : DEVICE_NO_HOST))
		subject->host = session_host_place(s, host);
	if (subject->host == DEVICE_ANY) {
		subject->host = 0;
		return NULL;
	}
	return subject->hosts[subject->host].none ? NULL : &subject->hosts[subject->host].filter;
}
