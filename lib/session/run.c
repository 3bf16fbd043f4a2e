// SPDX-License-Identifier: GPL-2.0-or-later
/* Answers what commands ask about their run, and takes what they say about it. */
#include "lib/loader/loader.h"
#include "lib/session/impl.h"

void *session_cfg(struct session *s)
{
	return s->inv->cfg;
}

void *session_state(struct session *s)
{
	return s->state;
}

const struct common *session_common(const struct session *s)
{
	return &s->inv->common;
}

bool session_is_replay(const struct session *s)
{
	return s->inv->common.run.input.n > 0;
}

u64 session_start_ns(const struct session *s)
{
	return s->clock.start_ns;
}

u64 session_interval_start(const struct session *s)
{
	return s->clock.tick_ns;
}

u64 session_wall_ns(const struct session *s, u64 mono_ns)
{
	return mono_ns + (u64)s->clock.wall_offset_ns;
}

void session_end(struct session *s)
{
	s->ending = true;
}

void session_fail(struct session *s, int err)
{
	if (!s->failure)
		s->failure = err;
	s->ending = true;
}

void session_verdict(struct session *s, int status)
{
	if (!s->verdict)
		s->verdict = status;
}

bool session_ending(const struct session *s)
{
	return s->ending;
}

const struct filter *session_filter(const struct session *s)
{
	return &s->subject.filter;
}

const struct kernel_features *session_features(const struct session *s)
{
	return &s->kernel.btf;
}

const struct probe *session_probe(const struct session *s)
{
	return &s->kernel.probe;
}

u32 session_lacks(const struct session *s)
{
	return s->replay ? ~replay_needs(s->replay) : s->loader ? loader_lacks(s->loader) : 0;
}

struct out *session_out(struct session *s)
{
	return s->out;
}

const struct expr *session_condition(const struct session *s)
{
	return &s->expr;
}

void session_check(struct session *s, const struct expr_row *row)
{
	s->condition |= expr_check_and_tell(&s->expr, row, s->inv->common.output.utc);
}
