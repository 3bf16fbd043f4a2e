// SPDX-License-Identifier: GPL-2.0-or-later
/* libbpf's own messages: printed when somebody asks for them with -v. */
#ifndef NVT_LIVE_LOG_H
#define NVT_LIVE_LOG_H

#include "lib/types.h"

/* @verbose: 0 nothing is printed, 1 warnings, 2 and above all that libbpf says. */
void live_log_set(u32 verbose);

#endif
