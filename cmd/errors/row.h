// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Records of `errors`: a failed or retried command, a timeout, an Abort, a reset, an asynchronous
 * event.
 */
#ifndef NVT_ERRORS_ROW_H
#define NVT_ERRORS_ROW_H

#include "lib/nvme/blkstatus.h"
#include "lib/row/row.h"

enum errors_type {
	ERRORS_ERROR, /* completed with a status other than success */
	ERRORS_RETRY, /* succeeded after a retry */
	ERRORS_TIMEOUT, /* the driver's timeout handler was called */
	ERRORS_ABORT, /* the driver gave an Abort command */
	ERRORS_RESET, /* the controller began a reset */
	ERRORS_AER, /* asynchronous event */
	ERRORS_TYPES,
	ERRORS_NONE = ERRORS_TYPES, /* nothing that is shown */
};

struct errors_row {
	struct trace_row io; /* first: the columns of trace look there */
	enum errors_type type;
	u32 attempt; /* from 1 */
	u8 final; /* 0 tried again, 1 given up or succeeded, all bits set: not known */
	const char *blk_sts, *blk_errno; /* names; NULL not known */
	u32 errno_nr; /* all bits set: not known */
	u64 count; /* --dedup */
};

/* What @v is. @retries: successes after a retry are shown (-R). */
enum errors_type errors_type_of(const struct view *v, bool retries);

/*
 * Fills @row from @v, which errors_type_of() says is a @type; it points into @v and into itself.
 * @blk: what the block layer made of it, or NULL. @start_ns: what TIME(s) counts from.
 * row->io.frames stays.
 */
void errors_row_fill(struct errors_row *row, const struct view *v, enum errors_type type,
		     const struct blkstatus *blk, u64 start_ns);

/* What the record says in words, for the column NAME. */
void errors_row_name(const struct errors_row *row, char *buf, size_t size);

/* By enum errors_type. The first is also what every type is printed with in text. */
extern const struct schema errors_schemas[ERRORS_TYPES];

#endif
