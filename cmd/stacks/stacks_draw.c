// SPDX-License-Identifier: GPL-2.0-or-later
/* Stacks as text. */
#include "cmd/stacks/stacks_draw.h"
#include "lib/base/fmt.h"
#include "lib/base/str.h"

static void draw_key(struct out *o, const struct stacks_view *view, const struct stacks_row *row)
{
	struct group_word w = { 0 };

	out_text(o, "stack:");
	while (group_word_next(&w, &view->group, &row->keys)) {
		out_text(o, " %s=", w.label);
		out_text_safe(o, w.value);
	}
	out_text(o, "%s%s\n", row->worker ? " [worker]" : "", row->lost ? " [lost]" : "");
}

static void draw_frames(struct out *o, const char *text)
{
	char frame[STACKS_FRAME];

	while (text && str_word(&text, ';', frame, sizeof(frame))) {
		out_text(o, "    ");
		out_text_safe(o, frame);
		out_text(o, "\n");
	}
}

static void draw_figures(struct out *o, const struct stacks_view *view,
			 const struct stacks_row *row)
{
	char text[64], share[FMT_NUMBER];

	out_text(o, "count %llu", (unsigned long long)row->count);
	if (!view->functions) {
		if (row->errors != UNKNOWN64)
			out_text(o, ", errors %llu", (unsigned long long)row->errors);
		out_text(o, ", bytes %llu, total(%s) %s", (unsigned long long)row->bytes,
			 hist_unit(o), hist_text(o, row->lat_ns, false, text));
		out_text(o, ", avg(%s) %s", hist_unit(o),
			 hist_text(o, row->count ? row->lat_ns / row->count : 0, false, text));
	}
	if (view->total)
		out_text(o, ", %s %%",
			 fmt_number(share, (double)row->weight * 100 / (double)view->total, 1));
	out_text(o, "\n\n");
}

void stacks_draw(struct out *o, const struct stacks_view *view, const struct stacks_row *row)
{
	draw_key(o, view, row);
	draw_frames(o, row->kstack);
	if (row->kstack && row->ustack)
		out_text(o, "    --\n");
	draw_frames(o, row->ustack);
	if (view->cfg->flags & STACKS_HIST)
		hist_draw(o, view->columns, 0, &row->hist);
	draw_figures(o, view, row);
}
