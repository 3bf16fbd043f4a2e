// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Records of `pattern`: the keys and figures of a sum by name, their schema, and tables for text.
 */
#ifndef NVT_VIEW_PATTERN_ROW_H
#define NVT_VIEW_PATTERN_ROW_H

#include "lib/view/pattern_sum.h"
#include "lib/group/fields.h"
#include "lib/out/out_hist.h"

/* The keys of --by, in the order of the columns. */
#define PATTERN_KEYS(USE)                                                                          \
	GROUP_WHERE(USE) USE(NS) USE(DEV) USE(QID) USE(OPCODE) GROUP_WHO(USE) USE(FILE)

/* One record as printed. Shares that are not known, and those of nothing, are NaN. */
struct pattern_row {
	struct group_row keys; /* must be first: its columns read it there */
	struct pattern_sum sum; /* unaligned, crossing ~0: the limits of the device are not known */
	double seq_pct, rnd_pct, read_pct, write_pct, unaligned_pct, avg_kbytes;
	u64 kbytes;
};

extern const struct schema pattern_schema;
extern const struct field pattern_text_fields[]; /* the columns of text */

/* The tables of text that -S, -K and -A ask for, and the columns. */
enum pattern_tables {
	PATTERN_SHOW_SIZES = 1 << 0,
	PATTERN_SHOW_SEEKS = 1 << 1,
	PATTERN_SHOW_ALIGN = 1 << 2,
};
void pattern_columns(struct out *o, u32 tables);

/* Fills in the record of @from. */
void pattern_row_fill(struct pattern_row *row, const struct group *g,
		      const struct pattern_entry *from);

/* "lba", "physical", "npwg", "nows", "noiob", "own". */
const char *pattern_limit_name(enum pattern_limit limit);

#endif
