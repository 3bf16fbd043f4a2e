// SPDX-License-Identifier: GPL-2.0-or-later
/* Latency for people: a key line, a table of ranges with bars, and a paragraph of figures. */
#include "cmd/latency/latency_report.h"
#include "lib/base/str.h"

/* Prints a line like "latency(us): ctrl=nvme0 op=read". */
static void draw_key(struct out *o, const struct latency_view *view, const struct latency_row *row)
{
	struct group_word w = { 0 };

	out_text(o, "latency(%s):", hist_unit(o));
	if (row->keys.other)
		out_text(o, " (other)");
	else if (!view->group.by && !row->phase)
		out_text(o, " all commands");
	while (group_word_next(&w, &view->group, &row->keys)) {
		out_text(o, " %s=", w.label);
		out_text_safe(o, w.value);
	}
	if (row->phase && !row->keys.other)
		out_text(o, " phase=%s", row->phase);
	out_text(o, "\n");
}

/* Words of a paragraph, folded at the width of the terminal. */
struct paragraph {
	struct out *o;
	u32 columns, at;
};

static void add_word(struct paragraph *p, enum out_hue hue, const char *name, const char *value)
{
	u32 len = (u32)(strlen(name) + 1 + strlen(value));

	if (p->at && p->at + 2 + len >= p->columns) {
		out_text(p->o, ",\n");
		p->at = 0;
	}
	if (p->at)
		out_text(p->o, ", ");
	out_text(p->o, "%s%s %s%s", hue ? out_hue(p->o, hue) : "", name, value,
		 hue ? out_hue(p->o, HUE_PLAIN) : "");
	p->at += len + (p->at ? 2 : 0);
}

static void draw_figures(struct out *o, const struct latency_style *style,
			 const struct latency_row *row)
{
	struct paragraph p = { .o = o, .columns = style->columns };
	enum out_hue errors = latency_has_errors(row) ? HUE_BAD : HUE_PLAIN, hue;
	char text[64], name[24];
	u32 i;

	snprintf(text, sizeof(text), "%llu", (unsigned long long)row->count);
	add_word(&p, HUE_PLAIN, "count", text);
	if (row->sum.errors != ~0ULL) {
		snprintf(text, sizeof(text), "%llu", (unsigned long long)row->sum.errors);
		add_word(&p, errors, "errors", text);
	}
	add_word(&p, HUE_PLAIN, "min", hist_text(o, row->min_ns, false, text));
	add_word(&p, HUE_PLAIN, "avg", hist_text(o, row->mean_ns, false, text));
	for (i = 0; i < row->n_pct; i++) {
		if (row->pct[i].millionths == 100 * HIST_PERCENT) /* max is printed below */
			continue;
		snprintf(name, sizeof(name), "p%.*s", (int)row->pct[i].word_len, row->pct[i].word);
		hue = row->pct[i].millionths == 99 * HIST_PERCENT ? HUE_BOLD : HUE_PLAIN;
		add_word(&p, hue, name, hist_text(o, row->pct_ns[i], false, text));
	}
	add_word(&p, HUE_PLAIN, "max", hist_text(o, row->max_ns, false, text));
	if (style->extension)
		add_word(&p, HUE_PLAIN, "total", hist_text(o, row->sum.sum_ns, false, text));
	out_text(o, "\n\n");
}

void latency_draw(struct out *o, const struct latency_view *view, const struct latency_style *style,
		  const struct latency_row *row)
{
	draw_key(o, view, row);
	if (style->histogram != LATENCY_NO_HISTOGRAM)
		hist_draw(o, style->histogram == LATENCY_BARS ? style->columns : 0, style->bits,
			  &row->hist);
	draw_figures(o, style, row);
}
