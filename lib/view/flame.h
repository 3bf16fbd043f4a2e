// SPDX-License-Identifier: GPL-2.0-or-later
/* A flame graph: all stacks of a run in one picture, each frame as wide as its share. */
#ifndef NVT_VIEW_FLAME_H
#define NVT_VIEW_FLAME_H

#include "lib/out/svg.h"
#include "lib/view/stacks_row.h"

struct flame;

/* NULL without memory. To be closed; NULL may be closed, too. */
struct flame *flame_open(void);
void flame_close(struct flame *f);

/* Adds the stack of a row with its weight. Returns 0 or -ENOMEM. */
int flame_add(struct flame *f, const struct stacks_view *view, const struct stacks_row *row);

/* A frame of the picture. */
struct flame_box {
	const char *name; /* escaped by escape_text(); during the call only */
	u32 kind; /* enum stacks_word */
	u32 depth; /* 0: the outermost */
	u64 from, weight; /* weights add up from the left to struct flame_size.total */
};

/* Rules of CSS for kinds of frames, k0 on: the colour of shapes and of boxes; and their names. */
extern const char flame_style[];
extern const char *const flame_kinds[]; /* by enum stacks_word, then NULL */

/* The size of the picture. */
struct flame_size {
	u64 total;
	u32 drawn, left_out, depth; /* frames; how many lie on each other */
};

/*
 * Hands the frames of the stacks added so far to @each, unless it is NULL. Those that are narrower
 * than half a pixel of SVG_WIDTH are left out, or wider ones if there would be more than @most.
 */
struct flame_size flame_boxes(struct flame *f, u32 most,
			      void (*each)(void *ctx, const struct flame_box *box), void *ctx);

/*
 * Prints the stacks added so far as SVG, the outermost frames at the bottom. Frames narrower than
 * half a pixel are left out, or wider ones if there would be more than 20 000; the picture says how
 * many. @head: title and place; the rest of it is filled in here.
 */
void flame_draw(struct flame *f, struct out *o, const struct stacks_view *view,
		struct svg_head head);

#endif
