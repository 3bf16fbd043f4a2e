// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Shared by the recordings that the programs here make up: a whole run in which nothing was lost.
 */
#ifndef NVT_MADE_H
#define NVT_MADE_H

#include "lib/record/record.h"

#define START_NS       4000000000ULL
#define WALL_OFFSET_NS 1700000000000000000LL

/* A run: what @host saw. */
struct made {
	const char *host;
	u32 needs;
	u32 events, commands; /* of these events; all of them complete */
	int (*add)(struct record_writer *w, u32 i); /* adds event @i */
};

/* main() of such a program: writes the file that it is told. Exit status. */
static inline int made_run(int argc, char **argv, const struct made *m)
{
	const struct record_head head = {
		.version = "0.1.0",
		.host = m->host,
		.kernel = "6.1.0",
		.arch = "x86_64",
		.start_ns = START_NS,
		.wall_offset_ns = WALL_OFFSET_NS,
		.needs = m->needs,
		.filters = "{}",
		.ctrls = "[]",
	};
	const struct counters total = { .submitted = m->commands,
					.completed = m->commands,
					.paired = m->commands,
					.emitted = m->commands,
					.events = true,
					.recursion_known = true };
	struct record_writer *w;

	if (argc != 2 || record_create(&w, argv[1]) || record_begin(w, &head))
		return 1;
	for (u32 i = 0; i < m->events; i++) {
		if (m->add(w, i))
			return 1;
	}
	return record_finish(w, &total) || record_close(w) ? 1 : 0;
}

/* The same of events that all are commands. */
static inline int made_main(int argc, char **argv, const char *host, u32 needs, u32 commands,
			    int (*add)(struct record_writer *w, u32 i))
{
	const struct made made = { host, needs, commands, commands, add };

	return made_run(argc, argv, &made);
}

#endif
