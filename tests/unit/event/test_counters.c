// SPDX-License-Identifier: GPL-2.0-or-later
/* lib/counters: what counts as a loss, and the three identities. */
#include "lib/base/str.h"
#include "lib/event/counters.h"
#include "tests/unit/test.h"

static const struct counters sound = {
	.submitted = 124,
	.completed = 117,
	.paired = 100,
	.emitted = 80,
	.filtered = 9,
	.errors = 2,
	.before_attach = 5,
	.unsent = 1,
	.requeued = 3,
	.failed_setup = 4,
	.inflight_at_exit = 10,
	.lost = { .ring_full = 8, .output = 3, .inflight_full = 7, .unmatched = 11 },
	.events = true,
};

TEST(adds_up)
{
	struct counters c = sound;

	assert_true(counters_add_up(&c));
	c.emitted++;
	assert_false(counters_add_up(&c));
	c.events = false; /* a command that aggregates emits no events */
	assert_true(counters_add_up(&c));
}

/* One too many in any member of the first two identities is found. */
TEST(each_member)
{
	static const size_t at[] = {
		offsetof(struct counters, submitted),
		offsetof(struct counters, completed),
		offsetof(struct counters, paired),
		offsetof(struct counters, before_attach),
		offsetof(struct counters, unsent),
		offsetof(struct counters, requeued),
		offsetof(struct counters, failed_setup),
		offsetof(struct counters, inflight_at_exit),
		offsetof(struct counters, filtered),
		offsetof(struct counters, lost.ring_full),
		offsetof(struct counters, lost.output),
		offsetof(struct counters, lost.inflight_full),
		offsetof(struct counters, lost.unmatched),
	};

	for (size_t i = 0; i < ARRAY_SIZE(at); i++) {
		struct counters c = sound;

		++*(u64 *)((char *)&c + at[i]);
		assert_false(counters_add_up(&c));
	}
}

TEST(complete)
{
	struct counters c = { .submitted = 1, .paired = 1, .completed = 1 };

	assert_true(counters_complete(&c));
	for (size_t i = 0; i < sizeof(c.lost) / sizeof(u64); i++) {
		struct counters d = c;

		((u64 *)&d.lost)[i] = 1;
		assert_false(counters_complete(&d));
	}
}

/* counters_miscounted() is how far the two sides of the account differ, whichever has more. */
TEST(miscounted)
{
	struct counters c = sound;

	assert_int_equal(counters_miscounted(&c), 0);
	c.completed += 3;
	assert_int_equal(counters_miscounted(&c), 3);
	c.submitted -= 2;
	assert_int_equal(counters_miscounted(&c), 5);
}
