// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Heat maps as SVG: time from left to right, latency upwards, of a run that may take any time. The
 * columns begin short. Whenever there are too many, each two of them are made one.
 */
#ifndef NVT_OUT_MAP_H
#define NVT_OUT_MAP_H

#include "lib/out/heat.h"

#define HEAT_COLUMNS 240 /* the most of a map */
#define HEAT_ROWS    48

struct heat_map;

/* @cfg, of a log-linear histogram, must outlive it. NULL: no memory. */
struct heat_map *heat_map_open(const struct hist_cfg *cfg);
void heat_map_close(struct heat_map *m); /* NULL is allowed */

/* The time that the first column begins at; to be called before anything is added. */
void heat_map_begin(struct heat_map *m, u64 start_ns);

/* Adds a command that completed at @ts_ns. Columns are of a millisecond or more. */
void heat_map_add(struct heat_map *m, u64 ts_ns, u64 lat_ns);

/*
 * Adds what @h has more than it had at the last call, as a column that ends at @end_ns; columns are
 * of one or more calls. Either this or heat_map_add() serves a map.
 */
void heat_map_take(struct heat_map *m, u64 end_ns, const struct hist *h);

/* Rules of CSS for the shades: h1 to h9 fill a shape. */
extern const char heat_map_style[];

/* A map as it is drawn. */
struct heat_grid {
	struct heat_scale rows; /* from the lowest latency on */
	struct heat_shades shades;
	u32 columns;
	u64 step_ns; /* a column of heat_map_add() is so long, but for the last */
	u64 count;
};

/*
 * Settles how @n maps of runs that ended at @end_ns are drawn. All have the same rows and shades, and
 * columns of the same length, so that they can be compared. At most @most cells of each have
 * commands, or as few as can be: rows are joined, then columns. Nothing is added after that. Returns
 * how long the longest of them is, in whole columns.
 */
u64 heat_map_settle(struct heat_map *const maps[], const u64 end_ns[], u32 n, u32 most);
const struct heat_grid *heat_map_grid(const struct heat_map *m);
/* The commands of a column. */
struct hist heat_map_column(const struct heat_map *m, u32 column);

/* Says how long a column is, and how high a row: "8 ms, a row 1/4 of a power of two". Returns @buf. */
#define HEAT_UNITS 96
const char *heat_map_units(const struct heat_map *m, char buf[HEAT_UNITS]);

/* Prints the cells of a column as SVG, the lowest of them @at. @when it was: the begin of their titles. */
struct heat_place {
	double x, y, width, height;
};
void heat_map_cells(const struct heat_map *m, struct out *o, u32 column, const char *when,
		    const struct heat_place *at);

/*
 * Prints the map of a run that ended at @end_ns. A wall clock is @wall_offset_ns later. @where: see
 * svg_begin().
 */
void heat_map_draw(struct heat_map *m, struct out *o, u64 end_ns, u64 wall_offset_ns,
		   const char *where);

#endif
