// SPDX-License-Identifier: GPL-2.0-or-later
/* The account of a run: what was seen, printed, left out and lost (cli.md, "JSON records", summary). */
#ifndef NVT_COUNTERS_H
#define NVT_COUNTERS_H

#include "lib/types.h"

/* Causes of loss; any above 0 makes the data incomplete. */
struct lost {
	u64 ring_full; /* joined events that found no room in the ring buffer */
	u64 ring_full_extra; /* other events (submit, complete, aer, sq) that found none */
	u64 output; /* events not printed because the output could not be written */
	u64 output_extra; /* lines of other events, or beside that of a command, for the same reason */
	u64 inflight_full; /* submissions without an entry for them */
	u64 keys_full; /* samples counted under (other) */
	u64 stacks_full; /* stacks that found no room */
	u64 recursion; /* runs of our programs that the kernel skipped; see recursion_known */
	u64 unmatched; /* completions whose submission was not seen */
	u64 queues_full; /* requests of queues for which there was no room: device or submitter is not known */
	u64 bios_full; /* bios whose time in the queue is not known, because too many waited */
	u64 clock; /* completions stamped before their submissions: their latency is given as 0 */
	u64 miscounted; /* setups and completions that were seen and are not in the account, or in it and not seen */
};

struct counters {
	u64 submitted, completed, paired, emitted, filtered, errors;
	u64 before_attach, unsent, requeued, failed_setup, inflight_at_exit, oldest_ns;
	struct lost lost;
	bool cut; /* of a recording that was cut or damaged, or was made of one: what is missing is not known */
	bool recursion_known; /* false on 5.10: null in JSON */
	bool events; /* an event command: paired = emitted + filtered + ring_full + output */
};

/* The sum of the loss counters. */
u64 counters_lost(const struct counters *c);

/* True when every loss counter is 0 and nothing was cut. */
bool counters_complete(const struct counters *c);

/* By how many setups and completions the first two identities of cli.md do not hold. */
u64 counters_miscounted(const struct counters *c);

/* True when the three identities of cli.md hold. */
bool counters_add_up(const struct counters *c);

#endif
