// SPDX-License-Identifier: GPL-2.0-or-later
/* The system calls that a confined process may make: those of lib/host/confine.def. */
#ifndef NVT_HOST_CALLS_H
#define NVT_HOST_CALLS_H

#include "lib/base/types.h"

/*
 * From now on this process may make only the calls that @what (bits of enum confine_for) needs; any
 * other one gets @otherwise (SECCOMP_RET_*). Wants no_new_privs. 0, also on kernels without seccomp
 * filters, or -errno. Guests link it with another @otherwise: tests/vm/strict.c.
 */
int calls_filter(u32 what, u32 otherwise);

#endif
