// SPDX-License-Identifier: GPL-2.0-or-later
/* Cosine waves of a share. */
#include "lib/view/waves.h"

#include <math.h>
#include <string.h>

/*
 * A recording is too short if its SLOWEST waves are STEEP times as strong as those from FAST on.
 * Where it wanders as an AR(1) process for a fiftieth of its length, that is so in one of twenty
 * recordings; for a tenth, in four of five. tests/unit/view/test_wander.c has what follows.
 */
#define SLOWEST 4
#define FAST	(WAVES_SLOW + 1)
#define STEEP	6

static void add_slot(struct waves *w)
{
	const u32 *slice = w->s->slice[w->slot];

	w->below += w->s->buckets[w->slot];
	w->share = (double)w->below / (double)w->s->count;
	for (u32 i = 0; i < w->slices; i++)
		w->upto[i] += slice[i];
}

void waves_begin(struct waves *w, const struct diff_sample *s)
{
	memset(w, 0, sizeof(*w));
	w->s = s;
	w->slot = s->first_slot;
	w->slices = diff_sample_slices(s);
	for (u32 i = 0; i < 4 * w->slices; i++)
		w->cosine[i] = cos(2 * M_PI * i / (4 * w->slices));
	add_slot(w);
}

bool waves_next(struct waves *w)
{
	if (w->slot == w->s->last_slot)
		return false;
	w->slot++;
	add_slot(w);
	return true;
}

double waves_chance(const struct waves *w)
{
	return w->share * (1 - w->share) / (double)w->s->count;
}

/* Sets @more to how many commands each slice has beyond its share. */
static void excess(const struct waves *w, double *more)
{
	for (u32 i = 0; i < w->slices; i++)
		more[i] = w->upto[i] - w->share * (double)diff_sample_in_slice(w->s, i);
}

/* The mean strength of the waves from @from to @to. */
static double strength(const struct waves *w, const double *more, u32 from, u32 to)
{
	double sum = 0, n = (double)w->s->count;

	for (u32 wave = from; wave <= to; wave++) {
		double at = 0;

		for (u32 i = 0; i < w->slices; i++)
			at += more[i] * w->cosine[wave * (2 * i + 1) % (4 * w->slices)];
		sum += 2 * at * at / n / n;
	}
	return sum / (to - from + 1);
}

double waves_variance(const struct waves *w)
{
	double more[DIFF_SLICES];

	excess(w, more);
	return strength(w, more, 1, WAVES_SLOW);
}

double waves_too_slow(const struct waves *w)
{
	double more[DIFF_SLICES], chance = waves_chance(w), fast, sum = 0, weighed = 0;

	excess(w, more);
	fast = strength(w, more, FAST, WAVES_MAX);
	if (strength(w, more, 1, SLOWEST) <= STEEP * (fast > chance ? fast : chance))
		return 0;
	for (u32 wave = 1; wave <= WAVES_MAX; wave++) {
		double beyond = strength(w, more, wave, wave) - chance;

		if (beyond <= 0)
			continue;
		sum += beyond;
		weighed += wave * beyond;
	}
	return weighed / sum;
}
