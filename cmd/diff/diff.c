// SPDX-License-Identifier: GPL-2.0-or-later
/* diff: whether latencies changed from one recording to another. */
#include <errno.h>
#include <math.h>

#include "cmd/diff/row.h"
#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/cli/cmd.h"
#include "lib/cli/expr.h"
#include "lib/group/table.h"
#include "lib/latency/count.h"
#include "lib/session/session.h"

#define KEYS_MAX 512 /* rows; a sample takes up to a quarter of a megabyte */
#define ALPHA	 0.05 /* the chance that any of the intervals misses its change */

struct diff_opts {
	u64 by; /* bits 1 << enum key */
	const char *percentiles;
	bool admin, queued;
};

/* A row of lib/group/table.h. */
struct diff_sum {
	struct group_key key;
	struct diff_sample *side[DIFF_SIDES]; /* NULL: no command yet */
};

struct diff_state {
	struct group group;
	struct group_table *table;
	struct percentile pct[HIST_PERCENTILES];
	u32 n_pct;
	bool queued, failed;
	double alpha; /* of one interval */
	double seconds[DIFF_SIDES]; /* how long the recordings are */
	struct diff_row row;
	struct diff_change change[HIST_PERCENTILES]; /* of the row */
};

/* clang-format off */
static const struct opt_word by_words[] = {
	GROUP_WORD(NONE) DIFF_KEYS(GROUP_WORD)
	{ NULL },
};

static const struct opt diff_opts[] = {
	OPT_SET_OF(struct diff_opts, by, .name = "by", .main = true, .letter = 'b', .arg = "LIST", .def = "ctrl,opcode",
		   .words = by_words, .help = "rows for each combination of these"),
	OPT_STR(struct diff_opts, percentiles, .name = "percentiles", .main = true, .letter = 'P', .arg = "LIST",
		.def = "50,90,99,99.9", .help = "percentiles to compare"),
	OPT_FLAG(struct diff_opts, admin, .name = "admin", .main = true, .letter = 'A', .help = "include admin commands"),
	OPT_FLAG(struct diff_opts, queued, .name = "queued", .main = true, .letter = 'Q',
		 .help = "measure from the entry into the block layer"),
	OPT_DONE
};

static const struct example diff_examples[] = {
	{ "before and after a change", "nvmetool diff before.nvt after.nvt" },
	{ "by device and opcode", "nvmetool diff --by dev,opcode a.nvt b.nvt" },
	{ "status 6 if surely slower", "nvmetool diff --fail-if 'p99>+10%' a.nvt b.nvt" },
	{ "reads alone, as CSV", "nvmetool diff -O read --csv a.nvt b.nvt" },
	{ NULL },
};
/* clang-format on */

/* Rejects a --fail-if on a percentile that is not compared. */
static int check_condition(const struct diff_state *state, struct session *s)
{
	const struct expr *e = session_condition(s);
	u32 p;

	for (u32 i = 0; i < e->n_terms; i++) {
		for (p = 0; p < state->n_pct; p++)
			if (state->pct[p].millionths == e->terms[i].millionths)
				break;
		if (p == state->n_pct)
			return fail_usage("this percentile is not compared", "add it to -P",
					  "--fail-if '%s'", session_common(s)->run.fail_if);
	}
	return group_check_condition(&state->group);
}

static int diff_check(struct session *s, struct session_request *ask)
{
	const struct diff_opts *opts = session_cfg(s);
	struct diff_state *state = session_state(s);
	int err = latency_percentiles(state->pct, &state->n_pct, opts->percentiles);

	if (err)
		return err;
	ask->admin = opts->admin;
	ask->one_host = true;
	state->queued = opts->queued;
	group_init(&state->group, s, opts->by, "(other)");
	return check_condition(state, s);
}

static int diff_start(struct session *s, struct session_request *ask)
{
	struct diff_state *state = session_state(s);

	ask->needs = NEED_STATUS | group_needs(&state->group) | (state->queued ? NEED_QUEUED : 0);
	state->table =
		group_table_open(sizeof(struct group_key), sizeof(struct diff_sum), KEYS_MAX);
	return state->table ? 0 : fail(-ENOMEM, NULL, NULL, "cannot keep latencies");
}

static int diff_event(struct session *s, const struct view *v)
{
	struct diff_state *state = session_state(s);
	struct diff_sample **sample;
	struct diff_sum *row;
	struct group_key key;

	if (v->ev->kind != EVENT_IO)
		return 0;
	group_key_fill(&key, &state->group, v);
	row = group_table_row(state->table, &key);
	if (row->key.other)
		session_lost(s, STAT_KEYS_FULL, 1);
	sample = &row->side[v->file == 0 ? DIFF_A : DIFF_B];
	if (!*sample)
		*sample = diff_sample_new();
	if (*sample)
		diff_sample_add(*sample, v->ev->ts_ns, latency_of(v->ev, state->queued));
	else if (!state->failed)
		session_fail(s, fail(-ENOMEM, NULL, NULL, "cannot keep latencies"));
	state->failed |= !*sample;
	session_account(s, 1, event_failed(v->ev));
	return 0;
}

