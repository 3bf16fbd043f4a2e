// SPDX-License-Identifier: GPL-2.0-or-later
/* libbpf's own messages, which are printed with -v. */
#ifndef NVT_LOADER_LOG_H
#define NVT_LOADER_LOG_H

#include "lib/base/types.h"

/* @verbose: 0: nothing is printed, 1: warnings, 2 and above: all messages of libbpf. */
void loader_log_set(u32 verbose);

#endif
