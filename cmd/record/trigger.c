// SPDX-License-Identifier: GPL-2.0-or-later
/* Counts the events of a second, and asks the condition. */
#include "cmd/record/trigger.h"

#include <stdlib.h>

#include "lib/base/err.h"
#include "lib/base/hist.h"
#include "lib/base/sat.h"
#include "lib/base/str.h"
#include "lib/base/units.h"
#include "lib/cli/expr.h"
#include "lib/nvme/spec.h"

/* The commands of this second: all, or those of an opcode. */
struct trigger_row {
	struct nvme_opcode_match match; /* with row.op */
	struct expr_row row;
	u64 sum_ns;
	u64 buckets[HIST_SLOTS_MAX]; /* hist_finest: percentiles are as exact as fio's */
};

struct trigger {
	struct expr expr;
	const struct counters *counters;
	u64 end_ns; /* of this second; 0: none has begun */
	u64 lost; /* until it began */
	u64 slow_ns; /* the least latency that a condition on single commands asks for */
	char text[256];
	u32 n_rows;
	struct trigger_row rows[1 + EXPR_TERMS]; /* the first one is of all commands */
};

static u64 percentile(const void *ctx, u32 millionths)
{
	const struct trigger_row *r = ctx;
	struct hist h = { &hist_finest, r->buckets, r->row.count, r->row.min_ns, r->row.max_ns };

	return hist_percentile(&h, millionths);
}

/* Gives each opcode that the condition names a row. */
static void add_op(struct trigger *t, const char *op)
{
	struct trigger_row *r = &t->rows[t->n_rows];

	for (u32 i = 1; i < t->n_rows; i++)
		if (streq(t->rows[i].row.op, op))
			return;
	nvme_opcode_parse(op, &r->match); /* its own name, which is known */
	r->row.op = op;
	t->n_rows++;
}

int trigger_open(struct trigger **trigger, const char *text, const struct counters *counters)
{
	struct trigger *t = calloc(1, sizeof(*t));
	int err;

	*trigger = t;
	if (!t)
		return fail(-ENOMEM, NULL, NULL, "--trigger");
	err = expr_parse(&t->expr, text, EXPR_TRIGGER);
	if (err)
		return err;
	t->counters = counters;
	t->n_rows = 1;
	t->slow_ns = UINT64_MAX;
	for (u32 i = 0; i < t->expr.n_terms; i++) {
		const struct expr_term *term = &t->expr.terms[i];

		if (term->op)
			add_op(t, term->op);
		if (term->name == EXPR_MAX && term->value < t->slow_ns)
			t->slow_ns = term->value;
	}
	return 0;
}

u32 trigger_needs(const struct trigger *t)
{
	return (expr_names(&t->expr, EXPR_TIMEOUTS) ? NEED_TIMEOUT : 0) |
	       (expr_names(&t->expr, EXPR_RESETS) ? NEED_RESET : 0);
}

static bool is_true(struct trigger *t, struct trigger_row *r, enum expr_when when)
{
	const struct expr *e = &t->expr;
	u32 i = 0;

	r->row.when = when;
	r->row.avg_ns = r->row.count ? (double)r->sum_ns / r->row.count : 0;
	r->row.percentile = percentile;
	r->row.ctx = r;
	r->row.lost = counters_lost(t->counters) - t->lost;
	expr_reset(&t->expr);
	if (!expr_check(&t->expr, &r->row))
		return false;
	while (!e->conditions[i].failed)
		i++;
	expr_text(e, &e->conditions[i], t->text, sizeof(t->text));
	return true;
}

/* The opcode of a command that was submitted before the run is known once it completes. */
static bool holds(const struct trigger_row *r, const struct event *ev)
{
	enum nvme_set set = nvme_set_of(!(ev->flags & EVENT_ADMIN), ev->opcode);

	if (r->row.op &&
	    (ev->kind == EVENT_RESET || (ev->kind == EVENT_TIMEOUT && ev->flags & EVENT_NO_SUBMIT)))
		return false;
	return !r->row.op ||
	       (r->match.set == set && r->match.code == nvme_code_of(set, ev->opcode, ev->fctype));
}

