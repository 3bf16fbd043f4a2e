// SPDX-License-Identifier: GPL-2.0-or-later
/* Times of commands that clocks disagree about; what rows have of what nobody asked for. */
#include "lib/base/str.h"
#include "lib/view/trace_row.h"
#include "lib/session/impl.h"
#include "tests/unit/record_sample.h"
#include "tests/unit/test.h"

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

/* Live, what nobody asked for is not known, whatever the record has in its place. */
TEST(not_asked_is_not_known)
{
	struct session *s = calloc(1, sizeof(*s));
	struct trace_row row = { .frames = NULL };
	struct event ev;
	struct view v;

	sample_event(&ev, 0);
	s->needs = NEED_IO | NEED_STATUS | NEED_PID;
	session_view(s, &v, &ev);
	trace_row_fill(&row, &v, TRACE_IO, 0);
	assert_int_equal(row.pid, ev.pid);
	assert_null(row.comm);
	assert_int_equal(row.status, ev.status);
	assert_int_equal(row.retries, UNKNOWN32);
	assert_int_equal(row.result, UNKNOWN64);
	assert_int_equal(row.submit_cpu, UNKNOWN32);
	assert_int_equal(row.complete_cpu, UNKNOWN32);
	s->needs |= NEED_RESULT | NEED_CPU;
	session_view(s, &v, &ev);
	trace_row_fill(&row, &v, TRACE_IO, 0);
	assert_int_equal(row.retries, ev.retries);
	assert_int_equal(row.complete_cpu, ev.complete_cpu);
	free(s->names.queues);
	free(s);
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
