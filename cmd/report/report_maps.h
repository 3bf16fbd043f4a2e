// SPDX-License-Identifier: GPL-2.0-or-later
/* Heat maps of the page. */
#ifndef NVT_REPORT_MAPS_H
#define NVT_REPORT_MAPS_H

#include "cmd/report/report.h"

struct map_figure {
	const struct report *r;
	u32 side; /* the recording */
	struct heat_map *map; /* NULL: there is none, so it has no axes */
	const char *kind; /* class of the picture */
	const char *name; /* foreign text */
	u64 span_ns; /* of the axis of times; map_arrange() may raise it */
	struct heat_grid grid; /* set by map_arrange(), as are these */
	struct heat_shades shades;
};

/*
 * Gives @n maps, one of each recording, the same axes and shades, and at most @most cells with
 * commands. Called once for a map.
 */
void map_arrange(struct map_figure *figures, u32 n, u32 most);

/* Draws a map with its legend and its table. */
void map_draw(const struct map_figure *f);

#endif
