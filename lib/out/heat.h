// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Heat maps: how many commands took how long, interval by interval. Latencies fall into cells, whose
 * edges are those of log-linear histograms (bpf/shared/hist.h); a cell is the darker or brighter the
 * more commands are in it. A single slow command is there to be seen, but is no crowd.
 */
#ifndef NVT_OUT_HEAT_H
#define NVT_OUT_HEAT_H

#include "lib/base/hist.h"
#include "lib/out/out.h"

#define HEAT_CELLS  256 /* the most cells of a scale */
#define HEAT_LEVELS 10 /* shades; 0 is that of no command */

struct heat_scale {
	u32 bits; /* 2^bits cells for each power of two */
	u32 first; /* hist_log_linear() of the first cell */
	u32 cells;
	bool open; /* the first cell holds all faster commands, too, and the last all slower ones */
};

/* A scale of at most @room cells from about 1 us up, for what may still come. @room >= 3. */
struct heat_scale heat_scale_fixed(u32 room);

/* Edges of cell @i: the lower one inclusive, the upper one exclusive, ~0 if there is none. */
u64 heat_lo(const struct heat_scale *scale, u32 i);
u64 heat_hi(const struct heat_scale *scale, u32 i);

/*
 * True if the lower edge of cell @i, or the highest edge, has a label where these need @room cells:
 * the lowest and the highest edge do, and powers of two between them.
 */
bool heat_labels(const struct heat_scale *scale, u32 i, double room);

/*
 * Sets @counts to the commands of @h in each cell. @h is log-linear with at least scale->bits; if it
 * counts none, it needs no buckets.
 */
void heat_count(const struct heat_scale *scale, const struct hist *h, u64 counts[HEAT_CELLS]);

/* From how many commands on a cell has which shade. Shade 1 is from one command on. */
struct heat_shades {
	u64 from[HEAT_LEVELS];
};

/* The shades of a map whose fullest cell has @max commands; ~0: it is not known yet. */
struct heat_shades heat_shades_of(u64 max);
/* The shade of @count commands, less than HEAT_LEVELS. */
u32 heat_shade(const struct heat_shades *shades, u64 count);
/* A number of commands for the legend: 4, 250, 15k. */
#define HEAT_COUNT 24
const char *heat_count_text(u64 count, char buf[HEAT_COUNT]);

/* A heat map of text: a line for each interval. Begins as zeroes. */
struct heat_text {
	struct heat_scale scale;
	bool fine; /* times have milliseconds: set if intervals are no whole seconds */
	bool begun;
	u32 lines; /* since the heading */
};

/* Prints a line: time of day, cells, count, p99. The first has the legend and heading above it. */
void heat_line(struct heat_text *text, struct out *o, u64 wall_ns, const struct hist *h);

#endif
