// SPDX-License-Identifier: GPL-2.0-or-later
/* The ranges of --time: which events of a recording lie in them, and a report of each. */
#include "lib/base/err.h"
#include "lib/base/sat.h"
#include "lib/session/impl.h"
#include "lib/session/recording.h"

const struct time_ranges *session_times(const struct session *s)
{
	return &s->clock.times;
}

/* Where times begin: at the start of the run or, where recordings are compared, of each. */
static u64 origin(const struct session *s, u32 file)
{
	return s->request.one_host ? replay_head(s->replay, file)->start_ns : s->clock.start_ns;
}

static u64 begin_of(const struct session *s, u32 file, u32 range)
{
	return sat_add(origin(s, file), s->clock.times.range[range].lo);
}

static u64 end_of(const struct session *s, u32 file, u32 range)
{
	return sat_add(origin(s, file), s->clock.times.range[range].hi);
}

u64 session_from_ns(const struct session *s)
{
	return s->clock.times.n ? begin_of(s, 0, 0) : s->clock.start_ns;
}

void session_cut_period(const struct session *s, u32 file, u64 *start_ns, u64 *end_ns)
{
	u64 begin_ns, over_ns;

	if (!s->clock.times.n)
		return;
	begin_ns = begin_of(s, file, s->clock.range);
	over_ns = end_of(s, file, s->clock.range);
	*start_ns = begin_ns;
	*end_ns = *end_ns > over_ns ? over_ns : *end_ns < begin_ns ? begin_ns : *end_ns;
}

int session_check_times(const struct session *s)
{
	if (s->clock.times.n < 2 || !(s->request.one_report || s->request.one_host))
		return 0;
	return fail_usage("there is one report, of the whole run", "give one range",
			  "--time with %u ranges", s->clock.times.n);
}

bool session_in_time(const struct session *s, const struct view *v)
{
	u64 ts_ns = v->ev->ts_ns;

	return !s->clock.times.n || (ts_ns >= begin_of(s, v->file, s->clock.range) &&
				     ts_ns < end_of(s, v->file, s->clock.range));
}

/* The next interval is this range. */
static void begin_range(struct session *s, u32 range)
{
	s->clock.range = range;
	s->clock.tick_ns = s->clock.end_ns = begin_of(s, 0, range);
}

void session_begin_times(struct session *s)
{
	if (s->clock.times.n && !s->request.one_host)
		begin_range(s, 0);
}

int session_times_until(struct session *s, u64 now_ns)
{
	struct run_clock *c = &s->clock;
	int err = 0;

	if (!c->times.n || s->request.one_host)
		return 0;
	while (!err && !s->ending && now_ns >= end_of(s, 0, c->range)) {
		c->end_ns = end_of(s, 0, c->range);
		s->ending = c->range + 1 == c->times.n;
		if (s->ending)
			break;
		err = s->aggregates ? session_do_tick(s, c->end_ns, false, true) : 0;
		begin_range(s, c->range + 1);
	}
	return err;
}

/* The last event of a recording or, where they are merged, of all. */
static u64 last_of(const struct session *s, u32 file)
{
	u64 last_ns = replay_end_ns(s->replay, file);

	for (u32 i = 0; !s->request.one_host && i < session_recordings(s); i++) {
		if (replay_end_ns(s->replay, i) > last_ns)
			last_ns = replay_end_ns(s->replay, i);
	}
	return last_ns;
}

void session_tell_beyond(struct session *s)
{
	u32 files = s->request.one_host ? session_recordings(s) : 1;

	for (u32 i = 0; !s->interrupted && i < files * s->clock.times.n; i++) {
		u32 file = i / s->clock.times.n, range = i % s->clock.times.n;
		u64 last_ns = last_of(s, file), start_ns = origin(s, file);

		if (begin_of(s, file, range) <= last_ns)
			continue;
		session_verdict(
			s, fail(EXIT_AS(EXIT_NOTHING), "the recording has no event so late",
				"give earlier times", "--time: %.3f s are recorded",
				last_ns > start_ns ? (double)(last_ns - start_ns) / 1e9 : 0.0));
		return;
	}
}
