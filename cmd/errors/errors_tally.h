// SPDX-License-Identifier: GPL-2.0-or-later
/* Counts errors by key: the rows of --summary. Their number is bounded. */
#ifndef NVT_ERRORS_ERRORS_TALLY_H
#define NVT_ERRORS_ERRORS_TALLY_H

#include "lib/view/errors_row.h"
#include "lib/group/group.h"

struct group_table;

/* The keys without --by. */
#define ERRORS_BY (1U << KEY_CTRL | 1U << KEY_OPCODE | 1U << KEY_STATUS)

/* Begins as zeroes. Errors that are of different types never share a row. */
struct errors_tally {
	struct group group; /* set before errors_tally_open() */
	struct group_table *table;
};

/* 0 or -ENOMEM. */
int errors_tally_open(struct errors_tally *t);
void errors_tally_close(struct errors_tally *t);

/* Shows the columns of the keys. */
void errors_tally_columns(const struct errors_tally *t);

/*
 * Counts the event, for which errors_type_of() returned @type; ERRORS_NONE is a success. @blk: the
 * block layer's status of it, or NULL.
 */
void errors_tally_add(struct errors_tally *t, const struct view *v, enum errors_type type,
		      const struct blkstatus *blk);

/* Counts @n successes that have the key @of. */
void errors_tally_successes(struct errors_tally *t, const struct kernel_key *of, u64 n);

/* Prints the rows, and clears them if tick->reset. */
void errors_tally_print(struct errors_tally *t, const struct tick *tick);

extern const struct schema errors_sum_schema;

#endif
