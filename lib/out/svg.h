// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pictures as SVG documents (SVG 1.1, W3C 2011) that stand alone: no script, no font, nothing to
 * load. A command's own format prints them. Colours are classes of one style sheet, which also
 * serves dark mode.
 */
#ifndef NVT_OUT_SVG_H
#define NVT_OUT_SVG_H

#include "lib/out/out.h"

#define SVG_WIDTH  1200 /* of every picture, in pixels */
#define SVG_MARGIN 16

/* How many columns of the small fixed font, 11 pixels high, fit into @pixels. */
u32 svg_columns(double pixels);

/*
 * Begins a document of @height pixels with its title, which is also its accessible name, a line that
 * says what to look for, and to the right of the title @where: host, drives and period. @style:
 * rules for the picture's own classes.
 */
struct svg_head {
	const char *title, *where, *about, *style;
};
void svg_begin(struct out *o, u32 height, const struct svg_head *head);
void svg_end(struct out *o);

/* Writes @s, escaped by escape_text(), as character data of XML. */
void svg_text(struct out *o, const char *s);

/* Writes what fits into @columns, at least 2, with ".." at the end if @s is cut. */
void svg_text_cut(struct out *o, const char *s, u32 columns);

#endif
