// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What coincides with an episode: who on the controller, on whatever namespace, was there when
 * commands waited and was not when they did not.
 *
 * One is named only if all of this holds:
 *  - its commands outstanding go with the episode: as it lies in time they do so more than if its
 *    line of time were shifted in a circle, by each of COINCIDE_SLICES steps;
 *  - it sends more just behind each edge of the episode than just before, as far as that is known,
 *    and by number or bytes, not only because its own commands take longer;
 *  - it sends more a second during the episode than else, by number or bytes;
 *  - it matters: a fifth of the time outstanding, or of the bytes, on the controller meanwhile; of
 *    flushes, discards and admin commands, that one was there for half of the time.
 *
 * Admin commands are few, so their line of time tells little. Instead, they were sent when the parts
 * of the episode began, so often that chance does not explain it.
 */
#ifndef NVT_REPORT_COINCIDE_H
#define NVT_REPORT_COINCIDE_H

#include "cmd/report/find_log.h"

#define COINCIDE_SLICES 256
#define COINCIDE_MOST	3

/* A part of an episode. */
struct coincide_span {
	double from_ns, to_ns;
	double unsure[2]; /* how far its edges may be off; below 0: it has no edge there */
	double first_ns; /* the same of the submission of the first command that waited */
};

struct coincide_what {
	u32 sender; /* in the log */
	u32 kind; /* of most of its time: namespace, opcode, size */
	bool admin; /* admin commands of this kind, of whatever sender */
	double depth, bytes_per_s, bytes; /* outstanding, on average; bytes of each command */
	double share; /* of all that is outstanding */
};

struct coincide {
	u32 n;
	struct coincide_what is[COINCIDE_MOST]; /* the largest share first */
	double all; /* commands outstanding on the controller during the episode, on average */
	bool unclear; /* somebody sent more and mattered meanwhile, though not surely from its begin on */
};

/* An episode of a controller, and the time in which it is looked for. */
struct coincide_ask {
	const struct log *log;
	u32 ctrl;
	/* By sender, whose commands waited: 1: he is named only if he came with the episode; 2: not. */
	const u8 *victims;
	const struct coincide_span *span;
	u32 n; /* spans */
	const double *line; /* of one that grows: how much they waited in each slice; else NULL */
	u64 start_ns, end_ns; /* what is looked at: while commands were sent that may wait */
};

/* 0 or -ENOMEM. */
int coincide_find(struct coincide *to, const struct coincide_ask *ask);

#endif
