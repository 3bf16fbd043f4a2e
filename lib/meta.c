// SPDX-License-Identifier: GPL-2.0-or-later
/* The members of "meta" that every command has. */
#include "lib/meta.h"

#include <sys/utsname.h>
#include <time.h>

#include "lib/units.h"

static u64 clock_ns(clockid_t clock)
{
	struct timespec now = { 0 };

	clock_gettime(clock, &now);
	return (u64)now.tv_sec * NSEC_PER_SEC + (u64)now.tv_nsec;
}

void meta_fill(struct json *j, const struct invocation *inv)
{
	struct utsname system = { 0 };
	char ts[48];

	uname(&system);
	out_rfc3339(clock_ns(CLOCK_REALTIME), true, ts, sizeof(ts));
	json_str(j, "schema", META_SCHEMA);
	json_str(j, "version", NVT_VERSION);
	json_str(j, "command", inv->cmd->name);
	json_array(j, "argv");
	for (int i = 0; i < inv->argc; i++)
		json_str(j, NULL, inv->argv[i]);
	json_end(j);
	json_str(j, "host", system.nodename);
	json_str(j, "kernel", system.release);
	json_str(j, "arch", system.machine);
	json_str(j, "ts", ts);
	json_u64(j, "mono_ns", clock_ns(CLOCK_MONOTONIC));
}
