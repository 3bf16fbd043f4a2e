// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads a run, and writes its families. */
#include "cmd/metrics/families.h"

#include <errno.h>

#include "lib/base/clock.h"
#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/event/counters.h"
#include "lib/session/lost.h"

#define LABELS_MAX 1024

/* clang-format off */
static const struct family duration = { "nvmetool_command_duration_seconds", "seconds", FAMILY_HISTOGRAM,
	"Time from the driver's set-up of a command to its completion." };
static const struct family block_duration = { "nvmetool_block_duration_seconds", "seconds", FAMILY_HISTOGRAM,
	"Time from a command's entry into the block layer to its completion, the wait for a tag included." };
static const struct family bytes = { "nvmetool_command_bytes", "bytes", FAMILY_COUNTER,
	"Data that completed commands transferred." };
static const struct family errors = { "nvmetool_command_errors", NULL, FAMILY_COUNTER,
	"Commands that completed with an error status, each attempt by itself." };
static const struct family lost = { "nvmetool_lost", NULL, FAMILY_COUNTER,
	"What is missing in the other metrics, by cause." };
static const struct family complete = { "nvmetool_complete", NULL, FAMILY_GAUGE,
	"1 as long as nothing was lost." };
static const struct family build = { "nvmetool_build", NULL, FAMILY_INFO,
	"The version of nvmetool." };
static const struct family start_time = { "nvmetool_start_time_seconds", "seconds", FAMILY_GAUGE,
	"When counting began, in seconds since 1970." };
/* clang-format on */

int metrics_reading_open(struct metrics_reading *r, struct session *s, const struct group *group,
			 u32 max_series, struct session_request *ask)
{
	int err;

	r->s = s;
	r->count.group = group;
	r->count.max_rows = max_series;
	hist_shape(&r->count.cfg.hist, latency_bits(s), 0, 0);
	r->count.cfg.flags = r->queued ? LATENCY_BOTH : 0;
	r->ctrls.s = s;
	err = latency_count_start(&r->count, s, ask);
	if (err)
		return err;
	metrics_ctrls_ask(ask);
	err = metrics_rows_open(&r->rows, group, &r->count.cfg, r->count.cfg.slots - 1);
	return err ? fail(err, NULL, NULL, "cannot keep metrics") : 0;
}

void metrics_reading_close(struct metrics_reading *r)
{
	latency_count_stop(&r->count);
	metrics_rows_close(&r->rows);
}

void metrics_reading_event(struct metrics_reading *r, const struct view *v)
{
	latency_count_event(&r->count, v);
	metrics_ctrls_event(&r->ctrls, v);
}

void metrics_read(struct metrics_reading *r)
{
	metrics_ctrls_read(&r->ctrls);
	latency_count_collect(&r->count);
	r->read_ns = clock_ns(CLOCK_MONOTONIC);
	if (!r->start_wall_ns)
		r->start_wall_ns = session_wall_ns(r->s, session_from_ns(r->s));
}

static void put_rows(const struct metrics_reading *r, struct expo *e)
{
	const struct metrics_row *row = r->rows.row, *end = row + r->rows.n;

	expo_family(e, &duration);
	for (row = r->rows.row; row < end; row++)
		expo_histogram(e, &duration, row->labels, row->command.counts,
			       row->command.sum.sum_ns);
	if (r->queued)
		expo_family(e, &block_duration);
	for (row = r->rows.row; r->queued && row < end; row++)
		expo_histogram(e, &block_duration, row->labels, row->block.counts,
			       row->block.sum.sum_ns);
	expo_family(e, &bytes);
	for (row = r->rows.row; row < end; row++)
		expo_number(e, &bytes, row->labels, row->command.sum.bytes);
	if (session_no_status(r->s))
		return;
	expo_family(e, &errors);
	for (row = r->rows.row; row < end; row++)
		expo_number(e, &errors, row->labels, row->command.sum.errors);
}

static void put_account(const struct metrics_reading *r, struct expo *e)
{
	const struct counters *c = session_counters(r->s);
	const struct lost_cause *cause;
	char labels[LABELS_MAX];

	expo_family(e, &lost);
	for (u32 i = 0; (cause = lost_cause(false, i)); i++) {
		if (lost_is_unknown(c, cause))
			continue;
		labels[0] = '\0';
		expo_label(labels, sizeof(labels), "cause", cause->name);
		expo_number(e, &lost, labels, lost_count(&c->lost, cause));
	}
	expo_family(e, &complete);
	expo_number(e, &complete, "", counters_complete(c));
}

static void put_build(struct expo *e)
{
	char labels[LABELS_MAX] = "";

	expo_label(labels, sizeof(labels), "version", NVT_VERSION);
	expo_family(e, &build);
	expo_number(e, &build, labels, 1);
}

/* Writes what is of nvmetool itself, and the end. */
static void put_end(const struct metrics_reading *r, struct expo *e)
{
	put_build(e);
	if (r->served)
		metrics_process_put(&r->process, e);
	expo_end(e);
}

static void read_in_time(struct metrics_reading *r)
{
	u64 interval_ns = session_common(r->s)->run.interval_ns;

	if (!r->read_ns || clock_ns(CLOCK_MONOTONIC) - r->read_ns >= interval_ns)
		metrics_read(r);
}

void metrics_render(struct metrics_reading *r, struct expo *e)
{
	if (!r->s) {
		put_end(r, e);
		return;
	}
	read_in_time(r);
	if (metrics_rows_make(&r->rows, r->count.table)) {
		e->failed = true;
		return;
	}
	put_rows(r, e);
	put_account(r, e);
	metrics_ctrls_put(&r->ctrls, e);
	expo_family(e, &start_time);
	expo_seconds(e, &start_time, "", r->start_wall_ns);
	put_end(r, e);
}
