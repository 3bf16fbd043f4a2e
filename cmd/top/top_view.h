// SPDX-License-Identifier: GPL-2.0-or-later
/* The views of `top`: names for sets of keys, as --by takes them. */
#ifndef NVT_TOP_TOP_VIEW_H
#define NVT_TOP_TOP_VIEW_H

#include "lib/cli/opt.h"
#include "lib/group/group.h"

/* The words of --view; the value of each is its set of keys, bits 1 << enum key. */
extern const struct opt_word top_view_words[];
/* The words of --by. */
extern const struct opt_word top_by_words[];

/* The name of the view with these keys, else their words in @buf. */
const char *top_view_name(u32 by, char *buf, size_t size);
/* The keys of all views that cost no more than others, and @by: those of each are made of them. */
u32 top_view_all(u32 by);
/* The view after @by of those that can be made of @all; @own is one beside them, or ~0. */
u32 top_view_next(u32 by, u32 own, u32 all);
/* enum busy_level: what rows by these keys stand for can be busy. BUSY_NONE: a task cannot. */
u32 top_view_busy(u32 by);
/* Whether a command gets one of these keys when it completes, so that one in flight has no row. */
bool top_view_late(u32 by);

/* The keys without the operation: what is busy. */
static inline u32 top_view_place(u32 by)
{
	return by & ~(1U << KEY_OPCODE);
}

#endif
