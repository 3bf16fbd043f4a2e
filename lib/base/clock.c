// SPDX-License-Identifier: GPL-2.0-or-later
/* Clocks of the host, in a time namespace, too. */
#include "lib/base/clock.h"

#include <errno.h>
#include <unistd.h>

#include "lib/base/str.h"

/* Set by clock_open(). It is global because the namespace is: both belong to the process. */
static u64 namespace_ahead_ns;

u64 clock_ns(clockid_t clock)
{
	struct timespec t;
	u64 ns;

	if (clock_gettime(clock, &t))
		return 0;
	ns = clock_from(t);
	return clock == CLOCK_MONOTONIC ? ns - namespace_ahead_ns : ns;
}

/* True when a process of @proc is in the namespace that its children will have. */
static bool same_for_children(const char *proc)
{
	char path[64], own[64] = "", theirs[64] = "";

	snprintf(path, sizeof(path), "%s/ns/time", proc);
	if (readlink(path, own, sizeof(own) - 1) < 0)
		return true;
	snprintf(path, sizeof(path), "%s/ns/time_for_children", proc);
	return readlink(path, theirs, sizeof(theirs) - 1) < 0 || streq(own, theirs);
}

#define CLOCK "monotonic "

/* "1000000  500": seconds, negative ones too, and nanoseconds. */
static u64 read_offset(const char *text)
{
	char *end;
	u64 s = (u64)strtoll(text, &end, 10);

	return s * NSEC_PER_SEC + strtoull(end, NULL, 10);
}

int clock_open(const char *proc)
{
	char path[64], line[128];
	FILE *f;

	proc = proc ? proc : "/proc/self";
	snprintf(path, sizeof(path), "%s/timens_offsets", proc);
	f = fopen(path, "re");
	if (!f)
		return errno == ENOENT ? 0 : -errno;
	while (same_for_children(proc) && fgets(line, sizeof(line), f)) {
		if (has_prefix(line, CLOCK))
			namespace_ahead_ns = read_offset(line + strlen(CLOCK));
	}
	fclose(f);
	return 0;
}
