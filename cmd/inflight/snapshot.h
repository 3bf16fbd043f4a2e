// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The commands that drives have at one moment, read from the kernel's tag tables through
 * lib/loader/walker.h. Drives are looked at one after the other.
 */
#ifndef NVT_CMD_INFLIGHT_SNAPSHOT_H
#define NVT_CMD_INFLIGHT_SNAPSHOT_H

#include "bpf/shared/inflight.h"
#include "lib/btf/features.h"
#include "lib/host/sysfs.h"

struct event;
struct session;
struct view;
struct view_kept;
struct walker;

enum age_source {
	AGE_TRACE, /* since it was submitted, as a recording or submitters.h has it */
	AGE_START, /* since the request was made */
	AGE_DEADLINE, /* since its timer was started: at least so old once it has expired */
};

/* A command in flight. */
struct snapshot_cmd {
	struct inflight_request rq;
	const struct snapshot_ctrl *ctrl; /* of a recording: see snapshot_end_recorded() */
	const struct sysfs_ns *ns; /* NULL: none, or not in sysfs (any more) */
	u64 now_ns; /* CLOCK_MONOTONIC, when it was seen */
	u64 age_ns; /* U64_MAX: not known */
	u64 timeout_ns; /* 0: none, or not known */
	s64 left_ns; /* until it expires; negative: overdue */
	u32 expiries; /* U32_MAX: not known */
	u32 qid;
	struct view_kept *recorded; /* of a recording: has what @rq has of others; else NULL */
	u8 age_source; /* enum age_source */
};

/* A controller as it was found. In a recording all but its name is unknown. */
struct snapshot_ctrl {
	const struct sysfs_ctrl *ctrl;
	u64 now_ns; /* CLOCK_MONOTONIC, when it was looked at */
	u64 torn; /* requests that changed whenever they were read, and pieces that moved */
	u64 host; /* requests in flight as sysfs counts them, U64_MAX: it does not */
	bool gone; /* it was removed meanwhile */
};

/* Zero-initialise, snapshot_take(), snapshot_free(). */
struct snapshot {
	struct sysfs sysfs;
	struct snapshot_ctrl *ctrls; /* those that the filter selects */
	struct snapshot_cmd *cmds;
	u32 n_ctrls, n_cmds, room;
};

/* The queue that a piece of a tag table belongs to. */
struct snapshot_table {
	const struct snapshot_ctrl *ctrl;
	u64 tick_ns; /* a jiffy */
	u32 hctx; /* hardware queue */
	bool admin; /* it is the controller's admin queue */
};

/* Adds the commands of @chunk. 0 or -ENOMEM after a message. */
int snapshot_chunk(struct snapshot *s, const struct snapshot_table *table,
		   const struct inflight_chunk *chunk);

/* Makes room for one more command. NULL: no memory. */
struct snapshot_cmd *snapshot_add(struct snapshot *s);

/*
 * Looks at each controller that @f selects; with @w NULL only at sysfs. 0 or an error after a
 * message.
 */
int snapshot_take(struct snapshot *s, struct walker *w, const struct filter *f);

/*
 * Adds a command of a recording if it was in flight at @at_ns, on the clock of the events. 0 or
 * -ENOMEM after a message.
 */
int snapshot_add_recorded(struct snapshot *s, const struct view *v, u64 at_ns);
/* Names the controllers of the recording, once all events were added. Returns as above. */
int snapshot_end_recorded(struct snapshot *s, struct session *session, u64 at_ns);
void snapshot_free(struct snapshot *s);

#endif
