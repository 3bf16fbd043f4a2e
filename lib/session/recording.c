// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/session/recording.h"

#include "lib/session/impl.h"

void session_period(const struct session *s, u32 file, u64 *start_ns, u64 *end_ns)
{
	u64 last_ns = replay_last_ns(s->replay, file);

	*start_ns = replay_head(s->replay, file)->start_ns;
	*end_ns = last_ns > *start_ns ? last_ns : *start_ns;
}

const struct record_head *session_recording(const struct session *s, u32 file, struct counters *c)
{
	replay_counters_of(s->replay, file, c);
	return replay_head(s->replay, file);
}

bool session_selects(const struct session *s)
{
	const struct record_head *head;
	bool selects = s->subject.filters[0];

	for (u32 i = 0; s->replay && (head = replay_head(s->replay, i)); i++)
		selects |= head->filters && head->filters[0];
	return selects;
}

/* Returns the release of the kernel that the events come from; NULL: a recording does not tell. */
static const char *kernel_of(struct session *s)
{
	if (s->replay)
		return replay_head(s->replay, 0)->kernel;
	return uname(&s->names.system) ? NULL : s->names.system.release;
}

void session_describe(struct session *s, struct record_head *head)
{
	head->start_ns = s->clock.start_ns;
	head->kernel = kernel_of(s);
	head->hosts = s->replay && replay_hosts(s->replay);
	head->ctrls = s->replay ? replay_head(s->replay, 0)->ctrls : s->subject.ctrls;
	head->parts = s->replay ? replay_head(s->replay, 0)->parts : s->subject.parts;
	if (head->hosts)
		head->parts = NULL; /* they do not say of which host they are */
	head->filters = s->recorded.chain ? s->recorded.chain : s->subject.filters;
}

u64 session_handed_ns(const struct session *s)
{
	return s->clock.handed_ns;
}

int session_wake_fd(const struct session *s)
{
	return s->signal_fd;
}
