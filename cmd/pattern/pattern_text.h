// SPDX-License-Identifier: GPL-2.0-or-later
/* The tables of -S, -K and -A in text. */
#ifndef NVT_PATTERN_PATTERN_TEXT_H
#define NVT_PATTERN_PATTERN_TEXT_H

#include "lib/view/pattern_row.h"

/* Prints the tables of a row, @columns wide. */
void pattern_draw(struct out *o, const struct pattern_sum *sum, u32 tables, u32 columns);

#endif
