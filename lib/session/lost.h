// SPDX-License-Identifier: GPL-2.0-or-later
/* The causes of loss (lib/event/lost.def) as a table, for text and JSON. */
#ifndef NVT_SESSION_LOST_H
#define NVT_SESSION_LOST_H

#include "lib/event/counters.h"
#include "lib/out/out.h"

/* A person reads "lost: 3 UNITs TEXT". */
struct lost_cause {
	const char *name; /* in JSON and in recordings */
	size_t at; /* offset in struct lost */
	const char *unit, *text;
};

/* Cause @i, from 0 on, of commands or of @hits of probes; NULL past the last. */
const struct lost_cause *lost_cause(bool hits, u32 i);

/* How much was lost by @cause. */
u64 lost_count(const struct lost *lost, const struct lost_cause *cause);

/*
 * Hands out "3 UNITs TEXT" for each cause of which something was lost, or else @none. The first line
 * has @label, others "".
 */
void lost_lines(const struct lost *lost, const char *label, const char *none,
		void (*put)(void *ctx, const char *label, const char *text), void *ctx);

/* True if the kernel does not tell how much that is. */
bool lost_is_unknown(const struct counters *c, const struct lost_cause *cause);

/* Sets that number in @to as it is in @from. */
void lost_take(struct lost *to, const struct lost *from, const struct lost_cause *cause);

/* Writes all of them as members of an open object; null is what the kernel does not tell. */
void lost_put(struct json *j, const struct counters *c, bool hits);

#endif
