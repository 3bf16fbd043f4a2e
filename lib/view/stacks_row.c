// SPDX-License-Identifier: GPL-2.0-or-later
/* Names, figures and columns of the records of stacks. */
#include "lib/view/stacks_row.h"

#include "lib/base/str.h"
#include "lib/cli/expr.h"

static void emit_frames(struct json *j, const char *key, const char *text)
{
	char frame[STACKS_FRAME];

	json_array(j, key);
	while (str_word(&text, ';', frame, sizeof(frame)))
		json_str(j, NULL, frame);
	json_end(j);
}

static void emit_kstack(struct json *j, const void *row)
{
	emit_frames(j, "kstack", ((const struct stacks_row *)row)->kstack);
}

static void emit_ustack(struct json *j, const void *row)
{
	emit_frames(j, "ustack", ((const struct stacks_row *)row)->ustack);
}

static void emit_hist(struct json *j, const void *row)
{
	hist_emit(j, &((const struct stacks_row *)row)->hist);
}

#define ROW(type, m, ...) FIELD_OF(FIELD_##type, struct stacks_row, m, #m, __VA_ARGS__)
#define FIGURE		  FIELD_NULL_ONES
/* clang-format off */
static const struct field stacks_fields[] = {
	GROUP_INTERVAL
	STACKS_KEYS(GROUP_FIELDS)
	ROW(BOOL, worker, .help = "true: a kernel worker is named, because the submitter is not known"),
	ROW(BOOL, lost, .help = "true: the commands that found no row, whose keys are not known"),
	ROW(U64, count, .help = "commands, or calls of the functions of --probe"),
	ROW(U64, errors, .flags = FIGURE, .help = "commands that failed"),
	ROW(U64, bytes, .flags = FIGURE, .help = "bytes of data transferred"),
	ROW(U64, lat_ns, .flags = FIGURE, .help = "sum of latencies"),
	ROW(U64, weight, .help = "value that --weight names: count, bytes or lat_ns"),
	ROW(CALL, kstack, .flags = FIELD_ABSENT, .emit = emit_kstack, .json = JSON_STRINGS,
	    .help = "kernel stack, innermost frame first; CSV: joined by ;"),
	ROW(CALL, ustack, .flags = FIELD_ABSENT, .emit = emit_ustack, .json = JSON_STRINGS,
	    .help = "user stack, innermost frame first; CSV: joined by ;"),
	ROW(CALL, hist, .flags = FIELD_ABSENT, .emit = emit_hist, .json = JSON_OBJECT, .members = hist_members,
	    .help = "with --hist: buckets [lo, hi, count] that are not empty; hi is null past the range"),
	FIELD_DONE
};
/* clang-format on */
_Static_assert(ARRAY_SIZE(stacks_fields) <= STACKS_FIELDS_MAX, "no room for the fields of a run");

const struct schema stacks_schema = {
	.type = "stack",
	.fields = stacks_fields,
	.help = "one for each stack and combination of keys, each interval",
};

void stacks_columns(struct stacks_view *view, struct out *o)
{
	struct field *f;

	memcpy(view->fields, stacks_fields, sizeof(stacks_fields));
	/* A CSV field is text of any length. */
	for (f = view->fields; f->type && out_is_flat(o); f++) {
		if (f->emit == emit_kstack || f->emit == emit_ustack)
			f->type = FIELD_STR;
	}
	out_fields(o, &stacks_schema, view->fields);
	out_show(o, "kstack", view->cfg->flags & STACKS_KERNEL);
	out_show(o, "ustack", view->cfg->flags & STACKS_USER);
	out_show(o, "hist", view->cfg->flags & STACKS_HIST);
}

static void fill_figures(struct stacks_row *row, const struct stacks_view *view,
			 const struct stacks_sum *from)
{
	row->count = from->sum.count;
	row->weight = stacks_weigh(from, view->weight);
	row->errors = row->bytes = row->lat_ns = UNKNOWN64;
	if (view->functions)
		return;
	if (!session_no_status(view->group.s))
		row->errors = from->sum.errors;
	row->bytes = from->sum.bytes;
	row->lat_ns = from->sum.sum_ns;
	row->hist = (struct hist){
		.cfg = &view->cfg->hist,
		.buckets = from->buckets,
		.count = row->count,
		.max_ns = ~0ULL,
	};
}

void stacks_row_fill(struct stacks_row *row, const struct stacks_view *view,
		     const struct stacks_sum *from)
{
	*row = (struct stacks_row){ .worker = from->worker, .lost = from->key.other };
	group_row_fill(&row->keys, &view->group, &from->key);
	fill_figures(row, view, from);
	/* In the row "(other)" the numbers are 0, STACKS_TEXT_LOST. */
	if (view->cfg->flags & STACKS_KERNEL)
		row->kstack = stacks_texts_at(view->texts, from->kstack);
	if (view->cfg->flags & STACKS_USER)
		row->ustack = stacks_texts_at(view->texts, from->ustack);
}

void stacks_check_row(const struct stacks_view *view, const struct stacks_row *row)
{
	struct expr_row values = {
		.count = row->count,
		.some_op = view->cfg->flags & STACKS_ERRORS,
		.errors = view->functions ? 0 : row->errors,
		.bytes = view->functions ? 0 : row->bytes,
		.avg_ns = (double)row->lat_ns / (double)row->count,
		.percentile = hist_percentile_of, /* called only with --hist */
		.ctx = &row->hist,
	};

	group_check(&view->group, &row->keys, &values);
}

int stacks_compare(const void *a, const void *b, void *view)
{
	const struct stacks_view *of = view;
	u64 left = stacks_weigh(a, of->weight), right = stacks_weigh(b, of->weight);

	if (left != right)
		return left > right ? -1 : 1;
	return stacks_sum_compare(&of->group, a, b);
}
