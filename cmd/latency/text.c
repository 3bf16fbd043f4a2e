// SPDX-License-Identifier: GPL-2.0-or-later
/* Latency for people: a key line, a table of ranges with bars, and a paragraph of figures. */
#include "cmd/latency/row.h"
#include "lib/base/str.h"
#include "lib/session/session.h"

/* `name=value` behind a blank. */
static void key_word(struct out *o, const char *name, const char *value)
{
	out_text(o, " %s=", name);
	out_text_safe(o, value && *value ? value : "-");
}

static void key_number(struct out *o, const char *name, s64 value)
{
	if (value == LATENCY_NO_NUMBER)
		out_text(o, " %s=-", name);
	else
		out_text(o, " %s=%lld", name, (long long)value);
}

static void draw_status(struct out *o, const struct latency_row *row)
{
	char text[96];

	latency_status_text(row, text, sizeof(text));
	key_word(o, "status", text);
}

static bool has(const struct latency_style *style, enum latency_by by)
{
	return style->by >> by & 1;
}

static void draw_task(struct out *o, const struct latency_style *style,
		      const struct latency_row *row)
{
	if (has(style, LATENCY_BY_PID))
		key_number(o, "pid", row->pid);
	if (has(style, LATENCY_BY_COMM))
		key_word(o, "comm", row->comm);
	if (has(style, LATENCY_BY_CGROUP) && row->cgroup)
		key_word(o, "cgroup", row->cgroup);
	else if (has(style, LATENCY_BY_CGROUP))
		key_number(o, "cgroup", row->cgroup_id);
}

/* latency(us): ctrl=nvme0 op=read */
static void draw_key(struct out *o, const struct latency_style *style,
		     const struct latency_row *row)
{
	char flags[256];

	out_text(o, "latency(%s):", hist_unit(o));
	if (row->other) {
		out_text(o, " (other)\n");
		return;
	}
	if (!style->by && !row->phase)
		out_text(o, " all commands");
	if (has(style, LATENCY_BY_HOST))
		key_word(o, "host", row->host);
	if (has(style, LATENCY_BY_CTRL))
		key_word(o, "ctrl", row->ctrl);
	if (has(style, LATENCY_BY_NS))
		key_number(o, "nsid", row->nsid);
	if (has(style, LATENCY_BY_DEV))
		key_word(o, "dev", row->dev);
	if (has(style, LATENCY_BY_QID))
		key_number(o, "qid", row->qid);
	if (has(style, LATENCY_BY_CPU))
		key_number(o, "cpu", row->cpu);
	if (has(style, LATENCY_BY_OPCODE))
		key_word(o, "op", row->op);
	if (has(style, LATENCY_BY_SIZE))
		key_word(o, "size", row->size);
	if (has(style, LATENCY_BY_FLAGS)) {
		latency_flags_text(row, "|", flags, sizeof(flags));
		key_word(o, "flags", flags[0] ? flags : NULL);
	}
	draw_task(o, style, row);
	if (has(style, LATENCY_BY_STATUS))
		draw_status(o, row);
	if (row->phase)
		key_word(o, "phase", row->phase);
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
	if (row->errors != ~0ULL) {
		snprintf(text, sizeof(text), "%llu", (unsigned long long)row->errors);
		add_word(&p, errors, "errors", text);
	}
	add_word(&p, HUE_PLAIN, "min", hist_text(o, row->min_ns, false, text));
	add_word(&p, HUE_PLAIN, "avg", hist_text(o, row->mean_ns, false, text));
	for (i = 0; i < row->n_pct; i++) {
		if (row->pct[i].millionths == 100 * HIST_PERCENT) /* max, which follows */
			continue;
		snprintf(name, sizeof(name), "p%.*s", (int)row->pct[i].word_len, row->pct[i].word);
		hue = row->pct[i].millionths == 99 * HIST_PERCENT ? HUE_BOLD : HUE_PLAIN;
		add_word(&p, hue, name, hist_text(o, row->pct_ns[i], false, text));
	}
	add_word(&p, HUE_PLAIN, "max", hist_text(o, row->max_ns, false, text));
	if (style->extension)
		add_word(&p, HUE_PLAIN, "total", hist_text(o, row->sum_ns, false, text));
	out_text(o, "\n\n");
}

void latency_draw(struct out *o, const struct latency_style *style, const struct latency_row *row)
{
	draw_key(o, style, row);
	if (style->histogram != LATENCY_NO_HISTOGRAM)
		hist_draw(o, style->histogram == LATENCY_BARS ? style->columns : 0, style->bits,
			  &row->hist);
	draw_figures(o, style, row);
}
