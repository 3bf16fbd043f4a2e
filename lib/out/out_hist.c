// SPDX-License-Identifier: GPL-2.0-or-later
/* Histograms of latencies as tables with bars, and as JSON. */
#include "lib/out/out_hist.h"

#include "lib/base/fmt.h"
#include "lib/base/str.h"

#define LINE_MAX_COLUMNS 80
#define TABLE_COLUMNS	 47 /* width of the table in front of the bars */
#define RANGE_COLUMNS	 21 /* width of its first column */

u32 hist_columns(int fd)
{
	u32 columns = terminal_columns(fd);

	return columns < LINE_MAX_COLUMNS / 2 ? LINE_MAX_COLUMNS : columns;
}

static const struct {
	const char *name;
	u64 scale;
	u32 decimals; /* of a value that needs no more */
} units[] = {
	[UNIT_US] = { "us", 1000, 1 },
	[UNIT_NS] = { "ns", 1, 0 },
	[UNIT_MS] = { "ms", 1000000, 3 },
	[UNIT_S] = { "s", 1000000000, 6 },
};

const char *hist_unit(const struct out *o)
{
	return units[out_opts(o)->unit].name;
}

const char *hist_text(const struct out *o, u64 ns, bool fine, char *buf)
{
	u32 unit = out_opts(o)->unit, decimals = units[unit].decimals;

	if (fine && unit == UNIT_US)
		decimals = 3;
	else if (fine && decimals)
		decimals = 6;
	*fmt_fixed(buf, ns, units[unit].scale, decimals) = '\0';
	return buf;
}

const struct field hist_members[] = {
	{ .type = FIELD_CHARS,
	  .name = "kind",
	  .help = "log-linear, or offset: linear from from_ns" },
	{ .type = FIELD_U32, .name = "bits", .help = "2^bits buckets per power of two" },
	{ .type = FIELD_U64,
	  .name = "from_ns",
	  .flags = FIELD_ABSENT,
	  .help = "where the buckets of kind offset begin" },
	{ .type = FIELD_U64,
	  .name = "width_ns",
	  .flags = FIELD_ABSENT,
	  .help = "width of the first of these" },
	{ .type = FIELD_CHARS, .name = "unit", .help = "unit of the edges: ns" },
	{ .type = FIELD_CALL,
	  .name = "buckets",
	  .json = JSON_BUCKETS,
	  .help = "[lo, hi, count] of those that are not empty; hi is null past the range" },
	FIELD_DONE,
};

/*
 * Writes the members that decide the edges of the buckets: counts may be added where these are
 * equal.
 */
static void emit_kind(struct json *j, const struct hist_cfg *cfg)
{
	bool offset = cfg->kind == HIST_OFFSET;

	json_str(j, "kind", offset ? "offset" : "log-linear");
	json_u64(j, "bits", cfg->bits);
	if (offset) {
		json_u64(j, "from_ns", cfg->min_ns);
		json_u64(j, "width_ns", cfg->width_ns);
	}
	json_str(j, "unit", "ns");
}

void hist_emit(struct json *j, const struct hist *h)
{
	struct hist_row bucket;
	u32 slot = 0;

	json_object(j, "hist");
	emit_kind(j, h->cfg);
	json_array(j, "buckets");
	while (hist_next_bucket(h, &slot, &bucket)) {
		json_array(j, NULL);
		json_u64(j, NULL, bucket.lo_ns);
		if (bucket.hi_ns != ~0ULL)
			json_u64(j, NULL, bucket.hi_ns);
		else
			json_null(j, NULL);
		json_u64(j, NULL, bucket.count);
		json_end(j);
	}
	json_end(j);
	json_end(j);
}

/* Writes the edges of a line to @range, and returns how many columns they take. */
static u32 range_text(const struct out *o, const struct hist_row *line, char range[static 160])
{
	bool fine = line->hi_ns - line->lo_ns < units[out_opts(o)->unit].scale;
	char lo[64], hi[64] = "";

	hist_text(o, line->lo_ns, fine, lo);
	if (line->hi_ns != ~0ULL)
		hist_text(o, line->hi_ns, fine, hi);
	return (u32)snprintf(range, 160, "%s - %s", lo, hi);
}

void hist_draw_bar(struct out *o, u32 columns, u64 count, u64 most)
{
	u32 room = columns > TABLE_COLUMNS + 10 ? columns - TABLE_COLUMNS - 2 : 8, len, i;
	char bar[256];

	if (room > sizeof(bar) - 1)
		room = sizeof(bar) - 1;
	len = (u32)((unsigned __int128)count * room / most);
	if (count && !len)
		len = 1;
	for (i = 0; i < room; i++)
		bar[i] = i < len ? '*' : ' ';
	bar[room] = '\0';
	out_text(o, " |%s|", bar);
}

struct drawing {
	struct out *o;
	const struct hist *h;
	u32 columns, range; /* of a line; of its edges */
	u64 most, seen; /* samples of the longest bar; samples drawn so far */
};

static void draw_range(const struct drawing *d, const struct hist_row *line)
{
	char range[160], share[FMT_NUMBER], sum[FMT_NUMBER];
	double count = (double)d->h->count;

	range_text(d->o, line, range);
	out_text(d->o, "%-*s %10llu %5s %5s", (int)d->range, range, (unsigned long long)line->count,
		 fmt_number(share, (double)line->count * 100 / count, 1),
		 fmt_number(sum, (double)d->seen * 100 / count, 1));
}

static void draw_row(struct drawing *d, const struct hist_row *line)
{
	d->seen += line->count;
	draw_range(d, line);
	if (d->columns)
		hist_draw_bar(d->o, d->columns, line->count, d->most);
	out_text(d->o, "\n");
}

/* Finds the longest bar and, on a terminal, the width that the edges need; bars get the rest. */
static void measure(struct drawing *d, u32 bits)
{
	struct hist_row line;
	char range[160];
	u32 slot, wide;

	for (slot = 0; hist_next_row(d->h, bits, &slot, &line);) {
		d->most = line.count > d->most ? line.count : d->most;
		wide = line.count ? range_text(d->o, &line, range) : 0;
		d->range = wide > d->range ? wide : d->range;
	}
	if (!terminal_columns(out_fd(d->o)))
		d->range = RANGE_COLUMNS;
	if (d->columns)
		d->columns -= d->range - RANGE_COLUMNS;
}

void hist_draw(struct out *o, u32 columns, u32 bits, const struct hist *h)
{
	struct drawing d = {
		.o = o, .h = h, .columns = columns, .range = RANGE_COLUMNS, .most = 1
	};
	struct hist_row line, gap = { 0 };
	u32 slot, empty = 0;
	char head[32];

	measure(&d, bits);
	snprintf(head, sizeof(head), "RANGE(%s)", hist_unit(o));
	out_text(o, "%-*s %10s %5s %5s%s\n", (int)d.range, head, "COUNT", "%", "CUM%",
		 columns ? " distribution" : "");
	for (slot = 0; hist_next_row(h, bits, &slot, &line);) {
		if (!line.count) {
			gap = line;
			empty++;
			continue;
		}
		if (empty == 1)
			draw_row(&d, &gap);
		else if (empty)
			out_text(o, "...\n");
		empty = 0;
		draw_row(&d, &line);
	}
}
