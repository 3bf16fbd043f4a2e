// SPDX-License-Identifier: GPL-2.0-or-later
/* Findings about what is missing, and what failed. */
#include <inttypes.h>

#include "cmd/report/report.h"
#include "lib/base/fmt.h"
#include "lib/base/str.h"
#include "lib/event/counters.h"
#include "lib/nvme/spec.h"
#include "lib/session/lost.h"
#include "lib/session/recording.h"

/* Appends the first cause of loss; find_lost() says how much it is in all. */
static void say_lost(void *ctx, const char *label, const char *text)
{
	struct finding *f = ctx;

	finding_say(f, "%s%s", *label ? "" : ", ", text);
}

void find_lost(struct report *r, u32 side)
{
	struct counters c;
	struct finding *f;

	session_recording(r->s, side, &c);
	if (counters_complete(&c))
		return;
	f = find_new(r, side, FINDING_LOST, FINDING_HIGH, NULL);
	if (c.cut)
		finding_say(f, "the recording is cut or damaged: more may be missing");
	if (c.cut && counters_lost(&c))
		finding_say(f, "; ");
	if (counters_lost(&c))
		finding_say(f, "counts are too low: ");
	lost_lines(&c.lost, "lost", "", say_lost, f);
	if (!c.cut && !counters_lost(&c))
		finding_say(f, "the counters of the recording contradict each other");
	finding_figure(f, "lost", (double)counters_lost(&c));
	find_shows(r, f, session_is_replay(r->s) ? "info" : "doctor");
}

/* The place of errors with one status, as far as they were kept one by one. */
struct common_place {
	u64 lba, first_ns, last_ns;
	u32 n, places;
};

static struct common_place place_of(struct report_side *side, const struct group_row *keys)
{
	struct common_place at = { 0 };

	for (u32 i = 0; i < side->n_trouble; i++) {
		const struct view *v = view_kept(&side->trouble[i]);
		u64 lba = v->ev->cdw[0] | (u64)v->ev->cdw[1] << 32;

		if (v->ev->kind != EVENT_IO || !event_failed(v->ev) ||
		    (s64)(v->ev->status & 0x7ff) != (keys->status & 0x7ff) ||
		    v->queue->ctrl_id != keys->ctrl_id)
			continue;
		if (!at.n++ || lba != at.lba)
			at.places++;
		at.lba = lba;
		at.first_ns = at.first_ns ? at.first_ns : v->ev->ts_ns;
		at.last_ns = v->ev->ts_ns;
	}
	return at;
}

static enum finding_severity severity_of(const struct group_row *keys)
{
	u32 sct = (u32)keys->status >> 8 & 7;

	if (keys->admin)
		return FINDING_LOW; /* tools ask drives for what they do not have */
	return sct == 2 || sct == 3 || keys->status == NVME_SC_INTERNAL ? FINDING_HIGH
									: FINDING_MEDIUM;
}

/* Whether two rows differ in the opcode alone. */
static bool have_same_status(const struct latency_sum *a, const struct latency_sum *b)
{
	return a->key.ctrl_id == b->key.ctrl_id && a->key.host == b->key.host &&
	       a->key.status == b->key.status && a->key.admin == b->key.admin;
}

/* Whether an earlier row than @i has the same status of the same controller. */
static bool is_said(const struct group_table *t, u32 i)
{
	for (u32 at = 0; at < i; at++)
		if (have_same_status(group_table_at(t, at), group_table_at(t, i)))
			return true;
	return false;
}

/* Appends "16 read and 3 write commands failed": row @i and those of other opcodes. Returns how many. */
static u64 say_counts(struct report *r, const struct group_table *t, u32 i, u32 n,
		      struct finding *f)
{
	const struct latency_sum *first = group_table_at(t, i);
	const char *between = "";
	u64 all = 0;

	for (; i < n; i++) {
		const struct latency_sum *row = group_table_at(t, i);
		struct group_row keys;

		if (row->key.other || !have_same_status(row, first))
			continue;
		group_row_fill(&keys, &r->view[REPORT_STATUS].group, &row->key);
		finding_say(f, "%s%" PRIu64 " %s", between, (uint64_t)row->count,
			    keys.op ? keys.op : "?");
		between = ", ";
		all += row->count;
	}
	finding_say(f, " command%s failed", plural(all));
	return all;
}

