// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Calls that fail on demand: the linker sends the program's calls of the C library through wrap.c
 * first.
 */
#ifndef NVT_TORTURE_H
#define NVT_TORTURE_H

#include "lib/base/types.h"

struct torture {
	bool armed; /* calls are counted, and may fail */
	bool trace; /* print where the failing one is */
	bool lasting; /* those behind the failing one fail as well */
	u32 calls, fail_at; /* fail_at: from 1, 0 none */
	const char *failed; /* the function that was made to fail first */
};

/* The state of this process. */
extern struct torture torture;

#endif
