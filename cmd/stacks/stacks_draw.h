// SPDX-License-Identifier: GPL-2.0-or-later
/* Stacks as text. */
#ifndef NVT_STACKS_STACKS_DRAW_H
#define NVT_STACKS_STACKS_DRAW_H

#include "lib/view/stacks_row.h"

/* Prints a row: key line, frames, histogram, figures, and an empty line. */
void stacks_draw(struct out *o, const struct stacks_view *view, const struct stacks_row *row);

#endif
