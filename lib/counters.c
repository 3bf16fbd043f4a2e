// SPDX-License-Identifier: GPL-2.0-or-later
/* The account of a run, checked against itself. */
#include "lib/counters.h"

u64 counters_lost(const struct counters *c)
{
	const struct lost *l = &c->lost;

	return l->ring_full + l->ring_full_extra + l->output + l->output_extra + l->inflight_full +
	       l->keys_full + l->stacks_full + l->recursion + l->unmatched + l->queues_full +
	       l->clock;
}

bool counters_complete(const struct counters *c)
{
	return !counters_lost(c);
}

bool counters_add_up(const struct counters *c)
{
	const struct lost *l = &c->lost;

	if (c->submitted != c->paired + c->requeued + c->inflight_at_exit + l->inflight_full)
		return false;
	if (c->completed != c->paired + c->before_attach + c->unsent + l->unmatched)
		return false;
	return !c->events || c->paired == c->emitted + c->filtered + l->ring_full + l->output;
}
