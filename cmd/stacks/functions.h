// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of kernel functions as --probe takes them. */
#ifndef NVT_STACKS_FUNCTIONS_H
#define NVT_STACKS_FUNCTIONS_H

#include "bpf/shared/stacks.h"
#include "lib/cli/opt.h"
#include "lib/session/session.h"

#define STACKS_FUNCTION_NAME 128

struct stacks_functions {
	char name[STACKS_PROBES][STACKS_FUNCTION_NAME];
	const char *list[STACKS_PROBES]; /* the names, for struct session_request */
	u32 n;
};

/* Parses the comma lists of @words. 0 or a usage error. */
int stacks_functions_parse(struct stacks_functions *f, const struct opt_list *words);

#endif
