// SPDX-License-Identifier: GPL-2.0-or-later
/* Hands events to the command, and counts what it prints. */
#include "lib/session/impl.h"

/*
 * True once --max-events is reached. It counts commands, or the records about them: trace -E has
 * two for each.
 */
bool session_has_enough(const struct session *s)
{
	u64 max = s->inv->common.run.max_events;
	u64 records = s->cmd->takes & PRINTS_EVENTS && s->out ? out_records(s->out) : 0;

	return max && (s->account.counters.emitted >= max || records >= max);
}

/*
 * Counts one printed command; it is lost if its row was dropped. @dropped: rows dropped before it.
 */
static void count_printed(struct session *s, u64 dropped)
{
	if (s->out && out_dropped(s->out) != dropped) {
		s->account.counters.lost.output++;
	} else {
		s->account.counters.emitted++;
		if (s->out)
			out_mark(s->out);
	}
}

const struct waits *session_waits(const struct session *s)
{
	return &s->account.waits;
}

/* Hands an event to the command, which counts it with session_account() unless it prints it. */
void session_put_event(struct session *s, const struct view *v)
{
	u64 dropped = s->out ? out_dropped(s->out) : 0;
	const struct event *ev = v->ev;
	int left_out = s->cmd->event(s, v);
	bool printed = !left_out && s->cmd->takes & PRINTS_EVENTS;

	waits_add(&s->account.waits, ev);
	s->matched |= session_counts(ev) || ev->kind == EVENT_SUBMIT || ev->kind == EVENT_COMPLETE;
	s->account.left_out += left_out && session_counts(ev);
	if (printed && session_counts(ev))
		count_printed(s, dropped);
	else if (printed && s->out)
		s->account.counters.lost.output_extra += out_dropped(s->out) - dropped;
	/*
	 * A completion whose submission was not seen has no pair and so is not in `emitted`, but it
	 * may be an error.
	 */
	if (printed && (session_counts(ev) || ev->kind == EVENT_COMPLETE))
		s->account.counters.errors += event_failed(ev);
	if (session_has_enough(s))
		s->ending = true;
}
