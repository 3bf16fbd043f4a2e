// SPDX-License-Identifier: GPL-2.0-or-later
/* The state of `inflight`, and its source: a walk over the kernel's tag tables at each tick. */
#ifndef NVT_CMD_INFLIGHT_INFLIGHT_H
#define NVT_CMD_INFLIGHT_INFLIGHT_H

#include "cmd/inflight/snapshot.h"
#include "lib/session/source.h"

struct submitters;

struct inflight_opts {
	u64 older_ns;
	u32 order; /* enum order */
	u32 rows; /* 0: all */
	u64 at_ns; /* after the beginning of a recording, with has_at */
	bool has_at;
};

struct inflight {
	struct walker *walker; /* NULL: lockdown hides the commands, or they are recorded */
	struct submitters *submitters; /* with INTERVAL; NULL: nothing is attached */
	struct snapshot recorded; /* what was in flight at --at */
	u64 shown; /* rows so far */
	bool hidden; /* by lockdown */
	u64 end_ns; /* replay: the end of a run whose recording has what was in flight then; 0: it has not */
	bool unrecorded; /* the recording may lack commands that were in flight */
};

extern const struct source inflight_walk;

/* Prints the snapshot of a host without the driver: nothing is in flight. */
int inflight_empty(struct session *s);

#endif
