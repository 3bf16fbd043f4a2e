// SPDX-License-Identifier: GPL-2.0-or-later
/* Records of `info`: what a recording holds. */
#ifndef NVT_INFO_ROW_H
#define NVT_INFO_ROW_H

#include "lib/nvme/spec.h"
#include "lib/out/out.h"
#include "lib/record/record.h"

#define INFO_UNKNOWN UINT64_MAX
#define INFO_OPS     64 /* opcodes that are counted one by one */

struct info_op {
	char name[NVME_OPCODE_NAME_MAX];
	u64 count;
};

struct info_row {
	const char *file;
	u64 file_bytes; /* INFO_UNKNOWN: of standard input */
	const struct record_head *head;
	const char *version, *host, *kernel, *arch; /* NULL: not known */
	u64 start_ns, end_ns; /* CLOCK_MONOTONIC: attached; the last event */
	u64 start_wall_ns, end_wall_ns, duration_ns;
	u64 commands, errors, others; /* others: events that are no commands */
	u64 bytes; /* data transferred by the commands */
	struct info_op ops[INFO_OPS];
	u32 n_ops;
	struct counters counters;
	u8 whole; /* not cut, not damaged */
	u8 complete; /* whole, and nothing was lost while it was recorded */
};

extern const struct schema *const info_schemas[];

/* Prints a record; text is a block of lines. */
void info_print(struct out *o, const struct info_row *row);

#endif
