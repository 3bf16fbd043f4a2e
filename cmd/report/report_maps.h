// SPDX-License-Identifier: GPL-2.0-or-later
/* Heat maps of the page. */
#ifndef NVT_REPORT_MAPS_H
#define NVT_REPORT_MAPS_H

#include "cmd/report/report.h"

struct map_figure {
	const struct report *r;
	struct heat_map *map;
	u64 start_ns, end_ns;
	u32 most; /* cells */
	const char *kind; /* class of the picture */
	const char *name; /* foreign text */
	u64 span_ns; /* set by map_draw(): of the axis of times */
};

/*
 * Draws a map with its legend and its table. The axis of times takes at least @span_ns. Called once
 * for a map.
 */
void map_draw(struct map_figure *f, u64 span_ns);

#endif