/* Counts a command, and notes in the row what rose that conditions on single events ask for. */
static void count_command(const struct trigger *t, struct trigger_row *r, const struct event *ev)
{
	u64 lat_ns = event_lat_ns(ev);

	r->row.errors += event_failed(ev);
	r->row.changed = event_failed(ev) ? 1U << EXPR_ERRORS : 0;
	if (ev->kind != EVENT_IO) /* its submission was not seen, so it has no latency */
		return;
	if (!r->row.count++ || lat_ns < r->row.min_ns)
		r->row.min_ns = lat_ns;
	if (lat_ns > r->row.max_ns)
		r->row.max_ns = lat_ns;
	r->row.bytes += ev->bytes;
	r->sum_ns = sat_add(r->sum_ns, lat_ns);
	r->buckets[hist_slot(&hist_finest, lat_ns)]++;
	r->row.changed |= lat_ns >= t->slow_ns ? 1U << EXPR_MAX : 0;
}

static void count(const struct trigger *t, struct trigger_row *r, const struct event *ev)
{
	switch (ev->kind) {
	case EVENT_TIMEOUT:
		r->row.timeouts++;
		r->row.changed = 1U << EXPR_TIMEOUTS;
		break;
	case EVENT_RESET:
		r->row.resets++;
		r->row.changed = 1U << EXPR_RESETS;
		break;
	default:
		count_command(t, r, ev);
	}
}

/*
 * Asks the conditions on what an event changed. Where that is the latency it must be this one,
 * @lat_ns, that makes them true, not one before.
 */
static bool is_true_at_once(struct trigger *t, struct trigger_row *r, u64 lat_ns)
{
	u64 max_ns = r->row.max_ns;
	bool any;

	if (r->row.changed == 1U << EXPR_MAX)
		r->row.max_ns = lat_ns;
	any = is_true(t, r, EXPR_AT_ONCE);
	r->row.max_ns = max_ns;
	return any;
}

bool trigger_event(struct trigger *t, const struct view *v)
{
	bool any = false;

	if (v->ev->kind != EVENT_IO && v->ev->kind != EVENT_COMPLETE &&
	    v->ev->kind != EVENT_TIMEOUT && v->ev->kind != EVENT_RESET)
		return false;
	for (u32 i = 0; i < t->n_rows; i++) {
		struct trigger_row *r = &t->rows[i];

		if (!holds(r, v->ev))
			continue;
		count(t, r, v->ev);
		any = any || (r->row.changed && is_true_at_once(t, r, event_lat_ns(v->ev)));
	}
	return any;
}

/* Begins the second that ends at t->end_ns. */
static void begin_second(struct trigger *t)
{
	for (u32 i = 0; i < t->n_rows; i++) {
		struct trigger_row *r = &t->rows[i];

		if (r->row.count)
			memset(r->buckets, 0, sizeof(r->buckets));
		r->sum_ns = 0;
		r->row = (struct expr_row){ .op = r->row.op, .duration_ns = NSEC_PER_SEC };
	}
	t->lost = counters_lost(t->counters);
}

static bool end_second(struct trigger *t)
{
	bool any = false;

	for (u32 i = 0; i < t->n_rows; i++)
		any = any || is_true(t, &t->rows[i], EXPR_AT_END);
	begin_second(t);
	return any;
}

bool trigger_until(struct trigger *t, u64 now_ns)
{
	bool any;

	if (now_ns < t->end_ns)
		return false;
	if (!t->end_ns) {
		t->end_ns = now_ns + NSEC_PER_SEC;
		begin_second(t);
		return false;
	}
	any = end_second(t);
	t->end_ns += NSEC_PER_SEC;
	if (now_ns < t->end_ns)
		return any;
	/* Seconds without a command are all alike: one stands for them. */
	t->end_ns += (now_ns - t->end_ns) / NSEC_PER_SEC * NSEC_PER_SEC + NSEC_PER_SEC;
	return end_second(t) || any;
}

const char *trigger_text(const struct trigger *t)
{
	return t->text;
}

void trigger_close(struct trigger *t)
{
	free(t);
}
