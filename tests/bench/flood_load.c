// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * flood_load COUNT [RATE [EACH]]: makes flood.bpf.c send COUNT events, RATE per second (0: as fast
 * as it can), EACH with one call. Prints `COUNT NS USER_NS`: how long that took, and how much of it
 * was its own time in user space.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/units.h"
#include "tests/bench/flood.h"

#define STEP_NS NSEC_PER_MSEC /* the rate holds over each of these steps */

int main(int argc, char **argv)
{
	u64 count = 0, rate = 0, each = 1, sent = 0, began_ns, now_ns;
	struct rusage used;

	if (argc < 2 || units_count(argv[1], &count) || (argc > 2 && units_count(argv[2], &rate)) ||
	    (argc > 3 && units_count(argv[3], &each)) || !each || each > FLOOD_EVENTS)
		return 2;
	began_ns = now_ns = clock_ns(CLOCK_MONOTONIC);
	while (sent < count) {
		u64 due = rate ? (now_ns - began_ns + STEP_NS) * rate / NSEC_PER_SEC : count;

		for (; sent < count && sent < due; sent += each)
			syscall((long)(FLOOD_CALL + each));
		do
			now_ns = clock_ns(CLOCK_MONOTONIC);
		while (rate && sent < count && (now_ns - began_ns) * rate / NSEC_PER_SEC < due);
	}
	getrusage(RUSAGE_SELF, &used);
	fprintf(stderr, "%llu %llu %llu\n", (unsigned long long)sent,
		(unsigned long long)(now_ns - began_ns),
		(unsigned long long)used.ru_utime.tv_sec * NSEC_PER_SEC +
			(unsigned long long)used.ru_utime.tv_usec * NSEC_PER_USEC);
	return 0;
}