/* Gives each interval its share of ALPHA, so that all of them hold together. */
static void share_alpha(struct diff_state *state, u32 rows)
{
	u32 compared = 0;

	for (u32 i = 0; i < rows; i++) {
		const struct diff_sum *sum = group_table_at(state->table, i);

		compared += sum->side[DIFF_A] && sum->side[DIFF_B] && !sum->key.other;
	}
	state->alpha = ALPHA / (compared ? compared * state->n_pct : 1);
}

static void measure(struct session *s, struct diff_state *state)
{
	u64 start_ns, end_ns;

	for (u32 side = 0; side < DIFF_SIDES; side++) {
		session_period(s, side, &start_ns, &end_ns);
		state->seconds[side] = (double)(end_ns - start_ns) / 1e9;
	}
}

/* The change of a percentile of @sum, and its two values. What is in "(other)" may differ. */
static void compare(struct diff_state *state, const struct diff_sum *sum, u32 p)
{
	struct diff_point points[DIFF_SIDES];

	for (u32 side = 0; side < DIFF_SIDES; side++) {
		const struct diff_sample *sample = sum->key.other ? NULL : sum->side[side];

		points[side] = diff_point(sample, state->pct[p].millionths, state->alpha);
		state->row.ns[side] = sample ? (u64)points[side].at : ~0ULL;
	}
	state->change[p] = diff_change(&points[DIFF_A], &points[DIFF_B]);
}

static void print_percentiles(struct session *s, struct diff_state *state,
			      const struct diff_sum *sum)
{
	struct diff_row *row = &state->row;

	for (u32 p = 0; p < state->n_pct; p++) {
		compare(state, sum, p);
		row->change = state->change[p];
		row->verdict = diff_sign(diff_judge(&row->change));
		snprintf(row->percentile, sizeof(row->percentile), "p%.*s",
			 (int)state->pct[p].word_len, state->pct[p].word);
		out_row(session_out(s), &diff_schema, row);
	}
}

/* For --fail-if. */
static void change_of(const void *ctx, u32 millionths, double *low, double *high)
{
	const struct diff_state *state = ctx;

	*low = *high = NAN;
	for (u32 p = 0; p < state->n_pct; p++) {
		if (state->pct[p].millionths != millionths)
			continue;
		*low = state->change[p].low_pct;
		*high = state->change[p].high_pct;
	}
}

static void report(struct session *s, struct diff_state *state, const struct diff_sum *sum)
{
	struct diff_row *row = &state->row;
	struct expr_row values = { .change = change_of, .ctx = state };

	group_row_fill(&row->keys, &state->group, &sum->key);
	for (u32 side = 0; side < DIFF_SIDES; side++) {
		row->count[side] = sum->side[side] ? sum->side[side]->count : 0;
		row->iops[side] = (double)row->count[side] / state->seconds[side];
		values.count += row->count[side];
	}
	print_percentiles(s, state, sum);
	group_check(&state->group, &row->keys, &values);
}

static int diff_tick(struct session *s, const struct tick *t)
{
	struct diff_state *state = session_state(s);
	u32 rows = group_table_sort(state->table, group_compare, &state->group);

	if (!t->last)
		return 0; /* a signal: half a recording is not worth comparing */
	group_interval(&state->group, t);
	measure(s, state);
	share_alpha(state, rows);
	for (u32 i = 0; i < rows; i++)
		report(s, state, group_table_at(state->table, i));
	if (!rows)
		note("no matching command completed");
	return 0;
}

static void diff_stop(struct session *s)
{
	struct diff_state *state = session_state(s);
	u32 rows = state->table ? group_table_sort(state->table, NULL, NULL) : 0;

	for (u32 i = 0; i < rows; i++) {
		const struct diff_sum *sum = group_table_at(state->table, i);

		free(sum->side[DIFF_A]);
		free(sum->side[DIFF_B]);
	}
	group_table_close(state->table);
}

static const struct schema *const diff_schemas[] = { &diff_schema, NULL };

const struct cmd cmd_diff = {
	.name = "diff",
	.summary = "tell whether latencies changed between two recordings",
	.about =
		"Compares percentiles of command latency in FILE_A with those in FILE_B. LOW% and "
		"HIGH% bound the change. The bounds take into account how many commands there are, "
		"how much each recording varies in itself, and how many comparisons are made: with "
		"95 % confidence all of them hold together. IS is + where latency surely grew, - "
		"where it surely fell, = where no change can be told, and ? where there are too few "
		"commands to exclude that it doubled or halved.\n\n"
		"Recordings of two hosts are compared by the same names. At most 512 keys are "
		"compared; commands of others are counted in the row \"(other)\". --fail-if 'p99>+10%' is true "
		"if the change is surely more than 10 %, so if LOW% is.",
	.operands = "FILE_A FILE_B",
	.examples = diff_examples,
	.takes = TAKES_SELECTION | TAKES_OUTPUT | TAKES_UNIT | TAKES_CHECKS | TAKES_OPERANDS |
		 COMPARES,
	.opts = diff_opts,
	.cfg_size = sizeof(struct diff_opts),
	.schemas = diff_schemas,
	.state_size = sizeof(struct diff_state),
	.check = diff_check,
	.start = diff_start,
	.event = diff_event,
	.tick = diff_tick,
	.stop = diff_stop,
};
