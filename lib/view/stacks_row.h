// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Records of `stacks`: turns a row of lib/view/stacks_sum.h into named keys, frames and figures; their
 * formats.
 */
#ifndef NVT_VIEW_STACKS_ROW_H
#define NVT_VIEW_STACKS_ROW_H

#include "lib/view/stacks_sum.h"
#include "lib/view/stacks_texts.h"
#include "lib/group/fields.h"
#include "lib/out/out_hist.h"

#define STACKS_FIELDS_MAX 48
#define STACKS_FRAME	  (VIEW_FRAME + 24) /* bytes of a frame, with its address in front */

/* The formats of its own. */
enum { STACKS_FOLDED = OUT_FORMAT_OWN, STACKS_SVG };

/* The keys of --by, in the order of the columns. */
#define STACKS_KEYS(USE) GROUP_WHERE(USE) USE(DEV) USE(OPCODE) GROUP_WHO(USE) USE(FILE) USE(SYNCER)

/* One record as printed. */
struct stacks_row {
	struct group_row keys; /* must be first: its columns read it there */
	u64 count, errors, bytes, lat_ns, weight; /* all ones: --probe has none */
	const char *kstack, *ustack; /* from stacks_texts_at(); NULL: not asked for */
	bool worker, lost;
	struct hist hist;
};

/* The data that all records of a run share. */
struct stacks_view {
	struct group group;
	const struct stacks_cfg *cfg;
	struct stacks_texts *texts;
	enum stacks_weight weight;
	bool functions; /* --probe: there are no commands, so no bytes and latencies */
	u32 columns; /* width of the terminal */
	u64 total; /* weight of all rows */
	struct field fields[STACKS_FIELDS_MAX]; /* of this run */
};

extern const struct schema stacks_schema;

/* Chooses the columns of @o that the keys and stacks of view->cfg ask for. */
void stacks_columns(struct stacks_view *view, struct out *o);

/*
 * Fills in the record of @from. Its strings lie in @row, in the session or in the texts, or are
 * constants.
 */
void stacks_row_fill(struct stacks_row *row, const struct stacks_view *view,
		     const struct stacks_sum *from);

/* Orders rows by weight, the heaviest first, then by stack and key. For group_table_sort(). */
int stacks_compare(const void *a, const void *b, void *view);

/* Lets --fail-if see a row. */
void stacks_check_row(const struct stacks_view *view, const struct stacks_row *row);

#endif
