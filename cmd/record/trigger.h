// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The condition of a flight recorder. It is compared with the commands of each second, all of them
 * and those of each opcode that it names; what single events make true (errors, lat, max, timeouts,
 * resets), at once.
 */
#ifndef NVT_RECORD_TRIGGER_H
#define NVT_RECORD_TRIGGER_H

#include "lib/event/counters.h"
#include "lib/event/view.h"

struct trigger;

/*
 * Reads the condition @text, which must outlive it. @counters, which must as well, has the losses
 * of the run. 0, a usage error, or -ENOMEM after a message.
 */
int trigger_open(struct trigger **t, const char *text, const struct counters *counters);
/* Bits of enum need of the events that the condition asks for, besides commands. */
u32 trigger_needs(const struct trigger *t);
/* Counts the event. True if it makes the condition true. */
bool trigger_event(struct trigger *t, const struct view *v);
/* Ends the seconds until @now_ns, which has no earlier event to come. True if it was true of one. */
bool trigger_until(struct trigger *t, u64 now_ns);
/* Says of which values the condition was just true: "read.lat = 205 ms > 100 ms". */
const char *trigger_text(const struct trigger *t);
void trigger_close(struct trigger *t); /* NULL is allowed */

#endif
