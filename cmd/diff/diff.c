// SPDX-License-Identifier: GPL-2.0-or-later
/* diff: whether latencies changed from one recording to another. */
#include <errno.h>
#include <math.h>

#include "lib/view/compare.h"
#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/cli/cmd.h"
#include "lib/cli/expr.h"
#include "lib/view/latency_count.h"
#include "lib/session/session.h"

#define KEYS_MAX 512 /* rows */

struct diff_opts {
	u64 by; /* bits 1 << enum key */
	const char *percentiles;
	bool admin, queued;
};

struct diff_state {
	struct diff_compare compare;
	bool failed;
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
		 .brief = "measure from block layer entry", .help = "measure from block layer entry; commands whose entry is not known are left out and counted"),
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
static int check_condition(const struct diff_compare *c, struct session *s)
{
	const struct expr *e = session_condition(s);
	u32 p;

	for (u32 i = 0; i < e->n_terms; i++) {
		for (p = 0; p < c->n_pct; p++)
			if (c->pct[p].millionths == e->terms[i].millionths)
				break;
		if (p == c->n_pct)
			return fail_missing("this percentile is not compared", "add it to -P",
					    "--fail-if '%s'", session_common(s)->run.fail_if);
	}
	return group_check_condition(&c->group);
}

static int diff_check(struct session *s, struct session_request *ask)
{
	const struct diff_opts *opts = session_cfg(s);
	struct diff_state *state = session_state(s);
	struct diff_compare *c = &state->compare;
	int err = latency_percentiles(c->pct, &c->n_pct, opts->percentiles);

	if (err)
		return err;
	ask->admin = opts->admin;
	ask->one_host = true;
	ask->none = "command completed";
	c->queued = opts->queued;
	group_init(&c->group, s, opts->by, "(other)");
	return check_condition(c, s);
}

static int diff_start(struct session *s, struct session_request *ask)
{
	struct diff_state *state = session_state(s);
	struct diff_compare *c = &state->compare;

	ask->required = NEED_STATUS | group_needs(&c->group) | (c->queued ? NEED_QUEUED : 0);
	return diff_open(c, KEYS_MAX) ? fail(-ENOMEM, NULL, NULL, "cannot keep latencies") : 0;
}

static int diff_event(struct session *s, const struct view *v)
{
	struct diff_state *state = session_state(s);
	int added;

	if (v->ev->kind != EVENT_IO)
		return 0;
	if (state->compare.queued && event_entry_unknown(v->ev)) {
		session_entry_unknown(s, 1);
		return 1;
	}
	added = diff_add(&state->compare, v);
	if (added > 0)
		session_lost(s, STAT_KEYS_FULL, 1);
	if (added < 0 && !state->failed)
		session_fail(s, fail(-ENOMEM, NULL, NULL, "cannot keep latencies"));
	state->failed |= added < 0;
	session_account(s, 1, event_failed(v->ev));
	return 0;
}

/* For --fail-if. */
static void change_of(const void *ctx, u32 millionths, double *low, double *high)
{
	const struct diff_compare *c = ctx;

	*low = *high = NAN;
	for (u32 p = 0; p < c->n_pct; p++) {
		if (c->pct[p].millionths != millionths)
			continue;
		*low = c->change[p].low_pct;
		*high = c->change[p].high_pct;
	}
}

/* Text only: under the percentiles of a key, which of its recordings are too short. */
static void say_too_short(struct out *o, const struct diff_row *row)
{
	char text[sizeof(row->too_short_text)];

	for (u32 side = 0; side < DIFF_SIDES; side++) {
		if (!row->too_short[side].need_ns)
			continue;
		diff_short_text(text, sizeof(text), side, &row->too_short[side]);
		out_text(o, "  %s\n", text);
	}
}

static void report(struct session *s, struct diff_compare *c, u32 i)
{
	struct expr_row values = { .change = change_of, .ctx = c };

	diff_key(c, i);
	for (u32 p = 0; p < c->n_pct; p++) {
		diff_percentile(c, i, p);
		out_row(session_out(s), &diff_schema, &c->row);
	}
	say_too_short(session_out(s), &c->row);
	values.count = c->row.count[DIFF_A] && c->row.count[DIFF_B];
	group_check(&c->group, &c->row.keys, &values);
}

static int diff_tick(struct session *s, const struct tick *t)
{
	struct diff_state *state = session_state(s);
	u32 rows;

	if (!t->last)
		return 0; /* a signal: half a recording is not worth comparing */
	group_interval(&state->compare.group, t);
	rows = diff_settle(&state->compare);
	for (u32 i = 0; i < rows; i++)
		report(s, &state->compare, i);
	return 0;
}

static void diff_stop(struct session *s)
{
	struct diff_state *state = session_state(s);

	diff_close(&state->compare);
}

static const struct schema *const diff_schemas[] = { &diff_schema, NULL };

const struct cmd cmd_diff = {
	.name = "diff",
	.summary = "tell whether latencies changed between two recordings",
	.about =
		"Compares percentiles of command latency in FILE_A with those in FILE_B; each is what "
		"latency --hist-bits 6 prints of that file. LOW% and "
		"HIGH% bound the change: with 95 % confidence all of them hold together. IS is + where "
		"latency surely grew, - where it surely fell, = where no change can be told, and ? "
		"where nothing is known: there are too few commands to exclude that it doubled or "
		"halved, or a recording is too short.\n\n"
		"The bounds rest on how the share of commands below a latency wanders in each "
		"recording, split into waves from slow to fast. The eight slowest tell how far off "
		"a recording of this length is by itself. If the slowest four are far stronger than "
		"the fast ones, still slower ones must be expected: the recording is too short for "
		"its own wandering, and diff says how long to record. A step within a recording "
		"looks like that, too.\n\n"
		"Recordings of two hosts are compared by the same names. At most 512 keys are "
		"compared; commands of others are counted in the row \"(other)\". --fail-if 'p99>+10%' is true "
		"if the change is surely more than 10 %, so if LOW% is.",
	.operands = "FILE_A FILE_B",
	.examples = diff_examples,
	.takes =
		TAKES_SELECTION | TAKES_OUTPUT | TAKES_UNIT | TAKES_CHECKS | TAKES_FILES | COMPARES,
	.rows = EXPR_CHANGES,
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
