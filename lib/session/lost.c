// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of causes of loss. */
#include "lib/session/lost.h"

#include "lib/base/str.h"

static const struct lost_cause causes[] = {
#define LOST(name, stat, unit, text) { #name, offsetof(struct lost, name), unit, text },
#include "lib/event/lost.def"
#undef LOST
};

static const struct lost_cause causes_of_hits[] = {
#define LOST(...)
#define HIT(name, unit, text) { #name, offsetof(struct lost, name), unit, text },
#include "lib/event/lost.def"
#undef LOST
};

const struct lost_cause *lost_cause(bool hits, u32 i)
{
	if (hits)
		return i < ARRAY_SIZE(causes_of_hits) ? &causes_of_hits[i] : NULL;
	return i < ARRAY_SIZE(causes) ? &causes[i] : NULL;
}

u64 lost_count(const struct lost *lost, const struct lost_cause *cause)
{
	return *(const u64 *)((const char *)lost + cause->at);
}

void lost_lines(const struct lost *lost, const char *label, const char *none,
		void (*put)(void *ctx, const char *label, const char *text), void *ctx)
{
	char text[256];

	for (u32 i = 0; i < ARRAY_SIZE(causes); i++) {
		u64 n = lost_count(lost, &causes[i]);

		if (!n)
			continue;
		snprintf(text, sizeof(text), "%llu %s%s%s", (unsigned long long)n, causes[i].unit,
			 plural(n), causes[i].text);
		put(ctx, label, text);
		label = "";
	}
	if (*label)
		put(ctx, label, none);
}

bool lost_is_unknown(const struct counters *c, const struct lost_cause *cause)
{
	return cause->at == offsetof(struct lost, recursion) && !c->recursion_known;
}

void lost_take(struct lost *to, const struct lost *from, const struct lost_cause *cause)
{
	*(u64 *)((char *)to + cause->at) = lost_count(from, cause);
}

void lost_put(struct json *j, const struct counters *c, bool hits)
{
	const struct lost_cause *cause;

	for (u32 i = 0; (cause = lost_cause(hits, i)); i++) {
		if (lost_is_unknown(c, cause))
			json_null(j, cause->name);
		else
			json_u64(j, cause->name, lost_count(&c->lost, cause));
	}
}
