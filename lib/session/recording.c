// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/session/recording.h"

#include "lib/session/impl.h"

u32 session_recordings(const struct session *s)
{
	return session_is_replay(s) ? s->inv->common.run.input.n : 1;
}

void session_period(const struct session *s, u32 file, u64 *start_ns, u64 *end_ns)
{
	u64 last_ns = s->replay ? replay_last_ns(s->replay, file) : s->clock.handed_ns;

	*start_ns = s->replay ? replay_head(s->replay, file)->start_ns : s->clock.start_ns;
	*end_ns = last_ns > *start_ns ? last_ns : *start_ns;
	session_cut_period(s, file, start_ns, end_ns);
}

const struct record_head *session_recording(struct session *s, u32 file, struct counters *c)
{
	if (s->replay) {
		replay_counters_of(s->replay, file, c);
		return replay_head(s->replay, file);
	}
	*c = s->account.counters;
	session_describe(s, &s->subject.head);
	s->subject.head.version = NVT_VERSION;
	return &s->subject.head;
}

bool session_selects(const struct session *s)
{
	const struct record_head *head;
	bool selects = s->subject.filters[0];

	for (u32 i = 0; s->replay && (head = replay_head(s->replay, i)); i++)
		selects |= head->filters && head->filters[0];
	return selects;
}

static void describe_replayed(const struct session *s, struct record_head *head)
{
	const struct record_head *first = replay_head(s->replay, 0);

	head->kernel = first->kernel;
	head->ctrls = first->ctrls;
	head->hosts = replay_hosts(s->replay);
	if (head->hosts)
		return; /* partitions do not say of which host they are */
	head->host = first->host;
	head->arch = first->arch;
	head->parts = first->parts;
}

static void describe_live(struct session *s, struct record_head *head)
{
	struct utsname *system = &s->names.system;

	if (!uname(system)) {
		head->host = system->nodename;
		head->arch = system->machine;
		head->kernel = system->release;
	}
	head->ctrls = s->subject.ctrls;
	head->parts = s->subject.parts;
}

void session_describe(struct session *s, struct record_head *head)
{
	head->start_ns = session_from_ns(s);
	if (s->replay)
		describe_replayed(s, head);
	else
		describe_live(s, head);
	head->filters = s->recorded.chain ? s->recorded.chain : s->subject.filters;
}

u64 session_recorded_inflight(const struct session *s)
{
	return replay_inflight(s->replay);
}

u64 session_handed_ns(const struct session *s)
{
	return s->clock.handed_ns;
}

int session_wake_fd(const struct session *s)
{
	return s->signal_fd;
}
