// SPDX-License-Identifier: GPL-2.0-or-later
/* The tables of -S, -K and -A in text. */
#include "cmd/pattern/pattern_text.h"
#include "lib/base/fmt.h"
#include "lib/base/str.h"
#include "lib/base/units.h"

static void draw_range(struct out *o, u32 slot, bool open, u64 count, u64 all, u64 seen)
{
	char lo[UNITS_TEXT], hi[UNITS_TEXT] = "", range[2 * UNITS_TEXT + 4];
	char share[FMT_NUMBER], sum[FMT_NUMBER];

	units_size_text(pattern_slot_lo(slot), lo);
	if (!open)
		units_size_text(pattern_slot_lo(slot + 1), hi);
	snprintf(range, sizeof(range), "%s - %s", lo, hi);
	out_text(o, "%-21s %10llu %5s %5s", range, (unsigned long long)count,
		 fmt_number(share, (double)count * 100 / (double)all, 1),
		 fmt_number(sum, (double)seen * 100 / (double)all, 1));
}

/* Prints the slots from the first to the last that is not empty. */
static void draw_slots(struct out *o, const char *title, const u64 *slots, u32 n, u32 columns)
{
	u64 all = 0, most = 1, seen = 0;
	u32 first = n, end = 0;

	for (u32 i = 0; i < n; i++) {
		if (!slots[i])
			continue;
		first = i < first ? i : first;
		end = i + 1;
		all += slots[i];
		most = slots[i] > most ? slots[i] : most;
	}
	if (!all)
		return;
	out_text(o, "%-21s %10s %5s %5s distribution\n", title, "COUNT", "%", "CUM%");
	for (u32 i = first; i < end; i++) {
		seen += slots[i];
		draw_range(o, i, i + 1 == n, slots[i], all, seen);
		hist_draw_bar(o, columns, slots[i], most);
		out_text(o, "\n");
	}
}

static void draw_limits(struct out *o, const struct pattern_sum *sum)
{
	char bytes[UNITS_TEXT], share[FMT_NUMBER];
	bool heading = false;

	for (u32 i = 0; i < PATTERN_LIMITS; i++) {
		const struct pattern_aligned *a = &sum->limits[i];

		if (!a->checked)
			continue;
		if (!heading)
			out_text(o, "%-10s %10s %10s %10s %5s\n", "LIMIT", "BYTES", "CHECKED",
				 "OFF", "%");
		heading = true;
		if (a->bytes == ~0ULL)
			snprintf(bytes, sizeof(bytes), "-");
		else
			units_size_text(a->bytes, bytes);
		out_text(o, "%-10s %10s %10llu %10llu %5s\n", pattern_limit_name(i), bytes,
			 (unsigned long long)a->checked, (unsigned long long)a->off,
			 fmt_number(share, (double)a->off * 100 / (double)a->checked, 1));
	}
}

void pattern_draw(struct out *o, const struct pattern_sum *sum, u32 tables, u32 columns)
{
	if (tables & PATTERN_SHOW_SIZES)
		draw_slots(o, "SIZE(bytes)", sum->sizes, PATTERN_SIZES, columns);
	if (tables & PATTERN_SHOW_SEEKS)
		draw_slots(o, "SEEK(bytes)", sum->seeks, PATTERN_SEEKS, columns);
	if (tables & PATTERN_SHOW_ALIGN) {
		draw_slots(o, "ALIGNMENT(bytes)", sum->aligns, PATTERN_ALIGNS, columns);
		draw_limits(o, sum);
	}
	if (tables)
		out_text(o, "\n");
}
