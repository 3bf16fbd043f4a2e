// SPDX-License-Identifier: GPL-2.0-or-later
/* Findings: sentences that say what stands out, and the limits of their kinds. */
#ifndef NVT_VIEW_FINDING_H
#define NVT_VIEW_FINDING_H

#include <stdio.h>

#include "lib/event/waits.h"
#include "lib/out/out.h"

struct session;

/* clang-format off */
enum finding_kind {
#define FINDING(id, word, says) FINDING_##id,
#define LIMIT(...)
#include "lib/view/finding.def"
#undef FINDING
#undef LIMIT
	FINDINGS
};

enum finding_limit_id {
#define FINDING(...)
#define LIMIT(finding, id, value, unit, what) LIMIT_##id,
#include "lib/view/finding.def"
#undef FINDING
#undef LIMIT
	FINDING_LIMITS
};
/* clang-format on */

extern const double finding_limit[FINDING_LIMITS];

enum finding_severity { FINDING_HIGH, FINDING_MEDIUM, FINDING_LOW };

#define FINDING_FIGURES 8
struct finding_figure {
	const char *name; /* constant */
	double value;
};

/* What coincides with a finding: a process, or an event. Empty: not known, or of no meaning. */
#define FINDING_WITH 3
struct finding_with {
	char comm[32], dev[32], op[32];
	s64 pid; /* -1: of none, or of several */
	const char *event; /* NULL: none; a constant, as "scheduler" */
	double bytes_per_s, depth;
};

#define FINDING_NAME 320
/* One finding. Begins as zeroes but for the process IDs. */
struct finding {
	enum finding_kind kind;
	enum finding_severity severity;
	bool likely; /* the evidence is just enough: text shows "?" */
	double lost_s; /* how long commands waited in all, in seconds; orders findings */
	double weight; /* orders those of a kind that lost the same */
	u32 side; /* of two recordings */
	s64 pid; /* -1: of none */
	struct finding_with with[FINDING_WITH]; /* what coincides, the first n_with of them */
	u32 n_with;
	u64 from_ns, to_ns; /* wall clock; 0: all the time */
	/* Empty: of none, nothing. Foreign names are as they are. */
	char dev_room[FINDING_NAME], op_room[FINDING_NAME], comm_room[32];
	char text_room[900], command_room[1000];
	const char *dev, *op, *comm, *text, *command; /* finding_settle() sets them to these */
	struct finding_figure figures[FINDING_FIGURES]; /* a NULL name ends them */
};

extern const struct schema finding_schema;

const char *finding_severity_name(enum finding_severity severity);
/* Appends to the sentence. */
__attribute__((format(printf, 2, 3))) void finding_say(struct finding *f, const char *format, ...);
/* Adds a figure for JSON; beyond FINDING_FIGURES it is left out. */
void finding_figure(struct finding *f, const char *name, double value);
/* To be called once the finding is where it stays. */
void finding_settle(struct finding *f);
/* The order of findings: lost first, then by severity, kind and weight. For qsort(). */
int finding_compare(const void *a, const void *b);
/* How long commands waited in the block layer, on average and as a part of their time. True: it stands out. */
struct finding_wait {
	double mean_ns, share;
};
bool finding_waits(const struct waits *w, struct finding_wait *is);
/*
 * For stop() of commands that print rows: where these go to a terminal, a note says what of the run
 * stands out that costs nothing to see, and that `report` has more.
 */
void finding_hint(struct session *s);

/* Prints the kinds and their limits, for `help findings`. */
void finding_help(FILE *f);

#endif
