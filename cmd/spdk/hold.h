// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Puts hits of several CPUs into time order. A thread that was interrupted between reserving room in
 * the ring and looking at the clock has a later time than what stands behind it.
 */
#ifndef NVT_SPDK_HOLD_H
#define NVT_SPDK_HOLD_H

#include "cmd/spdk/row.h"

struct spdk_held;

struct spdk_hold {
	struct spdk_held *held; /* in the order they came in */
	u32 n, room;
	u8 *bytes; /* of their strings */
	size_t used, size;
};

/* Copies @hit in. 0 or -ENOMEM. */
int spdk_hold_add(struct spdk_hold *h, const struct spdk_hit *hit);

/* Hands out hits with ts_ns <= @until_ns, valid during the call, those of one time as they came. */
void spdk_hold_release(struct spdk_hold *h, u64 until_ns,
		       void (*take)(void *arg, const struct spdk_hit *hit), void *arg);

void spdk_hold_free(struct spdk_hold *h);

#endif
