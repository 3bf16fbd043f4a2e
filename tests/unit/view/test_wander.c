// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compares pairs of recordings that seeded generators make: how often diff claims a change where
 * there is none, and how often it finds one. Twenty pairs of each kind; PAIRS=200 is the full table
 * (tests/build/wander.bats).
 */
#include <math.h>
#include <stdlib.h>

#include "lib/view/change.h"
#include "lib/view/diff_row.h"
#include "lib/view/waves.h"
#include "lib/base/env.h"
#include "lib/base/str.h"
#include "tests/unit/draw.h"
#include "tests/unit/test.h"

#define APART_NS 100000 /* from one completion to the next */
#define P(pct)	 ((u32)((pct)*HIST_PERCENT))
#define MEDIAN	 0
#define TAIL	 2

static const u32 percentiles[] = { P(50), P(90), P(99), P(99.9) };
#define COMPARED 4.0
#define ALPHA	 (0.05 / COMPARED)
_Static_assert((u64)COMPARED == ARRAY_SIZE(percentiles), "so many intervals");

/* A drive. Latencies are log-normal around 80 us, a command's deviation is 0.3, and then: */
enum kind {
	INDEPENDENT,
	DISCRETE, /* five values, and percentiles at their edges */
	DRIFT, /* the level is an AR(1) process of deviation @size and correlation time @time */
	STALLS, /* @size commands in a row are 20 times slower, each @time commands */
	BURSTS, /* of stretches of @time commands one of twenty is @size times slower */
	STEP, /* in one recording the level changes by @size, not in its first or last twentieth */
};

struct row {
	const char *what;
	enum kind kind;
	u32 commands;
	double time, size;
	double shift; /* of the second recording, a factor; 1: none */
	u32 pct; /* of pairs: of false verdicts at most, or of changes found at least */
};

/* clang-format off */
static const struct row rows[] = {
	{ "independent, 5000",        INDEPENDENT, 5000,  0,    0,    1,   5 },
	{ "independent, 20000",       INDEPENDENT, 20000, 0,    0,    1,   5 },
	{ "discrete, 5000",           DISCRETE,    5000,  0,    0,    1,   5 },
	{ "discrete, 20000",          DISCRETE,    20000, 0,    0,    1,   5 },
	{ "drift 1 %, of 0.1",        DRIFT,       5000,  0.01, 0.1,  1,   5 },
	{ "drift 5 %, of 0.1",        DRIFT,       5000,  0.05, 0.1,  1,   5 },
	{ "drift 10 %, of 0.1",       DRIFT,       5000,  0.1,  0.1,  1,   5 },
	{ "drift 20 %, of 0.1",       DRIFT,       5000,  0.2,  0.1,  1,   5 },
	{ "drift 1 %, of 0.3",        DRIFT,       5000,  0.01, 0.3,  1,   5 },
	{ "drift 5 %, of 0.3",        DRIFT,       5000,  0.05, 0.3,  1,   5 },
	{ "drift 10 %, of 0.3",       DRIFT,       5000,  0.1,  0.3,  1,   5 },
	{ "drift 20 %, of 0.3",       DRIFT,       5000,  0.2,  0.3,  1,   5 },
	{ "drift 5 %, of 0.3, long",  DRIFT,       20000, 0.05, 0.3,  1,   5 },
	{ "drift 20 %, of 1, long",   DRIFT,       20000, 0.2,  1,    1,   5 },
	{ "stalls each 1000",         STALLS,      8000,  1000, 20,   1,   5 },
	{ "stalls each 250",          STALLS,      8000,  250,  5,    1,   5 },
	{ "stalls each 3000",         STALLS,      8000,  3000, 40,   1,   5 },
	{ "bursts of 200, tenfold",   BURSTS,      8000,  200,  10,   1,   5 },
	{ "bursts of 200, threefold", BURSTS,      8000,  200,  3,    1,   5 },
	{ "bursts of 50, tenfold",    BURSTS,      8000,  50,   10,   1,   5 },
	{ "bursts of 200, long",      BURSTS,      20000, 200,  10,   1,   5 },
	{ "step of 1.3",              STEP,        8000,  0,    1.3,  1,   5 },
	{ "step of 2",                STEP,        8000,  0,    2,    1,   5 },
	{ "step of 1.3, long",        STEP,        20000, 0,    1.3,  1,   5 },
	{ "found: independent",       INDEPENDENT, 20000, 0,    0,    1.2, 90 },
	{ "found: drift 2 %, of 0.1", DRIFT,       20000, 0.02, 0.1,  1.2, 60 },
	{ "found: stalls each 1000",  STALLS,      20000, 1000, 5,    1.2, 90 },
};
/* clang-format on */

