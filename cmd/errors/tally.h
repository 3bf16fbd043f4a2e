// SPDX-License-Identifier: GPL-2.0-or-later
/* Counts errors by key: the rows of --summary and of --dedup. Their number is bounded. */
#ifndef NVT_ERRORS_TALLY_H
#define NVT_ERRORS_TALLY_H

#include "cmd/errors/row.h"

struct errors_tally;
struct queue_info;
struct session;
struct tick;

/*
 * Opens a table of sums for --summary or, with @dedup, of the first error of each key. NULL: no
 * memory.
 */
struct errors_tally *errors_tally_new(bool dedup);
void errors_tally_free(struct errors_tally *t); /* NULL is allowed */

/* Counts @row, which was filled from a live view. False if it was counted under "(other)". */
bool errors_tally_add(struct errors_tally *t, const struct errors_row *row);

/*
 * Counts @n successes of commands to @queue, of the command set and code in @cmd. @v is a view of
 * one of them, or NULL. Returns as errors_tally_add().
 */
bool errors_tally_successes(struct errors_tally *t, const struct queue_info *queue,
			    const struct view *v, const struct nvme_cmd_view *cmd, u64 n);

/* Prints the rows, and clears them if tick->reset. */
void errors_tally_print(struct errors_tally *t, struct session *s, const struct tick *tick);

extern const struct schema errors_sum_schema;

#endif
