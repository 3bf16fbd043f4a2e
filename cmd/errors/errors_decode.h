// SPDX-License-Identifier: GPL-2.0-or-later
/* errors --decode: what status values mean, without a kernel. */
#ifndef NVT_ERRORS_ERRORS_DECODE_H
#define NVT_ERRORS_ERRORS_DECODE_H

#include "lib/cli/cmd.h"

extern const struct schema errors_decode_schema;

/* Prints a row for each meaning of each of @n @words. 0, a usage error, or as out_open(). */
int errors_decode(const struct invocation *inv, const char *const *words, u32 n);

#endif
