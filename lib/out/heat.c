// SPDX-License-Identifier: GPL-2.0-or-later
/* Scales and shades of heat maps, and heat maps of text. */
#include "lib/out/heat.h"

#include "lib/base/fmt.h"
#include "lib/base/str.h"
#include "lib/out/out_hist.h"
#include "lib/out/out_impl.h"

#define FROM_NS	     1024 /* lower edge of the second cell of a fixed scale */
#define OCTAVES	     20U /* powers of two that are wanted: from 1 us to 1 s */
#define OCTAVES_MAX  24 /* beyond 17 s nothing needs a cell of its own */
#define BITS_MAX     3 /* as fine as the buckets are */
#define LABEL_CELLS  8 /* from one label of the heading to the next */
#define COLUMNS_MIN  60
#define FIXED_WIDTH  23 /* of a line, beside time and cells */
#define TIME_WIDTH   8 /* "22:13:24" */
#define TIME_FINE    12 /* "22:13:24.500" */
#define HEADING_ROOM (HEAT_CELLS + LABEL_CELLS)

struct heat_scale heat_scale_fixed(u32 room)
{
	u32 bits = BITS_MAX, octaves;

	while (bits && (OCTAVES << bits) + 2 > room)
		bits--;
	octaves = (room - 2) >> bits;
	if (octaves > OCTAVES_MAX)
		octaves = OCTAVES_MAX;
	return (struct heat_scale){
		.bits = bits,
		.first = hist_log_linear(FROM_NS, bits) - 1,
		.cells = (octaves << bits) + 2,
		.open = true,
	};
}

u64 heat_lo(const struct heat_scale *scale, u32 i)
{
	return scale->open && !i ? 0 : hist_log_linear_lo(scale->first + i, scale->bits);
}

u64 heat_hi(const struct heat_scale *scale, u32 i)
{
	bool last = scale->open && i + 1 == scale->cells;
	u64 lo = hist_log_linear_lo(scale->first + i, scale->bits);

	if (last ||
	    lo >> HIST_RANGE_BITS) /* there the histogram ends with what is past its range */
		return ~0ULL;
	return hist_log_linear_lo(scale->first + i + 1, scale->bits);
}

bool heat_labels(const struct heat_scale *scale, u32 i, double room)
{
	u32 step = 1U << scale->bits;

	while (step < room)
		step *= 2;
	return !i || i == scale->cells ||
	       (!((scale->first + i) % step) && i >= room && scale->cells - i >= room);
}

static u32 cell_of(const struct heat_scale *scale, u64 ns)
{
	u32 at = hist_log_linear(ns, scale->bits);

	if (at < scale->first)
		return 0;
	at -= scale->first;
	return at < scale->cells ? at : scale->cells - 1;
}

void heat_count(const struct heat_scale *scale, const struct hist *h, u64 counts[HEAT_CELLS])
{
	struct hist_row bucket;
	u32 slot = 0;

	memset(counts, 0, HEAT_CELLS * sizeof(*counts));
	while (h->count && hist_next_bucket(h, &slot, &bucket))
		counts[cell_of(scale, bucket.lo_ns)] += bucket.count;
}

/*
 * Each number is the same multiple of the one before it, about: counts of cells differ by powers of
 * ten. Of the first few a map takes the one that its fullest cell reaches.
 */
static const struct heat_shades shades_by_max[] = {
	{ { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 } },
	{ { 0, 1, 2, 3, 4, 6, 9, 13, 20, 30 } },
	{ { 0, 1, 2, 4, 8, 15, 30, 60, 120, 250 } },
	{ { 0, 1, 3, 10, 30, 100, 300, 1000, 3000, 10000 } },
	{ { 0, 1, 4, 15, 60, 250, 1000, 4000, 15000, 60000 } },
	{ { 0, 1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000 } },
};

/* Text does not know its fullest cell yet. This fits seconds of ten thousand to a million commands. */
#define SHADES_FIXED 4

struct heat_shades heat_shades_of(u64 max)
{
	u32 i = ARRAY_SIZE(shades_by_max) - 1;

	if (max == ~0ULL)
		return shades_by_max[SHADES_FIXED];
	while (i && shades_by_max[i].from[HEAT_LEVELS - 1] > max)
		i--;
	return shades_by_max[i];
}

u32 heat_shade(const struct heat_shades *shades, u64 count)
{
	u32 level = HEAT_LEVELS - 1;

	while (level && count < shades->from[level])
		level--;
	return level;
}

const char *heat_count_text(u64 count, char buf[HEAT_COUNT])
{
	const char *unit = count % 1000000 == 0 ? "M" : count % 1000 == 0 ? "k" : "";
	u64 scale = *unit == 'M' ? 1000000 : *unit == 'k' ? 1000 : 1;

	snprintf(buf, HEAT_COUNT, "%llu%s", (unsigned long long)(count / scale), unit);
	return buf;
}

