// SPDX-License-Identifier: GPL-2.0-or-later
/* Replayed sessions: recordings whose clock jumps. */
#include "lib/base/str.h"
#include "lib/base/units.h"
#include "lib/view/trace_row.h"
#include "lib/session/session.h"
#include "tests/unit/record_sample.h"
#include "tests/unit/test.h"

#define EVENTS	   5
#define GAP_NS	   (999 * NSEC_PER_SEC)
#define ATTACHED_S 4 /* sample_write() */

static u64 ticks, events;

static int count_event(struct session *s, const struct view *v)
{
	(void)s;
	(void)v;
	events++;
	return 0;
}

static int count_tick(struct session *s, const struct tick *tick)
{
	(void)s;
	(void)tick;
	ticks++;
	return 0;
}

static const struct cmd counting = {
	.name = "counting",
	.takes = NEEDS_FILE, /* no output of its own */
	.event = count_event,
	.tick = count_tick,
};

/* Each event @GAP_NS after the one before. */
static void write_gaps(const char *file)
{
	struct record_head head = sample_head("host", ATTACHED_S * NSEC_PER_SEC);
	struct record_writer *w;
	struct event ev;
	struct view v;

	assert_int_equal(record_create(&w, file), 0);
	assert_int_equal(record_begin(w, &head), 0);
	for (u32 i = 0; i < EVENTS; i++) {
		sample_event(&ev, 2 * i); /* the others are admin commands */
		ev.ts_ns = head.start_ns + (i + 1) * GAP_NS;
		ev.submit_ns = ev.ts_ns;
		sample_view(&v, &ev);
		assert_int_equal(record_add(w, &v), 0);
	}
	assert_int_equal(record_finish(w, &sample_total), 0);
	assert_int_equal(record_close(w), 0);
}

static int run_with_interval(const struct sample *files, u64 interval_ns)
{
	struct invocation inv = { .cmd = &counting };

	ticks = events = 0;
	inv.common.run.interval_ns = interval_ns;
	inv.common.run.input.word[0] = files->file[0];
	inv.common.run.input.n = 1;
	return session_run(&inv);
}

TEST_WITH(gaps, sample_setup, sample_teardown)
{
	struct sample *files = *state;

	write_gaps(files->file[0]);
	/* Few empty intervals are all reported, and the last one at the end. */
	assert_int_equal(run_with_interval(files, NSEC_PER_SEC), 0);
	assert_int_equal(events, EVENTS);
	assert_int_equal(ticks, EVENTS * (GAP_NS / NSEC_PER_SEC) + 1);
	/* Many in a row are reported as one. */
	assert_int_equal(run_with_interval(files, NSEC_PER_MSEC), 0);
	assert_int_equal(events, EVENTS);
	assert_in_range(ticks, EVENTS, 2 * EVENTS + 1);
}

/* A completion that is stamped before its submission has no latency, not one of centuries. */
TEST(clocks_disagree)
{
	struct trace_row row = { .frames = NULL };
	struct event ev;
	struct view v;

	sample_event(&ev, 0);
	ev.submit_ns = ev.ts_ns + 1000;
	sample_view(&v, &ev);
	trace_row_fill(&row, &v, TRACE_IO, 0);
	assert_int_equal(row.lat_ns, 0);
	assert_int_equal(row.mono_ns, ev.ts_ns);
	trace_row_fill(&row, &v, TRACE_SUBMIT, 0);
	assert_int_equal(row.mono_ns, ev.submit_ns);
	assert_int_equal(row.wall_ns, v.wall_ns + 1000);
}

/* 51 bits of the clock, the size of the bio above them. */
TEST(issue_of_a_bio)
{
	const u64 period = 1ULL << 51, size = 5ULL << 51;
	const u64 times[] = { 1000000, period + 5, 1000 * period - 1, 1000 * period };
	u64 now;

	for (u32 i = 0; i < ARRAY_SIZE(times); i++) {
		now = times[i];
		assert_int_equal(wire_issue_ns(size | (now & (period - 1)) | 1, now | 1), now | 1);
		assert_int_equal(wire_issue_ns(size | ((now - 700001) & (period - 1)), now),
				 now - 700001);
		assert_int_equal(wire_issue_ns(size | ((now + 3) & (period - 1)), now), now);
	}
	assert_int_equal(wire_issue_ns(size, period / 2), 0);
}
