// SPDX-License-Identifier: GPL-2.0-or-later
/* Findings about how something changes with time: steps, pauses, saturation. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "cmd/report/report.h"
#include "lib/base/fmt.h"
#include "lib/base/str.h"
#include "lib/base/units.h"
#include "lib/nvme/spec.h"
#include "lib/session/lookup.h"

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

/* A step in the latency of a device. */
struct step {
	struct report *r;
	struct report_side *side;
	struct finding *f;
	u32 device;
	u64 ts_ns;
	u64 from_ns, to_ns; /* a change between these is at the same time */
};

/* The load of a second. */
struct rate {
	double bytes, iops, depth;
};

/* That of a line of time before and after the step. */
static void rates(const struct step *step, const struct series *s, struct rate rate[2])
{
	u64 split_ns = step->ts_ns - s->start_ns, whole_ns = step->side->end_ns - s->start_ns;
	double seconds[2] = { (double)split_ns / 1e9, (double)(whole_ns - split_ns) / 1e9 };

	memset(rate, 0, 2 * sizeof(*rate));
	for (u32 i = 0; i < s->n; i++) {
		u32 after = i * s->step_ns + s->step_ns / 2 >= split_ns;

		rate[after].bytes += (double)s->at[i].bytes / seconds[after];
		rate[after].iops += (double)s->at[i].count / seconds[after];
		rate[after].depth += (double)s->at[i].busy_ns / 1e9 / seconds[after];
	}
}

/* The process whose load on the device rose most, if one's load doubled; sets the two rates. */
static const struct find_who *who_rose(const struct step *step, struct rate most[2])
{
	struct group_table *who = step->side->find.who;
	u32 n = group_table_sort(who, NULL, NULL);
	const struct find_who *found = NULL;
	struct rate rate[2];
	double all = 0;

	memset(most, 0, 2 * sizeof(*most));
	for (u32 i = 0; i < n; i++) {
		const struct find_who *w = group_table_at(who, i);

		if (w->key.other || w->key.device != step->device)
			continue;
		rates(step, &w->series, rate);
		all += rate[1].bytes;
		if (rate[1].bytes < 2 * rate[0].bytes ||
		    rate[1].bytes - rate[0].bytes <= most[1].bytes - most[0].bytes)
			continue;
		found = w;
		memcpy(most, rate, sizeof(rate));
	}
	return found && most[1].bytes >= finding_limit[LIMIT_STEP_WITH] * all ? found : NULL;
}

static void say_who_rose(const struct step *step, const struct find_who *who,
			 const struct rate *rate, const struct rate *all)
{
	char text[2][UNITS_TEXT], depth[2][FMT_NUMBER];
	struct finding *f = step->f;
	struct group_row keys;

	group_row_fill(&keys, &step->r->find_groups.who, &who->key);
	snprintf(f->with_room, sizeof(f->with_room), "%s", keys.comm ? keys.comm : "?");
	f->with_pid = keys.pid;
	f->with_bytes_per_s = rate[1].bytes;
	f->with_depth = rate[1].depth;
	finding_say(f, "; at the same time %s (%lld) sent more, %s each, %s/s, %s of %s in flight",
		    f->with_room, (long long)keys.pid,
		    units_size_brief((u64)(rate[1].bytes / rate[1].iops), text[0]),
		    units_size_brief((u64)rate[1].bytes, text[1]),
		    fmt_number(depth[0], rate[1].depth, 1), fmt_number(depth[1], all[1].depth, 1));
}

/* Says that admin commands were in flight for more of the time. */
static void say_admin_rose(const struct step *step)
{
	const struct find_ctrl *c = find_ctrl_of(step->r, step->side, step->device);
	const char *name = c ? nvme_opcode_name(NVME_SET_ADMIN, c->opcode) : NULL;
	char number[2][FMT_NUMBER];
	struct rate rate[2];

	if (!c || !c->admin)
		return;
	rates(step, &c->series, rate);
	if (rate[1].depth < finding_limit[LIMIT_STEP_ADMIN] || rate[1].depth < 2 * rate[0].depth)
		return;
	finding_say(step->f,
		    "; from then on admin commands, the last one %s, were in flight for %s %% of "
		    "the time, before for %s %%",
		    name ? name : "of another kind", fmt_number(number[0], rate[1].depth * 100, 0),
		    fmt_number(number[1], rate[0].depth * 100, 0));
	finding_figure(step->f, "admin_pct", rate[1].depth * 100);
}

static const char *sched_text(const struct step *step, u8 number)
{
	const char *name = session_sched_name(step->r->s, number);

	return number == SCHED_NONE ? "none" : name ? name : "unknown";
}

static void say_scheduler(const struct step *step, const struct find_device *d)
{
	const char *was = sched_text(step, d->sched_was), *is = sched_text(step, d->sched);

	if (d->sched_changes == 1 && d->sched_ns >= step->from_ns && d->sched_ns <= step->to_ns &&
	    !streq(was, is))
		finding_say(step->f, "; at the same time the scheduler became %s, it was %s", is,
			    was);
}

static const struct find_device *device_of(const struct step *step)
{
	struct group_table *devices = step->side->find.devices;
	u32 n = group_table_sort(devices, NULL, NULL);

	for (u32 i = 0; i < n; i++) {
		const struct find_device *d = group_table_at(devices, i);

		if (!d->key.other && d->key.device == step->device)
			return d;
	}
	return NULL;
}

/* Whether twice as many commands were in flight after the step, and not only for a part of the time. */
static bool is_deeper(const struct rate rate[2])
{
	return rate[1].depth >= 2 && rate[1].depth >= 2 * rate[0].depth;
}

/* Names what else changed at that moment. */
static void say_coincides(const struct step *step)
{
	const struct find_device *d = device_of(step);
	const struct find_who *who;
	char text[2][FMT_NUMBER];
	struct rate all[2], rate[2];

	if (!d)
		return;
	rates(step, &d->series, all);
	who = who_rose(step, rate);
	if (who)
		say_who_rose(step, who, rate, all);
	else if (is_deeper(all))
		finding_say(step->f, "; from then on %s instead of %s commands were in flight",
			    fmt_number(text[0], all[1].depth, 1),
			    fmt_number(text[1], all[0].depth, 1));
	finding_figure(step->f, "depth_before", all[0].depth);
	finding_figure(step->f, "depth_after", all[1].depth);
	say_scheduler(step, d);
	say_admin_rose(step);
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
	finding_figure(f, "before_ns", before);
	finding_figure(f, "after_ns", after);
	finding_figure(f, "slices", s->n);
	if (after > before)
		say_coincides(&(struct step){
			.r = r,
			.side = side,
			.f = f,
			.device = map->key.device,
			.ts_ns = ts_ns,
			.from_ns = side->start_ns + s->at_ns[at - 1],
			.to_ns = side->start_ns + s->at_ns[at + 1],
		});
	find_when(r, f, ts_ns, side->end_ns);
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