/*
 * Prints a cell. In colour its character has the colour of the ground: it is not seen, but copied.
 * The colours are of the 256 that terminals have, ever brighter, from purple over green to yellow,
 * which the colour-blind tell apart, too.
 */
static void put_cell(struct out *o, u32 level, u32 *before)
{
	static const char ramp[] = " .:-=+*#%@";
	static const u8 colors[HEAT_LEVELS] = { 0, 54, 61, 67, 73, 78, 149, 185, 227, 230 };

	if (o->colored && level != *before && level)
		out_text(o, "\033[38;5;%u;48;5;%um", colors[level], colors[level]);
	else if (level != *before)
		out_text(o, "%s", out_hue(o, HUE_PLAIN));
	*before = level;
	out_text(o, "%c", ramp[level]);
}

static void put_cells(struct out *o, const struct heat_scale *scale, const struct hist *h)
{
	const struct heat_shades shades = heat_shades_of(~0ULL);
	u64 counts[HEAT_CELLS];
	u32 before = 0;

	heat_count(scale, h, counts);
	for (u32 i = 0; i < scale->cells; i++)
		put_cell(o, heat_shade(&shades, counts[i]), &before);
	if (before)
		out_text(o, "%s", out_hue(o, HUE_PLAIN));
}

static void put_legend(struct out *o, const struct heat_scale *scale)
{
	const struct heat_shades shades = heat_shades_of(~0ULL);
	char from[FMT_NUMBER], to[FMT_NUMBER], number[HEAT_COUNT];
	u32 before;

	out_text(o, "%u cell%s per power of two from %s to %s; the outermost hold the rest\n",
		 1U << scale->bits, scale->bits ? "s" : "",
		 fmt_ns(from, (double)heat_hi(scale, 0), " ", 0),
		 fmt_ns(to, (double)heat_lo(scale, scale->cells - 1), " ", 0));
	out_text(o, "commands in a cell, from:");
	for (u32 level = 1; level < HEAT_LEVELS; level++) {
		out_text(o, " ");
		before = 0;
		put_cell(o, level, &before);
		out_text(o, "%s %s", out_hue(o, HUE_PLAIN),
			 heat_count_text(shades.from[level], number));
	}
	out_text(o, "\n");
}

/* Prints the heading. Each edge stands above the cell that begins there. */
static void put_heading(struct out *o, const struct heat_text *text)
{
	char labels[HEADING_ROOM], edge[FMT_NUMBER], p99[16];
	u32 cells = text->scale.cells;
	size_t len;

	memset(labels, ' ', sizeof(labels));
	for (u32 i = 1; i < cells; i += LABEL_CELLS) {
		len = strlen(fmt_ns(edge, (double)heat_lo(&text->scale, i), "", 0));
		if (i + len <= cells)
			memcpy(labels + i, edge, len);
	}
	snprintf(p99, sizeof(p99), "P99(%s)", hist_unit(o));
	out_text(o, "%-*s  %.*s  %9s %9s\n", text->fine ? TIME_FINE : TIME_WIDTH, "TIME",
		 (int)cells, labels, "COUNT", p99);
}

/* Prints what comes before a line; the heading again before it scrolls away. */
static void put_above(struct heat_text *text, struct out *o)
{
	u32 width = hist_columns(out_fd(o));
	u32 beside = FIXED_WIDTH + (text->fine ? TIME_FINE : TIME_WIDTH) + 1;

	if (!text->begun)
		text->scale =
			heat_scale_fixed((width < COLUMNS_MIN ? COLUMNS_MIN : width) - beside);
	if (out_opts(o)->header && !text->begun)
		put_legend(o, &text->scale);
	if (out_opts(o)->header && (!text->begun || (o->screen && text->lines + 2 > o->screen))) {
		put_heading(o, text);
		text->lines = 0;
	}
	text->begun = true;
	text->lines++;
}

void heat_line(struct heat_text *text, struct out *o, u64 wall_ns, const struct hist *h)
{
	struct out_stamp stamp;
	char p99[64];

	o->gap = false; /* the lines are one table */
	put_above(text, o);
	out_stamp(&stamp, wall_ns, out_opts(o)->utc, text->fine ? 3 : 0);
	out_text(o, "%s |", stamp.time);
	put_cells(o, &text->scale, h);
	if (h->count)
		hist_text(o, hist_percentile(h, 99 * HIST_PERCENT), false, p99);
	else
		snprintf(p99, sizeof(p99), "-");
	out_text(o, "| %9llu %9s\n", (unsigned long long)h->count, p99);
}
