// SPDX-License-Identifier: GPL-2.0-or-later
/* Findings about how something changes with time: steps, pauses, saturation. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "cmd/report/report.h"
#include "lib/base/fmt.h"
#include "lib/base/str.h"
#include "lib/base/units.h"

#define SLICES	  HEAT_COLUMNS
#define SIDE	  4 /* slices on each side of a step, at least */
#define PER_SLICE 6 /* commands of a slice, on average, at least */
#define MOST	  80 /* slices, about: more say nothing more */

/* The medians of slices of time that have commands. */
struct slices {
	u32 n;
	u64 at_ns[SLICES]; /* since the begin of the recording */
	double median_ns[SLICES];
	double sorted[SLICES];
};

static int compare_double(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The median of slices @from to @to. */
static double median_of(struct slices *s, u32 from, u32 to)
{
	u32 n = to - from;

	memcpy(s->sorted, s->median_ns + from, n * sizeof(s->sorted[0]));
	qsort(s->sorted, n, sizeof(s->sorted[0]), compare_double);
	return (s->sorted[(n - 1) / 2] + s->sorted[n / 2]) / 2;
}

/* A map that slices are made of. */
struct slicer {
	const struct hist_cfg *hist;
	const struct heat_map *map;
	u64 step_ns; /* of a column */
	u64 *room; /* for the buckets of a slice */
};

/* Adds the median of columns @first to @end. */
static void add_slice(struct slices *s, const struct slicer *from, u32 first, u32 end)
{
	struct hist sum = { .cfg = from->hist, .buckets = from->room, .min_ns = ~0ULL };

	memset(from->room, 0, from->hist->slots * sizeof(*from->room));
	for (u32 i = first; i < end; i++) {
		struct hist column = heat_map_column(from->map, i);

		for (u32 slot = 0; column.count && slot < from->hist->slots; slot++)
			from->room[slot] += column.buckets[slot];
		sum.count += column.count;
		sum.min_ns = column.min_ns < sum.min_ns ? column.min_ns : sum.min_ns;
		sum.max_ns = column.max_ns > sum.max_ns ? column.max_ns : sum.max_ns;
	}
	if (sum.count < PER_SLICE / 2)
		return;
	s->at_ns[s->n] = first * from->step_ns;
	s->median_ns[s->n++] = (double)hist_percentile(&sum, 50 * HIST_PERCENT);
}

static bool slices_of(struct slices *s, const struct report *r, const struct report_map *map)
{
	struct slicer from = { .hist = &r->cfg.hist, .map = map->map };
	u32 columns = heat_map_columns(map->map, &from.step_ns), join;

	s->n = 0;
	from.room = calloc(r->cfg.hist.slots, sizeof(*from.room));
	if (!from.room)
		return false;
	join = (u32)((u64)columns * PER_SLICE / (map->count + 1)) + 1;
	if (join * MOST < columns)
		join = columns / MOST;
	for (u32 i = 0; i < columns; i += join)
		add_slice(s, &from, i, i + join < columns ? i + join : columns);
	free(from.room);
	return (double)s->n >= finding_limit[LIMIT_STEP_SLICES];
}

/*
 * Where the slices before and after differ most by rank, and the chance that they do so without a
 * change: that of the Mann-Whitney test, times the number of moments that were tried.
 */
static u32 change_point(const struct slices *s, double *chance)
{
	double sum = 0, most = 0, n = s->n;
	u32 at = 0;

	for (u32 t = 1; t + SIDE <= s->n; t++) {
		for (u32 i = 0; i < s->n; i++)
			sum += (s->median_ns[i] > s->median_ns[t - 1]) -
			       (s->median_ns[i] < s->median_ns[t - 1]);
		double z = fabs(sum) / sqrt(t * (n - t) * (n + 1) / 3);

		if (t >= SIDE && z > most) {
			most = z;
			at = t;
		}
	}
	*chance = n * erfc(most / sqrt(2));
	return at;
}

/* The share of slices that are on their side of the middle between both medians. */
static double clear_of(const struct slices *s, u32 at, double before, double after)
{
	double middle = sqrt(before * after);
	u32 clear = 0;

	for (u32 i = 0; i < s->n; i++)
		clear += (s->median_ns[i] > middle) == ((i >= at) == (after > before));
	return (double)clear / s->n;
}

/* The commands and bytes of a line of time before and after @ts_ns. */
static void rates(const struct series *s, u64 ts_ns, u64 end_ns, double bytes_per_s[2],
		  double iops[2])
{
	u64 split_ns = ts_ns - s->start_ns, whole_ns = end_ns - s->start_ns;
	double seconds[2] = { (double)split_ns / 1e9, (double)(whole_ns - split_ns) / 1e9 };

	for (u32 i = 0; i < 2; i++)
		bytes_per_s[i] = iops[i] = 0;
	for (u32 i = 0; i < s->n; i++) {
		u32 side = i * s->step_ns + s->step_ns / 2 >= split_ns;

		bytes_per_s[side] += (double)s->at[i].bytes / seconds[side];
		iops[side] += (double)s->at[i].count / seconds[side];
	}
}

/* Names the process whose load on the device rose most at that moment, if one's load doubled. */
static void say_coincides(struct report *r, struct finding *f, struct report_side *side, u32 device,
			  u64 ts_ns)
{
	u32 n = group_table_sort(side->find.who, NULL, NULL);
	const struct find_who *most = NULL;
	double rise = 0, rate = 0, size = 0, all = 0, bytes[2], iops[2];
	char text[UNITS_TEXT], each[UNITS_TEXT];
	struct group_row keys;

	for (u32 i = 0; i < n; i++) {
		const struct find_who *w = group_table_at(side->find.who, i);

		if (w->key.other || w->key.device != device)
			continue;
		rates(&w->series, ts_ns, side->end_ns, bytes, iops);
		all += bytes[1];
		if (bytes[1] < 2 * bytes[0] || bytes[1] - bytes[0] <= rise)
			continue;
		most = w;
		rise = bytes[1] - bytes[0];
		rate = bytes[1];
		size = bytes[1] / iops[1];
	}
	if (!most || rate < finding_limit[LIMIT_STEP_WITH] * all)
		return;
	group_row_fill(&keys, &r->find_groups.who, &most->key);
	snprintf(f->with_room, sizeof(f->with_room), "%s", keys.comm ? keys.comm : "?");
	f->with_pid = keys.pid;
	f->with_bytes_per_s = rate;
	finding_say(f, "; at the same time %s (%lld) sent more, %s each, %s/s", f->with_room,
		    (long long)keys.pid, units_size_brief((u64)size, each),
		    units_size_brief((u64)rate, text));
}

/* INTERVAL of a heat map that shows when something began. */
static const char *interval_of(const struct report_side *side)
{
	return side->end_ns - side->start_ns > 60 * NSEC_PER_SEC ? "1" : "0.1";
}

static void say_step(struct report *r, u32 i, const struct report_map *map, struct slices *s,
		     u32 at, double chance)
{
	struct report_side *side = &r->side[i];
	double before = median_of(s, 0, at), after = median_of(s, at, s->n);
	enum finding_severity severity =
		after >= finding_limit[LIMIT_STEP_HIGH] * before ? FINDING_HIGH : FINDING_MEDIUM;
	char text[2][FMT_NUMBER], time[FIND_TIME];
	struct group_row keys;
	struct finding *f;
	u64 ts_ns = side->start_ns + s->at_ns[at];

	group_row_fill(&keys, &r->view[REPORT_OPS].group, &map->key);
	f = find_new(r, i, FINDING_STEP, after > before ? severity : FINDING_LOW, keys.dev);
	find_op(f, keys.op);
	f->weight = after > before ? after / before : before / after;
	f->likely = chance > finding_limit[LIMIT_STEP_CHANCE] / 10;
	finding_say(f, "%s commands became %s at %s, from a median of %s to %s",
		    keys.op ? keys.op : "", after > before ? "slower" : "faster",
		    find_time(r, ts_ns, time), fmt_ns(text[0], before, " ", 0),
		    fmt_ns(text[1], after, " ", 0));
	if (after > before)
		say_coincides(r, f, side, map->key.device, ts_ns);
	find_when(r, f, ts_ns, side->end_ns);
	finding_figure(f, "before_ns", before);
	finding_figure(f, "after_ns", after);
	finding_figure(f, "slices", s->n);
	find_shows(r, f, "latency -H heat %s -d %s -O %s", interval_of(side),
		   keys.dev ? keys.dev : "", keys.op ? keys.op : "");
}

void find_steps(struct report *r, u32 side)
{
	struct slices *s = malloc(sizeof(*s));
	double chance, before, after, factor;

	for (u32 i = 0; s && i < r->side[side].n_maps; i++) {
		const struct report_map *map = &r->side[side].maps[i];
		u32 at;

		if (map->key.other || !slices_of(s, r, map))
			continue;
		at = change_point(s, &chance);
		if (!at || chance > finding_limit[LIMIT_STEP_CHANCE])
			continue;
		before = median_of(s, 0, at);
		after = median_of(s, at, s->n);
		factor = after > before ? after / before : before / after;
		if (factor >= finding_limit[LIMIT_STEP_FACTOR] &&
		    clear_of(s, at, before, after) >= finding_limit[LIMIT_STEP_CLEAR])
			say_step(r, side, map, s, at, chance);
	}
	free(s);
}

/* The mean distance of @n pauses; 0 where it varies. */
static double period_of(const u64 *from_ns, u32 n)
{
	double mean = n < 4 ? 0 : (double)(from_ns[n - 1] - from_ns[0]) / (n - 1), sum = 0;

	for (u32 i = 1; mean > 0 && i < n; i++)
		sum += pow((double)(from_ns[i] - from_ns[i - 1]) - mean, 2);
	return mean > 0 && sqrt(sum / (n - 1)) < finding_limit[LIMIT_STALL_PERIOD] * mean ? mean
											  : 0;
}

static void say_stalls(struct report *r, u32 i, const struct find_device *d, const u64 *from_ns,
		       const u64 *ns, u32 n)
{
	struct report_side *side = &r->side[i];
	double period = period_of(from_ns, n), sum = 0, longest = 0;
	char text[FMT_NUMBER], number[FMT_NUMBER];
	struct group_row keys;
	struct finding *f;

	for (u32 at = 0; at < n; at++) {
		sum += (double)ns[at];
		longest = (double)ns[at] > longest ? (double)ns[at] : longest;
	}
	group_row_fill(&keys, &r->find_groups.device, &d->key);
	f = find_new(r, i, FINDING_STALL,
		     n >= finding_limit[LIMIT_STALL_HIGH] ? FINDING_HIGH : FINDING_MEDIUM,
		     keys.dev);
	f->weight = sum;
	f->likely = n == 1;
	finding_say(f, "%u time%s nothing ended for up to %s while commands were in flight", n,
		    plural(n), fmt_ns(text, longest, " ", 0));
	if (period > 0)
		finding_say(f, ", once in %s", fmt_ns(number, period, " ", 0));
	find_when(r, f, from_ns[0], from_ns[n - 1] + ns[n - 1]);
	finding_figure(f, "pauses", n);
	finding_figure(f, "longest_ns", longest);
	finding_figure(f, "period_ns", period > 0 ? period : NAN);
	find_shows(r, f, "latency -H heat %s -d %s", interval_of(side), keys.dev ? keys.dev : "");
}

void find_stalls(struct report *r, u32 side)
{
	struct group_table *devices = r->side[side].find.devices;
	u32 n = group_table_sort(devices, NULL, NULL);

	for (u32 i = 0; i < n; i++) {
		const struct find_device *d = group_table_at(devices, i);
		double mean = (double)d->read_write_ns / (double)(d->read_writes + !d->read_writes);
		u64 from_ns[FIND_STALLS], ns[FIND_STALLS];
		u32 pauses = 0;

		for (u32 at = 0; !d->key.other && at < d->stalls && at < FIND_STALLS; at++) {
			if ((double)d->stall_ns[at] < finding_limit[LIMIT_STALL_FACTOR] * mean)
				continue;
			from_ns[pauses] = d->stall_from_ns[at];
			ns[pauses++] = d->stall_ns[at];
		}
		if (pauses)
			say_stalls(r, side, d, from_ns, ns, pauses);
	}
}

struct depth {
	double depth, iops;
};

static int compare_depth(const void *a, const void *b)
{
	return compare_double(&((const struct depth *)a)->depth, &((const struct depth *)b)->depth);
}

/* The mean of @depth from @from to @to. */
static struct depth mean_of(const struct depth *depth, u32 from, u32 to)
{
	struct depth sum = { 0 };

	for (u32 i = from; i < to; i++) {
		sum.depth += depth[i].depth / (to - from);
		sum.iops += depth[i].iops / (to - from);
	}
	return sum;
}

static void say_saturation(struct report *r, u32 i, const struct find_device *d, struct depth usual,
			   struct depth full)
{
	char number[2][FMT_NUMBER], rate[FMT_NUMBER];
	struct group_row keys;
	struct finding *f;

	group_row_fill(&keys, &r->find_groups.device, &d->key);
	f = find_new(r, i, FINDING_SATURATION, FINDING_MEDIUM, keys.dev);
	f->weight = full.depth / usual.depth;
	finding_say(f,
		    "%s instead of %s commands in flight brought no more than %s commands a second",
		    fmt_rate(number[0], full.depth), fmt_rate(number[1], usual.depth),
		    fmt_rate(rate, usual.iops > full.iops ? usual.iops : full.iops));
	finding_figure(f, "depth", full.depth);
	finding_figure(f, "usual_depth", usual.depth);
	finding_figure(f, "iops", full.iops);
	finding_figure(f, "usual_iops", usual.iops);
	find_shows(r, f, "latency --by dev 1s -d %s", keys.dev ? keys.dev : "");
}

void find_saturation(struct report *r, u32 side)
{
	struct group_table *devices = r->side[side].find.devices;
	u32 n = group_table_sort(devices, NULL, NULL);
	struct depth depth[HEAT_COLUMNS], usual, full;

	for (u32 i = 0; i < n; i++) {
		const struct find_device *d = group_table_at(devices, i);
		const struct series *s = &d->series;
		u32 slices = 0;

		for (u32 at = 0; !d->key.other && at + 1 < s->n;
		     at++) /* the last one is not whole */
			if (s->at[at].count)
				depth[slices++] = (struct depth){
					(double)s->at[at].busy_ns / (double)s->step_ns,
					(double)s->at[at].count * 1e9 / (double)s->step_ns
				};
		if ((double)slices < finding_limit[LIMIT_FULL_SLICES])
			continue;
		qsort(depth, slices, sizeof(depth[0]), compare_depth);
		usual = mean_of(depth, slices / 4, slices / 2);
		full = mean_of(depth, slices - slices / 4, slices);
		if (full.depth >= finding_limit[LIMIT_FULL_LEAST] &&
		    full.depth >= finding_limit[LIMIT_FULL_DEPTH] * usual.depth &&
		    full.iops < finding_limit[LIMIT_FULL_GAIN] * usual.iops)
			say_saturation(r, side, d, usual, full);
	}
}