static void say_errors(struct report *r, u32 side, const struct group_table *t, u32 i, u32 n)
{
	const struct latency_sum *row = group_table_at(t, i);
	struct group_row keys;
	struct common_place at;
	struct finding *f;
	const char *remedy;
	char ctrl[FIND_WORD];

	group_row_fill(&keys, &r->view[REPORT_STATUS].group, &row->key);
	at = place_of(&r->side[side], &keys);
	f = find_new(r, side, FINDING_ERRORS, severity_of(&keys), keys.ctrl);
	f->weight = (double)say_counts(r, t, i, n, f);
	finding_say(f, " (%s)", keys.status_name ? keys.status_name : "status without a name");
	if (!keys.admin && at.n > 1 && at.places == 1 && at.n == f->weight &&
	    !(r->lacks & NEED_SQE))
		finding_say(f, ", all at block %" PRIu64, (uint64_t)at.lba);
	remedy = nvme_status_remedy(row->key.status, nvme_set_of(!row->key.admin, row->key.opcode));
	if (remedy && *remedy)
		finding_say(f, ": %s", remedy);
	finding_figure(f, "count", f->weight);
	if (at.n)
		find_when(r, f, at.first_ns, at.last_ns);
	find_shows(r, f, "errors %s", find_ctrl_option(r, &row->key, ctrl));
}

void find_errors(struct report *r, u32 side)
{
	struct group_table *t = r->side[side].table[REPORT_STATUS];
	u32 n = group_table_sort(t, latency_sum_compare, &r->view[REPORT_STATUS].group);

	for (u32 i = 0; i < n; i++)
		if (!((const struct latency_sum *)group_table_at(t, i))->key.other &&
		    !is_said(t, i))
			say_errors(r, side, t, i, n);
}

/* The controllers of a type of trouble, of those that were kept; and when. */
static struct finding *say_trouble(struct report *r, u32 i, enum finding_kind kind,
				   enum errors_type type)
{
	struct report_side *side = &r->side[i];
	const char *ctrl = NULL;
	u64 first_ns = 0, last_ns = 0;
	struct finding *f;

	for (u32 at = 0; at < side->n_trouble; at++) {
		const struct view *v = view_kept(&side->trouble[at]);

		if (errors_type_of(v, false) != type)
			continue;
		ctrl = !first_ns || ctrl == v->ctrl ? v->ctrl : NULL;
		first_ns = first_ns ? first_ns : v->ev->ts_ns;
		last_ns = v->ev->ts_ns;
	}
	f = find_new(r, i, kind, FINDING_HIGH, ctrl);
	f->weight = (double)side->troubles[type];
	if (first_ns)
		find_when(r, f, first_ns, last_ns);
	return f;
}

void find_resets(struct report *r, u32 side)
{
	const u64 *troubles = r->side[side].troubles;
	u64 timeouts = troubles[ERRORS_TIMEOUT], aborts = troubles[ERRORS_ABORT];
	struct finding *f;

	if (timeouts + aborts) {
		f = say_trouble(r, side, FINDING_TIMEOUTS,
				timeouts ? ERRORS_TIMEOUT : ERRORS_ABORT);
		finding_say(f,
			    "the driver waited in vain for %" PRIu64
			    " command%s and aborted %" PRIu64
			    ": the drive, its link or its fabric hangs",
			    (uint64_t)timeouts, plural(timeouts), (uint64_t)aborts);
		finding_figure(f, "timeouts", (double)timeouts);
		finding_figure(f, "aborts", (double)aborts);
		find_shows(r, f, "errors");
	}
	if (troubles[ERRORS_RESET]) {
		f = say_trouble(r, side, FINDING_RESETS, ERRORS_RESET);
		finding_say(f,
			    "the controller was reset %" PRIu64 " time%s; commands in flight are "
			    "cancelled then, and tried again",
			    (uint64_t)troubles[ERRORS_RESET], plural(troubles[ERRORS_RESET]));
		finding_figure(f, "resets", (double)troubles[ERRORS_RESET]);
		find_shows(r, f, "errors");
	}
}

static void say_retries(struct report *r, u32 side, const char *dev, u64 retried, double part)
{
	struct finding *f = find_new(r, side, FINDING_RETRIES, FINDING_MEDIUM, dev);
	char share[FMT_NUMBER], word[FIND_WORD];

	f->weight = part;
	finding_say(f, "%" PRIu64 " command%s succeeded only when tried again, %s %% of all",
		    (uint64_t)retried, plural(retried), fmt_number(share, part * 100, 2));
	finding_figure(f, "retried", (double)retried);
	find_shows(r, f, "errors -R -d %s", find_quote(dev ? dev : "", word));
}

void find_retries(struct report *r, u32 side)
{
	const struct log *l = &r->side[side].log;

	for (u32 k = 0; k < l->n_kinds; k++) {
		u64 count = 0, retried = 0;

		if (!find_is_first(l, k))
			continue;
		for (u32 i = k; i < l->n_kinds; i++) {
			if (!find_is_of(l, i, l->kind[k]->key.device))
				continue;
			count += l->kind[i]->count;
			retried += l->kind[i]->retried;
		}
		if (retried &&
		    (double)retried / (double)count >= finding_limit[LIMIT_RETRIES_SHARE])
			say_retries(r, side, find_device(r, side, k), retried,
				    (double)retried / (double)count);
	}
}