struct drive {
	u64 seed, n;
	double level, phase, step_at;
	bool burst;
};

static struct drive drive(const struct row *r, u64 seed, bool steps)
{
	struct drive d = { .seed = seed };

	d.level = r->kind == DRIFT ? r->size * normal(&d.seed) : 0;
	d.phase = floor(uniform(&d.seed) * r->time);
	d.step_at = steps ? 0.05 + 0.9 * uniform(&d.seed) : 2;
	return d;
}

static double drift(const struct row *r, struct drive *d)
{
	double kept = exp(-1 / (r->time * r->commands)), level = d->level;

	d->level = kept * level + sqrt(1 - kept * kept) * r->size * normal(&d->seed);
	return level;
}

static double discrete(struct drive *d)
{
	double u = uniform(&d->seed);

	if (u < 0.9)
		return u < 0.5 ? 0 : 0.2;
	if (u < 0.99)
		return 0.5;
	return u < 0.999 ? 1 : 2;
}

/* Returns what the drive adds to the logarithm of a command's latency. */
static double slowness(const struct row *r, struct drive *d)
{
	u32 time = (u32)r->time;

	switch (r->kind) {
	case DRIFT:
		return drift(r, d);
	case STALLS:
		return (d->n + (u64)d->phase) % time < (u64)r->size ? log(20) : 0;
	case BURSTS:
		if (d->n % time == 0)
			d->burst = uniform(&d->seed) < 0.05;
		return d->burst ? log(r->size) : 0;
	case STEP:
		return (double)d->n >= d->step_at * r->commands ? log(r->size) : 0;
	default:
		return 0;
	}
}

static struct diff_sample *sample(const struct row *r, struct drive d, u32 commands, double shift)
{
	struct diff_sample *s = diff_sample_new();

	assert_non_null(s);
	for (d.n = 0; d.n < commands; d.n++) {
		double more = r->kind == DISCRETE ? discrete(&d) : 0.3 * normal(&d.seed);

		more += slowness(r, &d);
		diff_sample_add(s, d.n * APART_NS, (u64)(80000 * shift * exp(more)));
	}
	return s;
}

/* Fills in a verdict for each percentile. */
static void judge(const struct row *r, u64 pair, enum diff_verdict *verdicts)
{
	u64 seed = pair * 7919 + (u64)(r - rows) * 104729 + 7;
	struct diff_sample *a = sample(r, drive(r, seed, r->kind == STEP), r->commands, 1);
	struct diff_sample *b = sample(r, drive(r, ~seed, false), r->commands, r->shift);

	for (u32 i = 0; i < ARRAY_SIZE(percentiles); i++) {
		struct diff_point x = diff_point(a, percentiles[i], ALPHA);
		struct diff_point y = diff_point(b, percentiles[i], ALPHA);
		struct diff_change c = diff_change(&x, &y);

		assert_false(x.at < x.low || x.at > x.high);
		verdicts[i] = diff_judge(&c);
	}
	free(a);
	free(b);
}

static u32 pairs(void)
{
	const char *text = env_get("PAIRS");

	return text ? (u32)strtoul(text, NULL, 10) : 20;
}

/* Whether any verdict of a pair claims a change. */
static bool claims(const enum diff_verdict *verdicts)
{
	bool any = false;

	for (u32 i = 0; i < ARRAY_SIZE(percentiles); i++)
		any |= verdicts[i] == DIFF_MORE || verdicts[i] == DIFF_LESS;
	return any;
}

TEST(table)
{
	bool good = true;

	for (const struct row *r = rows; r < rows + ARRAY_SIZE(rows); r++) {
		enum diff_verdict v[ARRAY_SIZE(percentiles)];
		u32 n = 0, unknown = 0;
		bool ok;

		for (u32 pair = 0; pair < pairs(); pair++) {
			judge(r, pair, v);
			n += r->shift > 1 ? v[MEDIAN] == DIFF_MORE && v[TAIL] == DIFF_MORE
					  : claims(v);
			unknown += v[MEDIAN] == DIFF_UNKNOWN;
		}
		ok = r->shift > 1 ? n * 100 >= r->pct * pairs() : n * 100 <= r->pct * pairs();
		print_message("# %-26s %3u of %u, at %s %2u %%; median unknown in %3u%s\n", r->what,
			      n, pairs(), r->shift > 1 ? "least" : "most", r->pct, unknown,
			      ok ? "" : " <- wrong");
		good = good && ok;
	}
	assert_true(good);
}

