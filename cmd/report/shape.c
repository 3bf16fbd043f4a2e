// SPDX-License-Identifier: GPL-2.0-or-later
/* The shape of the I/O: random or sequential, and sizes. */
#include "cmd/report/page.h"

#include "lib/base/str.h"
#include "lib/base/units.h"

/* Reads and writes by size, of all @n devices. */
static void put_sizes(const struct report_side *side, u32 n)
{
	struct page_bar bars[PATTERN_SIZES], *bar = bars;
	char from[UNITS_TEXT], to[UNITS_TEXT];
	u64 total = 0;

	for (u32 slot = 0; slot < PATTERN_SIZES; slot++) {
		u64 count = 0;

		for (u32 i = 0; i < n; i++)
			count += ((const struct pattern_entry *)group_table_at(side->pattern, i))
					 ->sum.sizes[slot];
		if (!count)
			continue;
		snprintf(bar->name, sizeof(bar->name), "%s to %s",
			 units_size_text(pattern_slot_lo(slot), from),
			 units_size_text(pattern_slot_lo(slot + 1), to));
		bar++->value = count;
		total += count;
	}
	if (!total)
		return;
	html_print(side->o,
		   "<h3>Reads and writes by size in bytes, below the second number</h3>\n");
	page_bars(side->o, "Reads and writes by size", bars, (u32)(bar - bars), total, false);
}

static const void *fill_row(struct report_side *side, const void *of, u32 i, union page_row *room)
{
	(void)of;
	pattern_row_fill(&room->pattern, &side->r->pattern_group, group_table_at(side->pattern, i));
	return &room->pattern;
}

void report_pattern(struct report_side *side)
{
	static const struct page_table table = {
		NULL,
		"dev,rnd_pct,seq_pct,streams,count,kbytes,read_pct,write_pct,avg_kbytes,unaligned_pct",
		"pattern -S -i", fill_row
	};
	u32 n = group_table_sort(side->pattern, group_compare, &side->r->pattern_group);

	if (side->r->lacks & NEED_SQE) {
		html_print(side->o,
			   "<p>The recording does not tell which blocks commands are of.</p>\n");
		return;
	}
	page_table(side, &table, pattern_text_fields, NULL, n, "By device");
	put_sizes(side, n);
}
