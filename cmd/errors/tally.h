// SPDX-License-Identifier: GPL-2.0-or-later
/* Errors counted by what they have in common: rows of --summary, and of --dedup. Bounded. */
#ifndef NVT_ERRORS_TALLY_H
#define NVT_ERRORS_TALLY_H

#include "cmd/errors/row.h"

struct errors_tally;
struct queue_info;
struct session;
struct tick;

/* Sums for --summary, or the first of each with --dedup. NULL: no memory. */
struct errors_tally *errors_tally_new(bool dedup);
void errors_tally_free(struct errors_tally *t); /* NULL is allowed */

/* Counts @row, filled from a live view. False: it was counted under "(other)". */
bool errors_tally_add(struct errors_tally *t, const struct errors_row *row);

/*
 * Counts @n successes of commands to @queue, of the set and code in @cmd; @v: of one of them, or
 * NULL. As errors_tally_add().
 */
bool errors_tally_successes(struct errors_tally *t, const struct queue_info *queue,
			    const struct view *v, const struct nvme_cmd_view *cmd, u64 n);

/* Prints the rows, and begins anew if tick->reset. */
void errors_tally_print(struct errors_tally *t, struct session *s, const struct tick *tick);

extern const struct schema errors_sum_schema;

#endif
