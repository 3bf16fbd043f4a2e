// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names the submitters of commands that come while `inflight` looks again and again. The tables of
 * the kernel prove them for some commands only, so programs at the usual hooks note them for all.
 */
#ifndef NVT_CMD_INFLIGHT_SUBMITTERS_H
#define NVT_CMD_INFLIGHT_SUBMITTERS_H

#include "cmd/inflight/snapshot.h"
#include "lib/session/session.h"

struct submitters;

/*
 * Attaches the programs, after loader_btf_open(), which it closes. 0 or EXIT_AS(...) after a
 * message. submitters_close() in any case.
 */
int submitters_open(struct submitters **s, const struct session *session);
/* How they are attached, as loader_method(). */
const char *submitters_method(const struct submitters *s);
/* Bits of enum confine_for: what must be allowed, so that submitters_close() can wait. NULL: none. */
u32 submitters_needs(const struct submitters *s);

/*
 * Fills in the submitters of commands in @snapshot, right after snapshot_take(): of those that were
 * set up since submitters_open(), and still are in flight. Their order may change.
 */
void submitters_fill(struct submitters *s, struct snapshot *snapshot);

void submitters_close(struct submitters *s); /* NULL is allowed */

#endif
