// SPDX-License-Identifier: GPL-2.0-or-later
/* lib/order: time order, ties, bounds, early release. */
#include <errno.h>

#include "lib/base/str.h"
#include "lib/event/order.h"
#include "tests/unit/test.h"

#define SINK 200000

struct sink {
	u64 ts[SINK];
	u32 cid[SINK];
	u32 n, stop_at;
};

static int take(void *arg, const struct event *ev)
{
	struct sink *k = arg;

	assert_true(k->n < SINK);
	k->ts[k->n] = ev->ts_ns;
	k->cid[k->n++] = ev->pid;
	return k->n == k->stop_at ? -42 : 0;
}

static struct sink *sink_new(void)
{
	struct sink *k = calloc(1, sizeof(*k));

	assert_non_null(k);
	return k;
}

static void add(struct order *o, u64 ts, u32 id)
{
	struct event ev = { .ts_ns = ts, .pid = id };

	assert_int_equal(order_add(o, &ev), 0);
}

static u32 next_random(u32 *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

/*
 * Each of 100 000 events is off by up to 300 places; released in steps, nothing held back too long.
 */
TEST(nearly_sorted)
{
	struct sink *k = sink_new();
	struct order *o = order_new(1 << 20, take, k);
	u32 seed = 7;

	for (u32 i = 0; i < 100000; i++) {
		add(o, 1000 + i * 10 - next_random(&seed) % 1000, i);
		if (i % 512 == 511)
			assert_int_equal(order_release(o, (i - 99) * 10ULL), 0);
		assert_true(i - k->n < 1000);
	}
	assert_int_equal(order_release(o, ~0ULL), 0);
	assert_int_equal(k->n, 100000);
	for (u32 i = 1; i < k->n; i++)
		assert_true(k->ts[i - 1] <= k->ts[i]);
	order_free(o);
	free(k);
}

/* The worst input, backwards, is sorted as well. */
TEST(backwards)
{
	struct sink *k = sink_new();
	struct order *o = order_new(1 << 20, take, k);

	for (u32 i = 0; i < 20000; i++)
		add(o, 20000 - i, i);
	assert_int_equal(k->n, 0);
	assert_int_equal(order_release(o, 5000), 0);
	assert_int_equal(k->n, 5000);
	assert_int_equal(order_release(o, ~0ULL), 0);
	for (u32 i = 0; i < k->n; i++)
		assert_int_equal(k->ts[i], i + 1);
	order_free(o);
	free(k);
}

/*
 * Each event comes with one of far before, as commands do with their submissions; many have one time.
 * They go out by time, then as they came in.
 */
TEST(far_behind)
{
	struct sink *k = sink_new();
	struct order *o = order_new(1 << 20, take, k);
	u32 seed = 3;

	for (u32 i = 0; i < 40000; i += 2) {
		add(o, 1000 + i / 100 - next_random(&seed) % 1000, i);
		add(o, 1000 + i / 100, i + 1);
	}
	assert_int_equal(order_release(o, 1100), 0);
	assert_int_equal(order_release(o, ~0ULL), 0);
	assert_int_equal(k->n, 40000);
	for (u32 i = 1; i < k->n; i++) {
		assert_true(k->ts[i - 1] <= k->ts[i]);
		assert_true(k->ts[i - 1] != k->ts[i] || k->cid[i - 1] < k->cid[i]);
	}
	order_free(o);
	free(k);
}

TEST(ties_keep_order)
{
	struct sink *k = sink_new();
	struct order *o = order_new(100, take, k);

	for (u32 i = 0; i < 90; i++)
		add(o, i % 3, i);
	assert_int_equal(order_release(o, 10), 0);
	for (u32 i = 1; i < k->n; i++)
		assert_true(k->ts[i - 1] < k->ts[i] || k->cid[i - 1] < k->cid[i]);
	order_free(o);
	free(k);
}

/* At the bound the earliest goes out for each that comes in; none is lost. */
TEST(early_release)
{
	struct sink *k = sink_new();
	struct order *o = order_new(64, take, k);

	for (u32 i = 0; i < 1000; i++)
		add(o, i ^ 1, i);
	assert_int_equal(k->n, 936);
	assert_int_equal(order_release(o, ~0ULL), 0);
	assert_int_equal(k->n, 1000);
	for (u32 i = 0; i < k->n; i++)
		assert_int_equal(k->ts[i], i);
	order_free(o);
	free(k);
}

TEST(pop)
{
	struct order *o = order_new(2, NULL, NULL);
	struct event ev = { .ts_ns = 9 };

	assert_null(order_pop(o));
	assert_int_equal(order_add(o, &ev), 0);
	ev.ts_ns = 4;
	assert_int_equal(order_add(o, &ev), 0);
	assert_int_equal(order_add(o, &ev), -ENOSPC);
	assert_int_equal(order_pop(o)->ts_ns, 4);
	assert_int_equal(order_pop(o)->ts_ns, 9);
	assert_null(order_pop(o));
	order_free(o);
	order_free(NULL);
}

/* An error of the receiver stops the release; the rest stays for the next one. */
TEST(stop)
{
	struct sink *k = sink_new();
	struct order *o = order_new(100, take, k);

	k->stop_at = 3;
	for (u32 i = 0; i < 10; i++)
		add(o, i, i);
	assert_int_equal(order_release(o, ~0ULL), -42);
	assert_int_equal(k->n, 3);
	assert_int_equal(order_release(o, ~0ULL), 0);
	assert_int_equal(k->n, 10);
	order_free(o);
	free(k);
}
