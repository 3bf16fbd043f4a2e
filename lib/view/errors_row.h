// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Records of `errors`: a failed or retried command, a timeout, an Abort, a reset, an asynchronous
 * event.
 */
#ifndef NVT_VIEW_ERRORS_ROW_H
#define NVT_VIEW_ERRORS_ROW_H

#include "lib/nvme/blkstatus.h"
#include "lib/view/trace_row.h"

enum errors_type {
	ERRORS_ERROR, /* completed with a status other than success */
	ERRORS_RETRY, /* succeeded after a retry */
	ERRORS_TIMEOUT, /* the driver's timeout handler was called */
	ERRORS_ABORT, /* the driver gave an Abort command */
	ERRORS_RESET, /* the controller began a reset */
	ERRORS_AER, /* asynchronous event */
	ERRORS_TYPES,
	ERRORS_NONE = ERRORS_TYPES, /* none of these: is not shown */
};

struct errors_row {
	struct trace_row io; /* must be first: the columns of trace read it there */
	enum errors_type type;
	u32 attempt; /* from 1 */
	u8 final; /* 0: tried again, 1: given up or succeeded, all bits set: not known */
	struct blkstatus blk; /* not known: NULL, all bits set */
};

/* clang-format off */
/* The columns of --block, the `b` here, for the table of a row with a member `blk`. */
#define ERRORS_BLOCK(row) \
	FIELD_OF(FIELD_STR, row, blk.name, "blk_sts", .with = "b", .needs = NEED_BLOCK, .width = -16, .flags = FIELD_ABSENT, .least = 8, .rank = 40, \
		 .help = "status of the block layer; with --block"), \
	FIELD_OF(FIELD_STR, row, blk.errno_name, "errno_name", .with = "b", .needs = NEED_BLOCK, .head = "ERRNO", .width = -8, .flags = FIELD_ABSENT, \
		 .least = 8, .rank = 38, .help = "name of the error number; with --block"), \
	FIELD_OF(FIELD_U32, row, blk.errno_nr, "errno", .with = "b", .needs = NEED_BLOCK, .flags = FIELD_ABSENT | FIELD_NULL_ONES | FIELD_NO_TEXT, \
		 .help = "error number of the system call, positive; with --block"),
/* clang-format on */

/* The type of @v. @retries: successes after a retry are shown as well (-R). */
enum errors_type errors_type_of(const struct view *v, bool retries);

/*
 * Fills @row from @v, for which errors_type_of() returned @type; its strings lie in @v and in
 * itself. @blk: the block layer's status of it, or NULL. @start_ns: the origin of TIME(s).
 * row->io.frames is left as it is.
 */
void errors_row_fill(struct errors_row *row, const struct view *v, enum errors_type type,
		     const struct blkstatus *blk, u64 start_ns);

/*
 * The name of an event that has no status: a timeout, a reset, an asynchronous event, of which
 * @aen_result is dword 0. Else NULL.
 */
const char *errors_type_name(enum errors_type type, u32 aen_result);

/* The text of the column NAME: the record in words. */
void errors_row_name(const struct errors_row *row, char *buf, size_t size);

/* By enum errors_type. In text all types are printed by the first. */
extern const struct schema errors_schemas[ERRORS_TYPES];

#endif
