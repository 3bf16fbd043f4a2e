// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads /proc/self, see proc(5). */
#include "cmd/metrics/metrics_process.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/host/sysfs.h"

/* clang-format off */
static const struct family cpu = { "process_cpu_seconds", "seconds", FAMILY_COUNTER,
	"CPU time that nvmetool has used, in user and in kernel mode." };
static const struct family resident = { "process_resident_memory_bytes", "bytes", FAMILY_GAUGE,
	"Memory that nvmetool has resident." };
static const struct family started = { "process_start_time_seconds", "seconds", FAMILY_GAUGE,
	"When nvmetool was started, in seconds since 1970." };
static const struct family fds = { "process_open_fds", NULL, FAMILY_GAUGE,
	"File descriptors that nvmetool has open." };
static const struct family fds_max = { "process_max_fds", NULL, FAMILY_GAUGE,
	"File descriptors that nvmetool may have open." };
/* clang-format on */

/* The number behind @n blanks of @text; 0 if there are not so many. */
static u64 number_behind(const char *text, u32 n)
{
	while (text && n--) {
		text = strchr(text, ' ');
		text = text ? text + 1 : NULL;
	}
	return text ? strtoull(text, NULL, 10) : 0;
}

static u64 resident_bytes(void)
{
	char line[128];

	sysfs_line("/proc/self", "statm", line, sizeof(line));
	return number_behind(line, 1) * (u64)sysconf(_SC_PAGESIZE);
}

/* The start in nanoseconds since 1970. A name may hold blanks and parentheses: the last one ends it. */
static u64 start_wall_ns(void)
{
	const char *rest;
	char line[1024];
	u64 ticks;

	sysfs_line("/proc/self", "stat", line, sizeof(line));
	rest = strrchr(line, ')');
	if (!rest)
		return 0;
	ticks = number_behind(rest, 20);
	return clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_BOOTTIME) +
	       ticks * (NSEC_PER_SEC / (u64)sysconf(_SC_CLK_TCK));
}

/* How many descriptors are open, without the one that reads this; 0: not told. */
static u64 open_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	const struct dirent *entry;
	u64 n = 0;

	if (!dir)
		return 0;
	while ((entry = readdir(dir)))
		n += entry->d_name[0] != '.';
	closedir(dir);
	return n - 1;
}

void metrics_process_open(struct metrics_process *p)
{
	struct rlimit limit;

	p->start_wall_ns = start_wall_ns();
	p->fds_max = getrlimit(RLIMIT_NOFILE, &limit) ? 0 : limit.rlim_cur;
}

static void put_number(struct expo *e, const struct family *f, u64 value)
{
	if (!value)
		return;
	expo_family(e, f);
	expo_number(e, f, "", value);
}

void metrics_process_put(const struct metrics_process *p, struct expo *e)
{
	expo_family(e, &cpu);
	expo_seconds(e, &cpu, "", clock_ns(CLOCK_PROCESS_CPUTIME_ID));
	put_number(e, &resident, resident_bytes());
	if (p->start_wall_ns) {
		expo_family(e, &started);
		expo_seconds(e, &started, "", p->start_wall_ns);
	}
	put_number(e, &fds, open_fds());
	put_number(e, &fds_max, p->fds_max);
}
