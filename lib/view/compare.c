// SPDX-License-Identifier: GPL-2.0-or-later
/* Samples by key and recording, and the changes between them. */
#include "lib/view/compare.h"

#include <errno.h>

#include "lib/base/str.h"
#include "lib/session/recording.h"
#include "lib/view/latency_sum.h"

#define ALPHA 0.05 /* the chance that any of the intervals misses its change */

/* A row of lib/group/table.h. */
struct diff_sum {
	struct group_key key;
	struct diff_sample *side[DIFF_SIDES]; /* NULL: no command yet */
};

int diff_open(struct diff_compare *c, u32 limit)
{
	c->table = group_table_open(sizeof(struct group_key), sizeof(struct diff_sum), limit);
	return c->table ? 0 : -ENOMEM;
}

void diff_close(struct diff_compare *c)
{
	u32 rows = c->table ? group_table_sort(c->table, NULL, NULL) : 0;

	for (u32 i = 0; i < rows; i++) {
		const struct diff_sum *sum = group_table_at(c->table, i);

		free(sum->side[DIFF_A]);
		free(sum->side[DIFF_B]);
	}
	group_table_close(c->table);
	c->table = NULL;
}

int diff_add(struct diff_compare *c, const struct view *v)
{
	struct diff_sample **sample;
	struct diff_sum *row;
	struct group_key key;

	group_key_fill(&key, &c->group, v);
	row = group_table_row(c->table, &key);
	sample = &row->side[v->file == 0 ? DIFF_A : DIFF_B];
	if (!*sample)
		*sample = diff_sample_new();
	if (!*sample)
		return -ENOMEM;
	diff_sample_add(*sample, v->ev->ts_ns, latency_of(v->ev, c->queued));
	return row->key.other;
}

/* Gives each interval its share of ALPHA, so that all of them hold together. */
static void share_alpha(struct diff_compare *c, u32 rows)
{
	u32 compared = 0;

	for (u32 i = 0; i < rows; i++) {
		const struct diff_sum *sum = group_table_at(c->table, i);

		compared += sum->side[DIFF_A] && sum->side[DIFF_B] && !sum->key.other;
	}
	c->alpha = ALPHA / (compared ? compared * c->n_pct : 1);
}

u32 diff_settle(struct diff_compare *c)
{
	u32 rows = group_table_sort(c->table, group_compare, &c->group);
	u64 start_ns, end_ns;

	for (u32 side = 0; side < DIFF_SIDES; side++) {
		session_period(c->group.s, side, &start_ns, &end_ns);
		c->seconds[side] = (double)(end_ns - start_ns) / 1e9;
	}
	share_alpha(c, rows);
	return rows;
}

void diff_key(struct diff_compare *c, u32 i)
{
	const struct diff_sum *sum = group_table_at(c->table, i);
	struct diff_row *row = &c->row;

	group_row_fill(&row->keys, &c->group, &sum->key);
	memset(row->too_short, 0, sizeof(row->too_short));
	for (u32 side = 0; side < DIFF_SIDES; side++) {
		row->count[side] = sum->side[side] ? sum->side[side]->count : 0;
		row->iops[side] = (double)row->count[side] / c->seconds[side];
	}
}

/* Says why nothing is known, and keeps which recordings of the key are too short. */
static void explain(struct diff_row *row, const struct diff_point *points)
{
	double need_ns[DIFF_SIDES] = { points[DIFF_A].need_ns, points[DIFF_B].need_ns };
	u32 side = need_ns[DIFF_B] > need_ns[DIFF_A] ? DIFF_B : DIFF_A;

	for (u32 i = 0; i < DIFF_SIDES; i++)
		if (need_ns[i] > (double)row->too_short[i].need_ns)
			row->too_short[i] =
				(struct diff_short){ (u64)points[i].wander_ns, (u64)need_ns[i] };
	row->why = NULL;
	row->now = (struct diff_short){ (u64)points[side].wander_ns, (u64)need_ns[side] };
	if (streq(row->verdict, diff_sign(DIFF_UNKNOWN)))
		row->why = "too few commands for how much they vary";
	if (need_ns[side] > 0)
		row->why = diff_short_text(row->too_short_text, sizeof(row->too_short_text), side,
					   &row->now);
}

void diff_percentile(struct diff_compare *c, u32 i, u32 p)
{
	const struct diff_sum *sum = group_table_at(c->table, i);
	struct diff_point points[DIFF_SIDES];
	struct diff_row *row = &c->row;

	for (u32 side = 0; side < DIFF_SIDES; side++) {
		/* "(other)" may stand for other keys in each recording. */
		const struct diff_sample *sample = sum->key.other ? NULL : sum->side[side];

		points[side] = diff_point(sample, c->pct[p].millionths, c->alpha);
		row->ns[side] = sample ? (u64)points[side].at : UNKNOWN64;
	}
	row->change = c->change[p] = diff_change(&points[DIFF_A], &points[DIFF_B]);
	row->verdict = diff_sign(diff_judge(&row->change));
	explain(row, points);
	snprintf(row->percentile, sizeof(row->percentile), "p%.*s", (int)c->pct[p].word_len,
		 c->pct[p].word);
}
