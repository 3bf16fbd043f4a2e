// SPDX-License-Identifier: GPL-2.0-or-later
/* Commands in flight as the tag tables have them: their queue, age and the time they have left. */
#include "cmd/inflight/snapshot.h"
#include "lib/base/str.h"
#include "lib/base/units.h"
#include "tests/unit/test.h"

#define NOW_NS	   (1000 * NSEC_PER_SEC)
#define TICK_NS	   (NSEC_PER_SEC / 250)
#define TIMEOUT_NS (30 * NSEC_PER_SEC)
#define JIFFIES	   0xfffffffffffffff0ULL /* they overflow soon: most deadlines are beyond */

static const struct sysfs_ctrl nvme0 = { .name = "nvme0" };
static const struct snapshot_ctrl ctrl = { .ctrl = &nvme0 };

/* A request that was made @age_ns ago, 0: the kernel did not note when, and expires in @left_ns. */
static struct inflight_request request(u16 tag, u64 age_ns, s64 left_ns)
{
	return (struct inflight_request){
		.tag = tag,
		.start_ns = age_ns ? NOW_NS - age_ns : 0,
		.timeout = TIMEOUT_NS / TICK_NS,
		.deadline = JIFFIES + (u64)(left_ns / (s64)TICK_NS),
	};
}

/* Takes a snapshot of the @n requests of hardware queue @hctx. */
static struct snapshot take(const struct inflight_request *rq, u32 n, bool admin, u32 hctx)
{
	static struct inflight_chunk chunk;
	const struct snapshot_table table = { &ctrl, TICK_NS, hctx, admin };
	struct snapshot s = { 0 };

	chunk.now_ns = NOW_NS;
	chunk.jiffies = JIFFIES;
	chunk.n = n;
	memcpy(chunk.request, rq, n * sizeof(*rq));
	assert_int_equal(snapshot_chunk(&s, &table, &chunk), 0);
	assert_int_equal(s.n_cmds, n);
	return s;
}

/* Hardware queues count from 0, queues of the drive from 1: 0 is the admin queue. */
TEST(queue)
{
	const struct inflight_request rq[] = { request(7, 0, 0), request(9, 0, 0) };
	struct snapshot s = take(rq, 2, false, 0);

	assert_int_equal(s.cmds[0].qid, 1);
	assert_int_equal(s.cmds[1].qid, 1);
	assert_int_equal(s.cmds[1].rq.tag, 9);
	assert_ptr_equal(s.cmds[1].ctrl, &ctrl);
	snapshot_free(&s);
	s = take(rq, 1, false, 41);
	assert_int_equal(s.cmds[0].qid, 42);
	snapshot_free(&s);
	s = take(rq, 1, true, 0);
	assert_int_equal(s.cmds[0].qid, 0);
	snapshot_free(&s);
}

TEST(times)
{
	const struct inflight_request rq[] = {
		request(0, 2 * NSEC_PER_SEC, 28 * NSEC_PER_SEC),
		request(1, 31 * NSEC_PER_SEC, -1 * (s64)NSEC_PER_SEC),
		request(2, 0, 29 * NSEC_PER_SEC),
		request(3, 0, -5 * (s64)NSEC_PER_SEC),
	};
	struct snapshot s = take(rq, ARRAY_SIZE(rq), false, 3);
	const struct snapshot_cmd *c = s.cmds;

	for (u32 i = 0; i < s.n_cmds; i++)
		assert_int_equal(c[i].timeout_ns, TIMEOUT_NS);
	assert_true(c[0].age_ns == 2 * NSEC_PER_SEC && c[0].left_ns == 28 * (s64)NSEC_PER_SEC);
	assert_true(c[1].age_ns == 31 * NSEC_PER_SEC && c[1].left_ns == -1 * (s64)NSEC_PER_SEC);
	assert_true(c[0].age_source == AGE_START && c[1].age_source == AGE_START);
	/* Without the time of its start a command is as old as its timer. */
	assert_true(c[2].age_ns == NSEC_PER_SEC && c[2].left_ns == 29 * (s64)NSEC_PER_SEC);
	assert_true(c[3].age_ns == 35 * NSEC_PER_SEC && c[3].left_ns == -5 * (s64)NSEC_PER_SEC);
	assert_true(c[2].age_source == AGE_DEADLINE && c[3].age_source == AGE_DEADLINE);
	snapshot_free(&s);
}

/* The timer begins anew at each expiry: an old command with time left has had some. */
TEST(expiries)
{
	struct inflight_request rq[] = {
		request(0, 29 * NSEC_PER_SEC, NSEC_PER_SEC),
		request(1, 45 * NSEC_PER_SEC, 15 * NSEC_PER_SEC),
		request(2, 80 * NSEC_PER_SEC, 10 * NSEC_PER_SEC),
		request(3, 45 * NSEC_PER_SEC, 15 * NSEC_PER_SEC),
		request(4, 0, NSEC_PER_SEC),
		request(5, 29 * NSEC_PER_SEC, NSEC_PER_SEC),
	};
	struct snapshot s;

	rq[3].scheduled = 1; /* it may have waited in the scheduler */
	rq[5].scheduled = 1; /* not so long */
	s = take(rq, ARRAY_SIZE(rq), false, 0);
	assert_int_equal(s.cmds[0].expiries, 0);
	assert_int_equal(s.cmds[1].expiries, 1);
	assert_int_equal(s.cmds[2].expiries, 2);
	assert_int_equal(s.cmds[3].expiries, UINT32_MAX);
	assert_int_equal(s.cmds[4].expiries, UINT32_MAX);
	assert_int_equal(s.cmds[5].expiries, 0);
	snapshot_free(&s);
}
