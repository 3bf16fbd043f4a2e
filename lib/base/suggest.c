// SPDX-License-Identifier: GPL-2.0-or-later
/* Edit distance with neighbours swapped (optimal string alignment). */
#include "lib/base/suggest.h"

#include "lib/base/str.h"

#define WORD_MAX 40

static u32 min3(u32 a, u32 b, u32 c)
{
	u32 m = a < b ? a : b;
	return m < c ? m : c;
}

/* Both words have at most WORD_MAX letters: the table is on the stack. */
static u32 distance(const char *a, size_t alen, const char *b, size_t blen)
{
	u32 row[WORD_MAX + 1][WORD_MAX + 1];

	for (u32 i = 0; i <= alen; i++) {
		row[i][0] = i;
		for (u32 j = 1; j <= blen; j++) {
			if (!i) {
				row[i][j] = j;
				continue;
			}
			row[i][j] = min3(row[i - 1][j] + 1, row[i][j - 1] + 1,
					 row[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[i][j] = min3(row[i][j], row[i - 2][j - 2] + 1, UINT32_MAX);
		}
	}
	return row[alen][blen];
}

void suggest_offer(struct suggestion *n, const char *candidate)
{
	char typed[WORD_MAX];
	size_t len = n->len ? n->len : strlen(n->typed), candidate_len = strlen(candidate);

	if (!len || len > WORD_MAX || candidate_len > WORD_MAX)
		return;
	for (size_t i = 0; i < len; i++)
		typed[i] = (char)(n->typed[i] == '_' ? '-' : n->typed[i]);
	u32 d;
	if (len >= 3 && len < candidate_len && !memcmp(typed, candidate, len))
		d = 0;
	else
		d = distance(typed, len, candidate, candidate_len);
	u32 limit = len < 2 ? 0 : len < 6 ? 1 : (u32)len / 3;
	if (d > limit || (n->best && d >= n->distance))
		return;
	n->best = candidate;
	n->distance = d;
}
