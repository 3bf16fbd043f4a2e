// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * usage: model [-k KIND] [-e] [-x] FIRST COUNT DIR
 *
 * Writes COUNT recordings of seeds FIRST, FIRST + 2, ... as DIR/SEED.nvt, and their labels to stdout, a
 * line of JSON each. KIND: all are of this one; else the seed decides, and every other one is
 * healthy. -e: who waits is there for a part of the time. -x: all lasts longer or shorter, and more
 * innocents come. `model -l` lists kinds. With MODEL_DEBUG in the environment it says which scenes it
 * drew again.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/model/scene.h"

#define ATTEMPTS       200 /* scenes that are drawn until one is what its kind promises */
#define COMMANDS_MOST  100000
#define COMMANDS_LEAST 25

static bool in_part, varied; /* -e, -x */

/*
 * The kind of a seed, by weight: sick for every other one. Steps of the golden ratio go through all
 * evenly.
 */
static const struct kind *kind_of(u64 seed)
{
	bool sick = seed / 2 % 2 == 0;
	u64 sum = 0, at = seed / 4;
	double turn = (double)at * 0.6180339887498949;

	for (const struct kind *k = kinds; k->name; k++)
		sum += k->sick == sick ? k->weight : 0;
	at = (u64)((turn - floor(turn)) * (double)sum);
	for (const struct kind *k = kinds;; k++) {
		if (k->sick != sick)
			continue;
		if (at < k->weight)
			return k;
		at -= k->weight;
	}
}

static const struct kind *kind_named(const char *name)
{
	for (const struct kind *k = kinds; k->name; k++)
		if (!strcmp(k->name, name))
			return k;
	fprintf(stderr, "error: %s: no such kind; 'model -l' lists them\n", name);
	exit(2);
}

static bool draw_once(struct scene *s, struct played *p, const struct kind *kind, u64 seed,
		      u32 attempt)
{
	scene_begin(s, kind, seed * 1000003 + attempt);
	kind->draw(s);
	if (in_part)
		shorten_loads(s);
	if (varied)
		vary(s);
	play(p, s, ROLE_LOAD | ROLE_CULPRIT | ROLE_INNOCENT, true);
	return p->n >= COMMANDS_LEAST && p->n <= COMMANDS_MOST;
}

static int make(const struct kind *kind, u64 seed, const char *dir)
{
	struct played p = { 0 };
	struct scene s;
	char file[4096];
	bool found = false;
	int err = -1;

	snprintf(file, sizeof(file), "%s/%" PRIu64 ".nvt", dir, seed);
	for (u32 i = 0; i < ATTEMPTS && !found; i++) {
		found = draw_once(&s, &p, kind, seed, i) && label(&s, &p, seed, file);
		if (!found && getenv("MODEL_DEBUG"))
			fprintf(stderr, "%s %" PRIu64 ": drawn again, %u commands\n", kind->name,
				seed, p.n);
	}
	if (found)
		err = write_recording(&s, &p, file);
	else
		fprintf(stderr,
			"error: %s, seed %" PRIu64 ": none of %d scenes is what it promises\n",
			kind->name, seed, ATTEMPTS);
	played_free(&p);
	return err;
}

static int list(void)
{
	for (const struct kind *k = kinds; k->name; k++)
		printf("%s\n", k->name);
	return 0;
}

int main(int argc, char **argv)
{
	const struct kind *kind = NULL;
	u64 seed;
	u32 count;
	int c;

	while ((c = getopt(argc, argv, "ek:lx")) >= 0) {
		if (c == 'l')
			return list();
		if (c == 'e')
			in_part = true;
		else if (c == 'x')
			varied = true;
		else if (c == 'k')
			kind = kind_named(optarg);
		else
			return 2;
	}
	if (argc - optind != 3) {
		fprintf(stderr, "usage: model [-k KIND] [-e] [-x] FIRST COUNT DIR\n");
		return 2;
	}
	seed = strtoull(argv[optind], NULL, 10);
	count = (u32)strtoul(argv[optind + 1], NULL, 10);
	for (u32 i = 0; i < count; i++, seed += 2)
		if (make(kind ? kind : kind_of(seed), seed, argv[optind + 2]))
			return 1;
	return 0;
}
