// SPDX-License-Identifier: GPL-2.0-or-later
/* Sums of the account, and its check by the identities. */
#include "lib/event/counters.h"

u64 counters_lost(const struct counters *c)
{
	u64 sum = c->lost.unplaced;

#define LOST(name, ...) sum += c->lost.name;
#include "lib/event/lost.def"
#undef LOST
	return sum;
}

bool counters_complete(const struct counters *c)
{
	return !counters_lost(c) && !c->cut && !c->contradicted;
}

static u64 apart(u64 a, u64 b)
{
	return a > b ? a - b : b - a;
}

u64 counters_miscounted(const struct counters *c)
{
	const struct lost *l = &c->lost;
	u64 submitted =
		c->paired + c->requeued + c->failed_setup + c->inflight_at_exit + l->inflight_full;
	u64 completed = c->paired + c->before_attach + c->unsent + l->unmatched;

	return apart(c->submitted, submitted) + apart(c->completed, completed);
}

bool counters_add_up(const struct counters *c)
{
	const struct lost *l = &c->lost;

	if (counters_miscounted(c))
		return false;
	return !c->events || c->paired == c->emitted + c->filtered + l->ring_full + l->output;
}
