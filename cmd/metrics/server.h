// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A small HTTP server for scrapes: GET and HEAD of /metrics, an answer per connection. It never
 * waits: its descriptors are polled by the caller. Nobody can hold it up or make it grow: there are
 * at most SERVER_CONNS connections of SERVER_LIFE_NS each, with heads of REQUEST_HEAD_MAX bytes. If
 * one more comes, it takes the place of the one that has least to lose: that has its answer, or has
 * not yet asked; then the oldest.
 */
#ifndef NVT_METRICS_SERVER_H
#define NVT_METRICS_SERVER_H

#include <poll.h>

#include "cmd/metrics/expo.h"

#define SERVER_CONNS	 8
#define SERVER_LISTENERS 4
#define SERVER_FDS	 (SERVER_CONNS + SERVER_LISTENERS)
#define SERVER_LIFE_NS	 5000000000ULL /* from accepting to the last byte of the answer */

struct server;

/* Writes all metrics to @e, which says in what form. */
typedef void server_render(void *ctx, struct expo *e);

/*
 * Starts to serve on the @n listening sockets @fds, at most SERVER_LISTENERS, which become the
 * server's. NULL: no memory; they stay the caller's.
 */
struct server *server_open(const int *fds, u32 n, server_render *render, void *ctx);
void server_close(struct server *s); /* NULL is allowed */

/* Fills in what to poll for: at most SERVER_FDS descriptors. How many they are. */
u32 server_poll(const struct server *s, struct pollfd *fds);

/* Goes on with all that can go on at @now_ns, CLOCK_MONOTONIC. Called at least twice a second. */
void server_step(struct server *s, u64 now_ns);

#endif
