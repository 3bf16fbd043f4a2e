// SPDX-License-Identifier: GPL-2.0-or-later
/* --fail-if: any text, parsed and asked about a few rows. */
#include <stdlib.h>

#include "lib/base/str.h"
#include "lib/cli/expr.h"
#include "tests/fuzz/feed.h"

static u64 percentile(const void *ctx, u32 millionths)
{
	(void)ctx;
	if (millionths > 100000000)
		__builtin_trap(); /* more than all */
	return millionths * 10ULL;
}

static void change(const void *ctx, u32 millionths, double *low, double *high)
{
	(void)ctx;
	*low = millionths / 1e6 - 50;
	*high = __builtin_nan("");
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static const struct expr_row rows[] = {
		{ 0 },
		{ .op = "read",
		  .count = 1000,
		  .errors = 1,
		  .bytes = ~0ULL,
		  .min_ns = 1,
		  .max_ns = ~0ULL,
		  .duration_ns = 1,
		  .avg_ns = 1e300,
		  .percentile = percentile },
		{ .op = "write", .count = ~0ULL, .lost = ~0ULL, .percentile = percentile },
	};
	static const struct expr_row changed = { .op = "read", .count = 2, .change = change };
	struct expr e = { 0 };
	char *text = strndup((const char *)data, size);

	if (!text)
		abort();
	if (size && !expr_parse(&e, text, data[0] % (EXPR_INFLIGHT + 1))) {
		for (u32 i = 0; e.rows != EXPR_CHANGES && i < ARRAY_SIZE(rows); i++)
			expr_check(&e, &rows[i]);
		if (e.rows == EXPR_CHANGES)
			expr_check(&e, &changed);
		expr_names_op(&e);
		for (u32 i = 0; i < e.n_conditions; i++)
			if (e.conditions[i].text + e.conditions[i].text_len > text + size)
				__builtin_trap();
	}
	free(text);
	return 0;
}
