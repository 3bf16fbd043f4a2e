// SPDX-License-Identifier: GPL-2.0-or-later
/* Findings about two recordings: what surely changed from the first to the second. */
#include <inttypes.h>
#include <math.h>

#include "cmd/report/page.h"
#include "lib/base/fmt.h"
#include "lib/base/str.h"

#define CHANGES 3 /* that are said; the page and diff have all */

/* The mean size of the commands of a row in recording @side. */
static double size_of(const struct report *r, u32 side, const struct diff_row *row)
{
	const struct log *l = &r->side[side].log;
	double bytes = 0, n = 0;

	for (u32 i = 0; i < l->n; i++) {
		const struct group_key *key = &l->kind[l->at[i].kind]->key;

		if (key->admin || key->ctrl_id != row->keys.ctrl_id ||
		    key->opcode != row->keys.opcode)
			continue;
		bytes += l->at[i].bytes;
		n++;
	}
	return n > 0 ? bytes / n : 0;
}

/* The percentile that tells most: the median if it changed, else the first that did. */
static bool choose(struct report *r, u32 i)
{
	u32 p = 0;

	diff_key(&r->diff, i);
	do
		diff_percentile(&r->diff, i, p++);
	while (p < r->diff.n_pct && *r->diff.row.verdict != '+' && *r->diff.row.verdict != '-');
	return !r->diff.row.keys.other &&
	       (*r->diff.row.verdict == '+' || *r->diff.row.verdict == '-');
}

static void say_change(struct report *r, const struct diff_row *row)
{
	bool slower = *row->verdict == '+';
	double size[2] = { size_of(r, 0, row), size_of(r, 1, row) };
	bool unlike = size[0] > 1.25 * size[1] || size[1] > 1.25 * size[0];
	char text[2][FMT_NUMBER], pct[3][FMT_NUMBER], word[2][FIND_WORD];
	const struct opt_list *input = &session_common(r->s)->run.input;
	struct finding *f;

	f = find_new(r, 0, FINDING_CHANGE,
		     slower && !unlike ? row->change.low_pct >= 20 ? FINDING_HIGH : FINDING_MEDIUM
				       : FINDING_LOW,
		     row->keys.ctrl);
	find_op(f, row->keys.op);
	f->weight = fabs(row->change.pct);
	finding_say(
		f,
		"%s commands became %s from A to B: %s from %s to %s, %s%s %% (surely %s to %s %%)",
		row->keys.op ? row->keys.op : "?", slower ? "slower" : "faster", row->percentile,
		fmt_ns(text[0], (double)row->ns[0], " ", 0),
		fmt_ns(text[1], (double)row->ns[1], " ", 0), slower ? "+" : "",
		fmt_number(pct[0], row->change.pct, 0), fmt_number(pct[1], row->change.low_pct, 0),
		fmt_number(pct[2], row->change.high_pct, 0));
	if (unlike)
		finding_say(f, "; their sizes differ, %s and %s bytes on average",
			    fmt_number(text[0], size[0], 0), fmt_number(text[1], size[1], 0));
	finding_figure(f, "a_ns", (double)row->ns[0]);
	finding_figure(f, "b_ns", (double)row->ns[1]);
	finding_figure(f, "change_pct", row->change.pct);
	finding_figure(f, "low_pct", row->change.low_pct);
	finding_figure(f, "high_pct", row->change.high_pct);
	snprintf(f->command_room, sizeof(f->command_room), "nvmetool diff %s %s",
		 find_quote(r->page ? page_file(r, 0) : input->word[0], word[0]),
		 find_quote(r->page ? page_file(r, 1) : input->word[1], word[1]));
}

void find_changes(struct report *r, u32 side)
{
	u32 rows = side || r->sides < 2 ? 0 : diff_settle(&r->diff), said = 0;

	for (u32 i = 0; i < rows && said < CHANGES; i++) {
		if (!choose(r, i))
			continue;
		say_change(r, &r->diff.row);
		said++;
	}
}
