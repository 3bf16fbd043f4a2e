// SPDX-License-Identifier: GPL-2.0-or-later
/* The name of a process: /proc/PID/comm, see proc(5). */
#ifndef NVT_HOST_COMM_H
#define NVT_HOST_COMM_H

#include "lib/base/types.h"

/* Copies the name, or as much of it as @size has room for. False, and "": it cannot be read. */
bool comm_read(u32 pid, char *comm, size_t size);

#endif
