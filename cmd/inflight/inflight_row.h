// SPDX-License-Identifier: GPL-2.0-or-later
/* The records of `inflight`. */
#ifndef NVT_INFLIGHT_INFLIGHT_ROW_H
#define NVT_INFLIGHT_INFLIGHT_ROW_H

#include "cmd/inflight/snapshot.h"
#include "lib/event/view.h"
#include "lib/host/names.h"
#include "lib/view/trace_row.h"
#include "lib/session/session.h"

/* A command in flight. */
struct inflight_row {
	struct trace_row t; /* first: the columns of trace read it */
	u64 age_ns, timeout_ns;
	s64 left_ns;
	u32 expiries;
	const char *state, *age_source, *rq_state;
	/* The members above point into these. */
	struct event ev;
	struct queue_info queue;
	struct names names;
	struct view view;
};

/* Fills @row, which points into itself, @c and tables of @s. */
void inflight_row_fill(struct inflight_row *row, const struct snapshot_cmd *c, struct session *s);

/* A controller, at the end of a snapshot: only the commands that were selected count. */
struct inflight_sum {
	u64 wall_ns, mono_ns;
	s32 ctrl_id;
	const char *ctrl, *state;
	u64 inflight, oldest_ns, overdue; /* all ones: not known, oldest also: none */
	s64 left_ns; /* S64_MAX: none */
	u64 host_inflight, torn;
	u8 complete;
};

extern const struct schema inflight_schema, inflight_sum_schema;

#endif
