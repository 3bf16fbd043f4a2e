// SPDX-License-Identifier: GPL-2.0-or-later
/* Counts the events of a second, and asks the condition. */
#include "cmd/record/trigger.h"

#include <stdlib.h>

#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/base/units.h"
#include "lib/view/latency_sum.h"

#define SUM_BYTES (sizeof(struct latency_sum) + HIST_SLOTS_MAX * sizeof(u64))

/* The events of this second: all, or those of an opcode. */
struct trigger_row {
	const char *op; /* NULL: all */
	struct nvme_opcode_match match; /* of op */
	struct latency_sum *sum; /* by hist_finest: percentiles are as exact as fio's */
	u64 timeouts, resets;
	u32 changed; /* as in struct expr_row */
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

/* Adds a row. 0 or -ENOMEM, reported. */
static int add_row(struct trigger *t, const char *op)
{
	struct trigger_row *r = &t->rows[t->n_rows];

	r->sum = calloc(1, SUM_BYTES);
	if (!r->sum)
		return fail(-ENOMEM, NULL, NULL, "--trigger");
	r->op = op;
	t->n_rows++;
	return 0;
}

/* Gives each opcode that the condition names a row. */
static int add_op(struct trigger *t, const char *op)
{
	for (u32 i = 1; i < t->n_rows; i++)
		if (streq(t->rows[i].op, op))
			return 0;
	nvme_opcode_parse(op, &t->rows[t->n_rows].match); /* its own name, which is known */
	return add_row(t, op);
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
	t->slow_ns = UINT64_MAX;
	err = add_row(t, NULL);
	for (u32 i = 0; !err && i < t->expr.n_terms; i++) {
		const struct expr_term *term = &t->expr.terms[i];

		if (term->op)
			err = add_op(t, term->op);
		if (term->name == EXPR_MAX && term->value < t->slow_ns)
			t->slow_ns = term->value;
	}
	return err;
}

u32 trigger_needs(const struct trigger *t)
{
	return (expr_names(&t->expr, EXPR_TIMEOUTS) ? NEED_TIMEOUT : 0) |
	       (expr_names(&t->expr, EXPR_RESETS) ? NEED_RESET : 0);
}

/* Asks the conditions. @max_ns: the latency that those on the largest one are about. */
static bool is_true(struct trigger *t, const struct trigger_row *r, enum expr_when when, u64 max_ns)
{
	const struct expr *e = &t->expr;
	const struct hist h = latency_sum_hist(r->sum, &hist_finest);
	struct expr_row row = latency_sum_values(r->sum, &h);
	u32 i = 0;

	row.op = r->op;
	row.when = when;
	row.changed = r->changed;
	row.max_ns = max_ns;
	row.timeouts = r->timeouts;
	row.resets = r->resets;
	row.lost = counters_lost(t->counters) - t->lost;
	row.duration_ns = NSEC_PER_SEC;
	expr_reset(&t->expr);
	if (!expr_check(&t->expr, &row))
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

	if (r->op &&
	    (ev->kind == EVENT_RESET || (ev->kind == EVENT_TIMEOUT && ev->flags & EVENT_NO_SUBMIT)))
		return false;
	return !r->op ||
	       (r->match.set == set && r->match.code == nvme_code_of(set, ev->opcode, ev->fctype));
}

/* Counts a command, and notes in the row what rose that conditions on single events ask for. */
static void count_command(const struct trigger *t, struct trigger_row *r, const struct event *ev)
{
	u64 lat_ns = event_lat_ns(ev);
	bool failed = event_failed(ev);

	r->changed = failed ? 1U << EXPR_ERRORS : 0;
	if (ev->kind != EVENT_IO) { /* its submission was not seen, so it has no latency */
		r->sum->sum.errors += failed;
		return;
	}
	r->sum->count++;
	latency_sample(&r->sum->sum, &hist_finest, ev, lat_ns);
	r->changed |= lat_ns >= t->slow_ns ? 1U << EXPR_MAX : 0;
}

static void count(const struct trigger *t, struct trigger_row *r, const struct event *ev)
{
	switch (ev->kind) {
	case EVENT_TIMEOUT:
		r->timeouts++;
		r->changed = 1U << EXPR_TIMEOUTS;
		break;
	case EVENT_RESET:
		r->resets++;
		r->changed = 1U << EXPR_RESETS;
		break;
	default:
		count_command(t, r, ev);
	}
}

/*
 * Asks the conditions on what an event changed. Where that is the latency it must be this one,
 * @lat_ns, that makes them true, not one before.
 */
static bool is_true_at_once(struct trigger *t, const struct trigger_row *r, u64 lat_ns)
{
	bool slow = r->changed == 1U << EXPR_MAX;

	return is_true(t, r, EXPR_AT_ONCE, slow ? lat_ns : r->sum->sum.extremes.max_ns);
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
		any = any || (r->changed && is_true_at_once(t, r, event_lat_ns(v->ev)));
	}
	return any;
}

/* Begins the second that ends at t->end_ns. */
static void begin_second(struct trigger *t)
{
	for (u32 i = 0; i < t->n_rows; i++) {
		struct trigger_row *r = &t->rows[i];

		memset(r->sum, 0, SUM_BYTES);
		r->timeouts = r->resets = 0;
	}
	t->lost = counters_lost(t->counters);
}

static bool end_second(struct trigger *t)
{
	bool any = false;

	for (u32 i = 0; i < t->n_rows; i++) {
		const struct trigger_row *r = &t->rows[i];

		any = any || is_true(t, r, EXPR_AT_END, r->sum->sum.extremes.max_ns);
	}
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
	for (u32 i = 0; t && i < t->n_rows; i++)
		free(t->rows[i].sum);
	free(t);
}
