// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds stretches of higher values. */
#include "cmd/report/stretch.h"

#include <math.h>
#include <stdlib.h>

#include "lib/base/str.h"

#define BLOCKS	 120 /* of the same number of points, about */
#define BLOCK	 8 /* points, at least */
#define SPARSE	 4 /* the same, where they are far apart */
#define SHORTEST 6 /* blocks: with fewer there is nothing to compare */
#define GAP	 0.15 /* of the two rows around it: a gap that is no longer does not part them */
#define MEDIAN_DEV                                                                                 \
	1.2533 /* standard deviation of a median of normal values, by that of their mean */

struct block {
	u32 from, to;
	double level;
	bool high;
};

struct blocks {
	const struct stretch_point *p;
	u32 n, points;
	struct block *is;
	float *room; /* for the values of all points */
	double *sorted; /* for the levels */
};

int stretch_by_place(const void *a, const void *b)
{
	const struct stretch_point *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

static int compare_double(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Parts values from *@lo to *@hi into lower and higher ones: those up to *@hi, and those from *@lo on. */
static void part_values(float *values, s64 *lo, s64 *hi)
{
	float pivot = values[*lo + (*hi - *lo) / 2];
	s64 i = *lo, j = *hi;

	while (i <= j) {
		while (values[i] < pivot)
			i++;
		while (values[j] > pivot)
			j--;
		if (i <= j) {
			float value = values[i];

			values[i++] = values[j];
			values[j--] = value;
		}
	}
	*lo = i;
	*hi = j;
}

/* Hoare, "Algorithm 65: find", 1961: sorting takes many times as long. */
float stretch_select(float *values, u32 n, u32 k)
{
	s64 from = 0, to = (s64)n - 1;

	while (from < to) {
		s64 lo = from, hi = to;

		part_values(values, &lo, &hi);
		if (hi < k)
			from = lo;
		if (k < lo)
			to = hi;
	}
	return values[k];
}

double stretch_median(float *values, u32 n)
{
	float high = stretch_select(values, n, n / 2), low = high;

	if (n % 2 == 0)
		low = stretch_select(values, n / 2, n / 2 - 1); /* the lower half is before */
	return ((double)low + (double)high) / 2;
}

/* The median of points @from to @to. */
static double level_of(const struct blocks *b, u32 from, u32 to)
{
	for (u32 i = from; i < to; i++)
		b->room[i - from] = b->p[i].value;
	return stretch_median(b->room, to - from);
}

static void cut(struct blocks *b)
{
	double span = (b->p[b->points - 1].at - b->p[0].at) / BLOCKS;
	u32 most = b->points / BLOCKS > BLOCK ? b->points / BLOCKS : BLOCK, from = 0;

	for (u32 i = 1; i <= b->points; i++) {
		u32 n = i - from;
		bool far = i < b->points && b->p[i].at - b->p[from].at > span;

		if (i < b->points && n < most && !(n >= SPARSE && far))
			continue;
		if (n < SPARSE && b->n) { /* the rest belongs to the block before */
			b->is[b->n - 1].to = i;
			b->is[b->n - 1].level = level_of(b, b->is[b->n - 1].from, i);
		} else {
			b->is[b->n++] = (struct block){ from, i, level_of(b, from, i), false };
		}
		from = i;
	}
}

/*
 * Where the levels, sorted, part best into a lower and a higher kind: the place with the most of
 * their variance between both (Otsu, "A threshold selection method", 1979).
 */
static u32 part(const double *level, u32 n)
{
	double all = 0, below = 0, most = -1;
	u32 at = n;

	for (u32 i = 0; i < n; i++)
		all += level[i];
	for (u32 i = 1; i < n; i++) {
		double k = i, distance;

		below += level[i - 1];
		distance = (all - below) / (n - k) - below / k;
		if (k * (n - k) * distance * distance > most) {
			most = k * (n - k) * distance * distance;
			at = i;
		}
	}
	return at;
}

static double mean_of(const double *value, u32 n)
{
	double sum = 0;

	for (u32 i = 0; i < n; i++)
		sum += value[i];
	return sum / n;
}

/* The quiet level; @least apart are levels of two kinds. Sets the deviation of quiet levels. */
static double quiet_level(const struct blocks *b, double least, double *deviation)
{
	double *level = b->sorted, median, sum = 0;
	u32 n = b->n, at;

	for (u32 i = 0; i < n; i++)
		level[i] = b->is[i].level;
	qsort(level, n, sizeof(*level), compare_double);
	at = part(level, n);
	if (at >= SHORTEST / 2 && mean_of(level + at, n - at) - mean_of(level, at) >= least)
		n = at;
	median = (level[(n - 1) / 2] + level[n / 2]) / 2;
	for (u32 i = 0; i < n; i++)
		sum += fabs(level[i] - median);
	*deviation =
		MEDIAN_DEV * sum / n; /* of the mean absolute deviation; outliers count less so */
	return median;
}

/* The standard deviation of values around the level of their block, by the mean absolute one. */
static double spread_of(const struct blocks *b)
{
	double sum = 0;

	for (u32 i = 0; i < b->n; i++)
		for (u32 k = b->is[i].from; k < b->is[i].to; k++)
			sum += fabs((double)b->p[k].value - b->is[i].level);
	return MEDIAN_DEV * sum / b->points;
}

/* By how many standard deviations points @from to @to, in @blocks, are above the quiet level. */
static double surely(const struct stretches *s, const struct blocks *b, u32 from, u32 to,
		     u32 blocks, double deviation)
{
	double above = level_of(b, from, to) - s->quiet;
	double chance = MEDIAN_DEV * (s->spread + 0.05) / sqrt(to - from);
	double alike = deviation / sqrt(blocks);

	return above / (chance > alike ? chance : alike);
}

/* Marks the blocks that are high: nearer to those that are @least above the quiet ones than to these. */
static void mark(const struct stretches *s, const struct blocks *b, double least)
{
	double *level = b->sorted, limit;
	u32 n = 0;

	for (u32 i = 0; i < b->n; i++)
		if (b->is[i].level >= s->quiet + least)
			level[n++] = b->is[i].level;
	if (!n)
		return;
	qsort(level, n, sizeof(*level), compare_double);
	limit = (level[n / 2] - s->quiet) / 2;
	limit = s->quiet +
		(limit > least * 0.75 ? (limit < 2 * least ? limit : 2 * least) : least * 0.75);
	for (u32 i = 0; i < b->n; i++)
		b->is[i].high = b->is[i].level >= limit;
	for (u32 i = 1; i + 1 < b->n; i++) /* one block alone among others is chance */
		if (b->is[i - 1].high == b->is[i + 1].high && b->is[i].high != b->is[i - 1].high &&
		    fabs(b->is[i].level - limit) * sqrt(b->is[i].to - b->is[i].from) <
			    4 * MEDIAN_DEV * (s->spread + 0.05))
			b->is[i].high = b->is[i - 1].high;
}

/*
 * The point between @from and @to where values go over from one level to the other: where the sum of
 * their distances from the middle of both turns. Sets how far that may be off.
 */
static u32 turn(const struct blocks *b, u32 from, u32 to, double middle, bool up, double *unsure)
{
	double sum = 0, most = -1e300;
	u32 at = from, before, behind;

	for (u32 i = from; i <= to; i++) {
		if (sum > most) {
			most = sum;
			at = i;
		}
		if (i < to) /* before the turn up, values are below the middle */
			sum += ((double)b->p[i].value < middle) == up ? 1 : -1;
	}
	before = at > 3 ? at - 3 : 0;
	behind = at + 2 < b->points ? at + 2 : b->points - 1;
	*unsure = b->p[behind].at - b->p[before].at;
	return at;
}

static bool rises(const struct blocks *b, u32 first, u32 end)
{
	double n = end - first, x = 0, y = 0, xy = 0, yy = 0, slope;

	if (n < SHORTEST)
		return false;
	for (u32 i = first; i < end; i++) {
		x += i - first;
		y += b->is[i].level;
	}
	x /= n;
	y /= n;
	for (u32 i = first; i < end; i++) {
		xy += (i - first - x) * (b->is[i].level - y);
		yy += (b->is[i].level - y) * (b->is[i].level - y);
	}
	slope = xy / (n * (n * n - 1) / 12);
	return slope * n >= 0.5 &&
	       xy * slope >= 0.6 * yy; /* most of what levels differ by is the slope */
}

/* Sets the edges of the stretch of blocks @first to @end. */
static void set_edges(const struct blocks *b, u32 first, u32 end, struct stretch *is, double quiet)
{
	double middle = (quiet + is->level) / 2;

	is->open[0] = !first;
	is->open[1] = end == b->n;
	is->from = b->is[first].from;
	is->to = b->is[end - 1].to;
	if (first)
		is->from = turn(b, b->is[first - 1].from, b->is[first].to, middle, true,
				&is->unsure[0]);
	if (end < b->n)
		is->to = turn(b, b->is[end - 1].from, b->is[end].to, middle, false, &is->unsure[1]);
	if (is->to <= is->from) {
		is->from = b->is[first].from;
		is->to = b->is[end - 1].to;
	}
	is->edge[0] = b->p[is->from].at;
	is->edge[1] = is->to < b->points ? b->p[is->to].at : b->p[b->points - 1].at;
	if (is->growing) /* it has no edge */
		is->unsure[0] = (is->edge[1] - is->edge[0]) / 2;
}

/* The end of the row of high blocks from @first on. */
static u32 row_end(const struct blocks *b, u32 first)
{
	while (first < b->n && b->is[first].high)
		first++;
	return first;
}

static double length_of(const struct blocks *b, u32 first, u32 end)
{
	return b->p[b->is[end - 1].to - 1].at - b->p[b->is[first].from].at;
}

/* The end of the stretch from @first on. It takes in the next row as well while the gap between is short beside both. */
static u32 stretch_end(const struct blocks *b, u32 first)
{
	u32 end = row_end(b, first), next = end, more;

	while (next < b->n && !b->is[next].high)
		next++;
	if (next == b->n)
		return end;
	more = row_end(b, next);
	if (length_of(b, end, next) > GAP * (length_of(b, first, end) + length_of(b, next, more)))
		return end;
	for (u32 i = end; i < next; i++)
		b->is[i].high = true;
	return stretch_end(b, first);
}

static void collect(struct stretches *s, const struct blocks *b, double least, double sure,
		    double deviation)
{
	for (u32 first = 0, end; first < b->n; first = end) {
		struct stretch is = { 0 };

		end = first + 1;
		if (!b->is[first].high)
			continue;
		end = stretch_end(b, first);
		is.growing = rises(b, first, end);
		is.level = level_of(b, b->is[first].from, b->is[end - 1].to);
		set_edges(b, first, end, &is, s->quiet);
		is.level = level_of(b, is.from, is.to);
		is.surely = surely(s, b, is.from, is.to, end - first, deviation);
		if (is.level - s->quiet >= least && is.surely >= sure && s->n < STRETCH_MOST)
			s->is[s->n++] = is;
	}
}

struct stretches stretch_find(const struct stretch_point *p, u32 n, double least, double surely)
{
	struct stretches s = { 0 };
	struct blocks b = { .p = p, .points = n };
	double deviation;

	if (n < SHORTEST * SPARSE)
		return s;
	b.is = calloc(2 * BLOCKS + n / BLOCK + 2, sizeof(*b.is));
	b.sorted = calloc(2 * BLOCKS + n / BLOCK + 2, sizeof(*b.sorted));
	b.room = calloc(n, sizeof(*b.room));
	if (b.is && b.sorted && b.room) {
		cut(&b);
		if (b.n >= SHORTEST) {
			s.known = true;
			s.spread = spread_of(&b);
			s.quiet = quiet_level(&b, least, &deviation);
			mark(&s, &b, least);
			collect(&s, &b, least, surely, deviation);
		}
	}
	free(b.is);
	free(b.sorted);
	free(b.room);
	return s;
}
