// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The program of `inflight`, which is never attached: each call runs it in this task, and it leaves
 * the requests of a piece of a tag table in memory that is shared with it.
 */
#ifndef NVT_LOADER_WALKER_H
#define NVT_LOADER_WALKER_H

#include "bpf/shared/inflight.h"
#include "lib/btf/features.h"
#include "lib/host/probe.h"

struct walker;

/*
 * Loads the program, after loader_btf_open(). @verbose: as loader_log_set(). 0 or EXIT_AS(...)
 * after a message. walker_close() in any case.
 */
int walker_open(struct walker **w, const struct kernel_features *btf, const struct probe *probe,
		u32 verbose);

/* True when the kernel hides the addresses of its functions: fewer submitters can be proven. */
bool walker_blind(const struct walker *w);

/* A map, for confine(); -1 with @w NULL. */
int walker_map_fd(const struct walker *w);

/*
 * Looks at INFLIGHT_TAGS tags from @tag on, of hardware queue @hctx of the device whose directory
 * in sysfs @fd is: a controller, whose admin queue it is, or a disk. The result is valid until the
 * next call. NULL with errno: the kernel did not run the program.
 */
const struct inflight_chunk *walker_look(struct walker *w, int fd, bool ctrl, u32 hctx, u32 tag);

void walker_close(struct walker *w); /* NULL is allowed */

#endif
