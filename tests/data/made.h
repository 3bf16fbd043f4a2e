// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the recordings that the programs here make up have in common: a whole run in which nothing
 * was lost.
 */
#ifndef NVT_MADE_H
#define NVT_MADE_H

#include "lib/record/record.h"

#define START_NS       4000000000ULL
#define WALL_OFFSET_NS 1700000000000000000LL

/*
 * main() of such a program: writes the file that it is told, of @commands that @host saw. @add adds
 * number @i, which all complete. Exit status.
 */
static inline int made_main(int argc, char **argv, const char *host, u32 needs, u32 commands,
			    int (*add)(struct record_writer *w, u32 i))
{
	const struct record_head head = {
		.version = "0.1.0",
		.host = host,
		.kernel = "6.1.0",
		.arch = "x86_64",
		.start_ns = START_NS,
		.wall_offset_ns = WALL_OFFSET_NS,
		.needs = needs,
		.filters = "{}",
		.ctrls = "[]",
	};
	const struct counters total = { .submitted = commands,
					.completed = commands,
					.paired = commands,
					.emitted = commands,
					.events = true,
					.recursion_known = true };
	struct record_writer *w;

	if (argc != 2 || record_create(&w, argv[1]) || record_begin(w, &head))
		return 1;
	for (u32 i = 0; i < commands; i++) {
		if (add(w, i))
			return 1;
	}
	return record_finish(w, &total) || record_close(w) ? 1 : 0;
}

#endif
