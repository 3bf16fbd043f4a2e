// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The account of a run: how much was seen, printed, filtered and lost (cli.md, "JSON records",
 * summary).
 */
#ifndef NVT_EVENT_COUNTERS_H
#define NVT_EVENT_COUNTERS_H

#include "lib/base/types.h"

/* Losses by cause; any above 0 makes the data incomplete. */
struct lost {
#define LOST(name, ...) u64 name;
#include "lib/event/lost.def"
#undef LOST
	u64 unplaced; /* of hits alone */
};

struct counters {
	u64 submitted, completed, paired, emitted, filtered, errors;
	u64 before_attach, unsent, requeued, failed_setup, inflight_at_exit, oldest_ns;
	u64 entry_unknown; /* left out of the times from block layer entry, as that is not known */
	struct lost lost;
	bool inflight_unknown; /* the run went on: nobody looked what was in flight */
	bool cut; /* a recording was cut, damaged, or not read to its end: more may be missing */
	bool contradicted; /* the counters contradict each other, or the events of a recording */
	bool recursion_known; /* false on 5.10: null in JSON */
	bool events; /* an event command: paired = emitted + filtered + ring_full + output */
};

/* The sum of the loss counters. */
u64 counters_lost(const struct counters *c);

/* True when every loss counter is 0, nothing was cut, and nothing contradicts the counters. */
bool counters_complete(const struct counters *c);

/* By how many setups and completions the first two identities of cli.md fail to hold. */
u64 counters_miscounted(const struct counters *c);

/* True when the three identities of cli.md hold. */
bool counters_add_up(const struct counters *c);

#endif
