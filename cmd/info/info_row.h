// SPDX-License-Identifier: GPL-2.0-or-later
/* Records of `info`: what a recording holds. */
#ifndef NVT_INFO_ROW_H
#define NVT_INFO_ROW_H

#include "lib/nvme/spec.h"
#include "lib/out/out.h"
#include "lib/record/record.h"

#define INFO_UNKNOWN UINT64_MAX
#define INFO_SETS    3 /* of enum nvme_set */

/* An operation, and how often it occurs. */
struct info_op {
	u64 count;
	u32 set; /* enum nvme_set */
	u8 code; /* see nvme_code_of() */
};

struct info_row {
	const char *file;
	u64 file_bytes; /* INFO_UNKNOWN: of standard input */
	struct record_head head; /* its strings are the reader's */
	u64 end_ns; /* of the last event, CLOCK_MONOTONIC */
	u64 start_wall_ns, end_wall_ns, duration_ns;
	u64 inflight_at_exit; /* INFO_UNKNOWN: nobody looked */
	u64 inflight_kept; /* of these, the commands that the file has */
	u64 trigger_wall_ns; /* 0: it is no file of a flight recorder */
	u64 commands, errors, others; /* others: events that are no commands */
	u64 bytes; /* data transferred by the commands */
	struct info_op ops[INFO_SETS * 256]; /* the most frequent first */
	u32 n_ops;
	struct counters counters;
	const char *contradiction; /* what contradicts the events; NULL: nothing */
	char contradiction_text[160];
	u8 whole; /* not cut, not damaged */
	u8 complete; /* whole, and nothing was lost while it was recorded */
};

extern const struct schema *const info_schemas[];

/* Prints a record; text is a block of lines. */
void info_print(struct out *o, const struct info_row *row);

#endif
