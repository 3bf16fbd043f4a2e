// SPDX-License-Identifier: GPL-2.0-or-later
/* Sums over time. */
#include "cmd/report/report.h"

static void merge(struct series_point *to, struct series_point *from)
{
	to->count += from->count;
	to->bytes += from->bytes;
	to->busy_ns += from->busy_ns;
	for (u32 i = 0; i < ERRORS_TYPES; i++)
		to->troubles[i] += from->troubles[i];
	*from = (struct series_point){ 0 };
}

/* Makes each two columns one. */
static void halve(struct report *r)
{
	for (u32 side = 0; side < r->sides; side++) {
		struct series *s = &r->side[side].series;

		for (u32 i = 1; i < s->n; i++)
			merge(&s->at[i / 2], &s->at[i]);
		s->n = (s->n + 1) / 2;
	}
	r->step_ns *= 2;
}

static u32 column_of(struct report_side *side, u64 ts_ns)
{
	u64 start_ns = side->series.start_ns, past_ns = ts_ns > start_ns ? ts_ns - start_ns : 0;

	while (past_ns / side->r->step_ns >= HEAT_COLUMNS)
		halve(side->r);
	return (u32)(past_ns / side->r->step_ns);
}

struct series_point *series_at(struct report_side *side, u64 ts_ns)
{
	u32 column = column_of(side, ts_ns);

	if (side->series.n <= column)
		side->series.n = column + 1;
	return &side->series.at[column];
}

void series_add(struct report_side *side, u64 from_ns, u64 to_ns, u64 bytes)
{
	struct series *s = &side->series;
	struct series_point *to = series_at(side, to_ns);
	u64 edge_ns;

	to->count++;
	to->bytes += bytes;
	if (from_ns < s->start_ns)
		from_ns = s->start_ns;
	for (u32 i = column_of(side, from_ns); from_ns < to_ns; i++) {
		edge_ns = s->start_ns + (i + 1) * side->r->step_ns;
		edge_ns = edge_ns < to_ns ? edge_ns : to_ns;
		s->at[i].busy_ns += edge_ns - from_ns;
		from_ns = edge_ns;
	}
}

double series_value(const struct report_side *side, u32 column, enum series_value which)
{
	const struct series_point *p = &side->series.at[column];
	double seconds = (double)side->r->step_ns / 1e9;

	switch (which) {
	case SERIES_RATE:
		return (double)p->count / seconds;
	case SERIES_THROUGHPUT:
		return (double)p->bytes / seconds / 1e6;
	default:
		return (double)p->busy_ns / (double)side->r->step_ns;
	}
}
