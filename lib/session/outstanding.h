// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --max-inflight in a replay: how many commands of its controller each I/O command finds outstanding.
 * A recording has a command when that completes, so what was in flight at its end counts nowhere.
 */
#ifndef NVT_SESSION_OUTSTANDING_H
#define NVT_SESSION_OUTSTANDING_H

#include "lib/base/types.h"

struct outstanding;
struct view;

/* Takes commands that find at most @max others. NULL: there is no memory. */
struct outstanding *outstanding_open(u32 max);
void outstanding_close(struct outstanding *o); /* NULL is allowed */

/*
 * Counts an EVENT_SUBMIT or EVENT_IO; they come in time order. 1 for a completed command that is
 * taken, else 0, or -ENOMEM. Admin commands neither count nor are left out.
 */
int outstanding_takes(struct outstanding *o, const struct view *v);

/* Says on stderr which commands were not counted: @inflight were in flight at the end. */
void outstanding_tell(const struct outstanding *o, u64 inflight);

#endif
