// SPDX-License-Identifier: GPL-2.0-or-later
/* The shape of the I/O: random or sequential, and sizes. */
#include "cmd/report/page.h"

#include "lib/base/str.h"
#include "lib/base/units.h"

#define COLUMNS                                                                                    \
	"dev,rnd_pct,seq_pct,streams,count,kbytes,read_pct,write_pct,avg_kbytes,unaligned_pct"

/* Reads and writes by size, of all devices. */
static void put_sizes(const struct report *r, struct group_table *table, u32 n)
{
	u64 sizes[PATTERN_SIZES] = { 0 }, total = 0, most = 0, lo;
	char from[UNITS_TEXT], to[UNITS_TEXT], name[2 * UNITS_TEXT + 8], count[PAGE_COUNT];

	for (u32 i = 0; i < n; i++) {
		const struct pattern_entry *entry = group_table_at(table, i);

		for (u32 slot = 0; slot < PATTERN_SIZES; slot++)
			sizes[slot] += entry->sum.sizes[slot];
	}
	for (u32 slot = 0; slot < PATTERN_SIZES; slot++) {
		total += sizes[slot];
		most = sizes[slot] > most ? sizes[slot] : most;
	}
	if (!total)
		return;
	out_text(r->o, "<h3>Reads and writes by size in bytes, below the second number</h3>\n");
	page_bars_begin(r->o, "Reads and writes by size");
	for (u32 slot = 0; slot < PATTERN_SIZES; slot++) {
		lo = pattern_slot_lo(slot);
		snprintf(name, sizeof(name), "%s to %s", units_size_text(lo, from),
			 units_size_text(pattern_slot_lo(slot + 1), to));
		if (sizes[slot])
			page_bar(r->o, name, page_count(sizes[slot], count), sizes[slot], most,
				 total);
	}
	page_bars_end(r->o);
}

static void put_side(struct report *r, u32 i)
{
	struct group_table *table = r->side[i].pattern;
	u32 n = group_table_sort(table, group_compare, &r->pattern_group);
	struct pattern_row row;
	struct html_table t;

	page_side(r, i);
	if (r->lacks & NEED_SQE) {
		out_text(r->o,
			 "<p>The recording does not tell which blocks commands are of.</p>\n");
		return;
	}
	html_table_begin(&t, r->o, "By device", pattern_text_fields, COLUMNS);
	for (u32 at = 0; at < n; at++) {
		pattern_row_fill(&row, &r->pattern_group, group_table_at(table, at));
		html_table_row(&t, &row);
	}
	html_table_end(&t);
	page_same(r, i, "pattern -S");
	put_sizes(r, table, n);
}

void report_pattern(struct report *r)
{
	page_section(r->o, "pattern", "Pattern and sizes",
		     "Look for small random or unaligned writes, which cost a drive the most, and "
		     "for reads that could be larger. Two interleaved streams count as "
		     "sequential.");
	for (u32 i = 0; i < r->sides; i++)
		put_side(r, i);
	page_section_end(r->o);
}
