// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Functions that a process compiled at run time, as JVMs, Node.js and .NET name them for perf: in
 * /tmp/perf-PID.map, a line "START SIZE NAME" each, both numbers in hex (Linux,
 * tools/perf/Documentation/jit-interface.txt).
 */
#ifndef NVT_SYMBOLS_PERFMAP_H
#define NVT_SYMBOLS_PERFMAP_H

#include "lib/symbols/symtab.h"

struct mounts;

/* Zero-initialise; perfmap_free(). */
struct perfmap {
	struct symtab table;
	char name[32]; /* "perf-123.map", by the PID in the process' own namespace */
	u64 changed_ns; /* of the file; 0: none was read */
	u64 again_ns; /* when it may be read again */
};

/*
 * Names @addr of process @pid, and reads the file (again) where it is not known. The file lies in
 * /tmp of the process' own mount namespace, belongs to root, to the user of the process or to ours,
 * has at most 256 MiB, and is on a file system of the kernel's that @mounts has. Where functions
 * overlap, the last line is right, since memory is used again. False: no name.
 */
bool perfmap_find(struct perfmap *m, const char *proc, u32 pid, struct mounts *mounts, u64 addr,
		  struct sym *sym);

void perfmap_free(struct perfmap *m);

#endif
