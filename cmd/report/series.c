// SPDX-License-Identifier: GPL-2.0-or-later
/* Sums over time. */
#include "cmd/report/series.h"

#include "lib/base/units.h"

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
static void halve(struct series *s)
{
	for (u32 i = 1; i < s->n; i++)
		merge(&s->at[i / 2], &s->at[i]);
	s->n = (s->n + 1) / 2;
	s->step_ns *= 2;
}

void series_widen(struct series *s, u64 step_ns)
{
	while (s->step_ns && s->step_ns < step_ns)
		halve(s);
}

static u32 column_of(struct series *s, u64 ts_ns)
{
	u64 past_ns = ts_ns > s->start_ns ? ts_ns - s->start_ns : 0;

	if (!s->step_ns)
		s->step_ns = NSEC_PER_MSEC;
	while (past_ns / s->step_ns >= HEAT_COLUMNS)
		halve(s);
	return (u32)(past_ns / s->step_ns);
}

struct series_point *series_at(struct series *s, u64 ts_ns)
{
	u32 column = column_of(s, ts_ns);

	if (s->n <= column)
		s->n = column + 1;
	return &s->at[column];
}

void series_add(struct series *s, u64 from_ns, u64 to_ns, u64 bytes)
{
	struct series_point *to = series_at(s, to_ns);
	u32 first, last = (u32)(to - s->at);
	u64 edge_ns;

	to->count++;
	to->bytes += bytes;
	if (from_ns < s->start_ns)
		from_ns = s->start_ns;
	first = column_of(s, from_ns);
	for (u32 i = first; i <= last && from_ns < to_ns; i++) {
		edge_ns = s->start_ns + (i + 1) * s->step_ns;
		edge_ns = edge_ns < to_ns ? edge_ns : to_ns;
		s->at[i].busy_ns += edge_ns - from_ns;
		from_ns = edge_ns;
	}
}

double series_value(const struct series *s, u32 column, enum series_value which)
{
	const struct series_point *p = &s->at[column];
	double seconds = (double)s->step_ns / 1e9;

	switch (which) {
	case SERIES_RATE:
		return (double)p->count / seconds;
	case SERIES_THROUGHPUT:
		return (double)p->bytes / seconds / 1e6;
	default:
		return (double)p->busy_ns / (double)s->step_ns;
	}
}
