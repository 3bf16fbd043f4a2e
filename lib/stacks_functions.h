// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of kernel functions as --probe takes them. */
#ifndef NVT_STACKS_FUNCTIONS_H
#define NVT_STACKS_FUNCTIONS_H

#include "lib/opt.h"
#include "lib/session.h"

#define STACKS_FUNCTION_NAME 128

struct stacks_functions {
	char name[SESSION_PROBES][STACKS_FUNCTION_NAME];
	const char *list[SESSION_PROBES]; /* of the names, for session_probe() */
	u32 n;
};

/* Takes the comma lists of @words. 0 or a usage error. */
int stacks_functions_parse(struct stacks_functions *f, const struct opt_list *words);

#endif
