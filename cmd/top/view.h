// SPDX-License-Identifier: GPL-2.0-or-later
/* The views of `top`: which keys of lib/group make its rows. */
#ifndef NVT_TOP_VIEW_H
#define NVT_TOP_VIEW_H

#include "lib/cli/opt.h"
#include "lib/group/group.h"

enum top_view { TOP_PROC, TOP_CGROUP, TOP_DEV, TOP_CTRL, TOP_QUEUE, TOP_VIEWS };

/* Their words, in this order. */
extern const struct opt_word top_view_words[];

/* Its keys, bits 1 << enum key. */
u32 top_view_keys(u32 view);
/* The keys of all views: from rows by these, those of each view can be made. */
u32 top_view_all(void);
/* enum busy_level: what its rows stand for can be busy. BUSY_NONE: a task cannot. */
u32 top_view_busy(u32 view);
/* The part of @key that @view has. */
void top_view_narrow(struct group_key *key, u32 view);
/* The same without the operation: what is busy. */
void top_view_place(struct group_key *key, u32 view);

#endif
