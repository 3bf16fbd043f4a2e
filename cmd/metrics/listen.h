// SPDX-License-Identifier: GPL-2.0-or-later
/* Sockets to serve on: --listen ADDR:PORT, unix:PATH, or fd for those that systemd opened. */
#ifndef NVT_METRICS_LISTEN_H
#define NVT_METRICS_LISTEN_H

#include "lib/base/types.h"

/*
 * Opens what @where names, and tells the address on stderr. Sets @fds, at most @max, and returns how
 * many they are, non-blocking; or a usage error, or EXIT_AS(...)/-errno, after a message.
 *
 * ADDR is a number, an IPv6 one in brackets; port 0 is one that is free. A unix socket that nobody
 * listens to any more is replaced, any other file is not.
 */
int listen_open(const char *where, int *fds, u32 max);

#endif