/* Recordings as long as diff asked for are long enough, most of them. */
TEST(need)
{
	static const struct row r = { "", DRIFT, 5000, 0.1, 0.2, 1, 0 };
	u32 asked = 0, again = 0;

	for (u64 i = 0; i < pairs(); i++) {
		struct diff_sample *s = sample(&r, drive(&r, i, false), r.commands, 1);
		struct diff_point p = diff_point(s, P(50), 0.05);

		free(s);
		if (p.need_ns <= 0)
			continue;
		assert_true(isnan(p.low) && isnan(p.high));
		asked++;
		s = sample(&r, drive(&r, ~i, false), (u32)(p.need_ns / APART_NS), 1);
		p = diff_point(s, P(50), 0.05);
		again += p.need_ns > 0;
		free(s);
	}
	print_message("# %u were too short, and %u of as many that were long enough\n", asked,
		      again);
	assert_true(asked * 2 > pairs());
	assert_true(again * 5 <= asked);
}

/* How long it wanders is told about right: half a wave of a cosine is a third of the recording. */
TEST(wander_time)
{
	struct diff_sample *s = diff_sample_new();
	u64 seed = 1;
	struct diff_point p;
	char text[96];

	for (u64 i = 0; i < 20000; i++) {
		double wave = 0.3 * cos(M_PI * 3 * (double)i / 20000);

		diff_sample_add(s, i * APART_NS, (u64)(80000 * exp(wave + 0.3 * normal(&seed))));
	}
	p = diff_point(s, P(50), 0.05);
	assert_true(p.wander_ns > 0.8 * 2e9 / 3 && p.wander_ns < 1.2 * 2e9 / 3);
	assert_true(p.need_ns == 30 * p.wander_ns);
	assert_string_equal(diff_short_text(text, sizeof(text), DIFF_B,
					    &(struct diff_short){ 651234567, 19500000001 }),
			    "B is too short: it wanders over 0.66 s; record at least 20 s");
	diff_short_text(text, sizeof(text), DIFF_A, &(struct diff_short){ 4812, 1234567890123 });
	assert_string_equal(text,
			    "A is too short: it wanders over 0.0000049 s; record at least 1300 s");
	free(s);
}

/* Slices are joined, not lost; all but the last have as many commands. */
TEST(slices)
{
	struct diff_sample *s = diff_sample_new();

	for (u64 i = 0; i < 5000; i++) {
		u64 sum = 0, of_slice[DIFF_SLICES] = { 0 };
		u32 slices;

		diff_sample_add(s, i, i % 7 * 1000);
		slices = diff_sample_slices(s);
		assert_in_range(slices, s->count > DIFF_SLICES / 2 ? DIFF_SLICES / 2 + 1 : 1,
				DIFF_SLICES);
		if (i % 100)
			continue;
		for (u32 slot = 0; slot < HIST_SLOTS_MAX; slot++)
			for (u32 k = 0; k < DIFF_SLICES; k++)
				of_slice[k] += s->slice[slot][k];
		for (u32 k = 0; k < DIFF_SLICES; k++) {
			assert_int_equal(of_slice[k], diff_sample_in_slice(s, k));
			assert_true(of_slice[k] == s->per_slice || k + 1 >= slices);
			sum += of_slice[k];
		}
		assert_int_equal(sum, s->count);
	}
	free(s);
}

/* The slow waves of independent commands are as strong as chance makes them, on average. */
TEST(variance)
{
	double sum = 0;
	u64 seed = 5;

	for (u32 trial = 0; trial < 200; trial++) {
		struct diff_sample *s = diff_sample_new();
		struct waves w;

		for (u64 i = 0; i < 3000; i++)
			diff_sample_add(s, i, uniform(&seed) < 0.3 ? 1000 : 2000);
		waves_begin(&w, s);
		sum += waves_variance(&w) / waves_chance(&w) / 200;
		while (waves_next(&w))
			;
		assert_true(w.share == 1);
		free(s);
	}
	print_message("# %.3f times as strong\n", sum);
	assert_true(sum > 0.9 && sum < 1.1);
}
