// SPDX-License-Identifier: GPL-2.0-or-later
/* A flame graph: all stacks of a run in one picture, each frame as wide as its share. */
#ifndef NVT_STACKS_FLAME_H
#define NVT_STACKS_FLAME_H

#include "cmd/stacks/row.h"

struct flame;

/* NULL without memory. To be closed; NULL may be closed, too. */
struct flame *flame_open(void);
void flame_close(struct flame *f);

/* Adds the stack of a row with its weight. Returns 0 or -ENOMEM. */
int flame_add(struct flame *f, const struct stacks_view *view, const struct stacks_row *row);

/*
 * Prints the stacks added so far as SVG, the outermost frames at the bottom. Frames narrower than
 * half a pixel are left out, or wider ones if there would be more than 20 000; the picture says how
 * many. @title: what the stacks are.
 */
void flame_draw(struct flame *f, struct out *o, const struct stacks_view *view, const char *title);

#endif
