// SPDX-License-Identifier: GPL-2.0-or-later
/* The files that a process has mapped: /proc/PID/maps, see proc(5). */
#ifndef NVT_HOST_MAPPINGS_H
#define NVT_HOST_MAPPINGS_H

#include "lib/base/types.h"

/* A line of it. */
struct maps_line {
	u64 start, end, offset, inode; /* inode 0: no file */
	u32 dev_major, dev_minor;
	bool executable;
	const char *path; /* as the process has it, into the line; " (deleted)" behind it */
};

/*
 * Reads the whole of @proc/@pid/maps at once, with a NUL at its end: the process may end while it
 * is parsed. The caller frees it. NULL: *@err is -errno, -ESRCH where the process has no memory.
 */
char *maps_read(const char *proc, u32 pid, int *err);

/* Parses a line, and ends it at its newline. False: it is none. */
bool maps_parse(char *text, struct maps_line *l);

#endif
