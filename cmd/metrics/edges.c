// SPDX-License-Identifier: GPL-2.0-or-later
/* Turns our buckets into those of an exported histogram. */
#include "cmd/metrics/edges.h"

#include "lib/base/fmt.h"
#include "lib/base/str.h"
#include "lib/base/units.h"

#define NS_DIGITS 9 /* decimals of a second */
#define FIXED_MIN 100000 /* nanoseconds from which on Go writes no exponent */

/* Go's shortest form of a number has as many digits as it takes, and an exponent if it is small. */
const char *edges_text(u32 i, char buf[EDGES_TEXT])
{
	char digits[FMT_U64_MAX] = "", *to = buf;
	u64 ns = edges_ns(i);
	u32 n = fmt_digits(ns);

	if (ns < FIXED_MIN) {
		fmt_padded(digits, ns, n);
		*to++ = digits[0];
		*to++ = '.';
		memcpy(to, digits + 1, n - 1);
		to += n - 1;
	} else {
		to = fmt_fixed(to, ns, NSEC_PER_SEC, NS_DIGITS);
	}
	while (to[-1] == '0')
		to--;
	if (ns < FIXED_MIN) {
		memcpy(to, "e-0", 3);
		to = fmt_u64(to + 3, NS_DIGITS + 1 - n);
	}
	*to = '\0';
	return buf;
}

void edges_count(const struct hist_cfg *cfg, const u64 *buckets, u64 counts[EDGES + 1])
{
	u32 edge = 0;

	memset(counts, 0, (EDGES + 1) * sizeof(*counts));
	for (u32 slot = 0; slot < cfg->slots; slot++) {
		while (edge < EDGES && edges_ns(edge) <= hist_lo(cfg, slot))
			edge++;
		counts[edge] += buckets[slot];
	}
	for (edge = 1; edge <= EDGES; edge++)
		counts[edge] += counts[edge - 1];
}
