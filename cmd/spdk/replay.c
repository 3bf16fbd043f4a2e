// SPDX-License-Identifier: GPL-2.0-or-later
/* Prints the hits of a recording, or records some of them anew. */
#include <unistd.h>

#include "cmd/spdk/report.h"
#include "cmd/spdk/spdk.h"
#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/session/signals.h"

struct again {
	const struct invocation *inv;
	struct spdk_report report;
	struct spdk_load load;
	struct replay_wait wait;
	int signal_fd;
	bool ending;
	u64 left_out; /* hits that are not selected */
};

/* Whether the options select a hit of this place. */
static bool selected(const struct again *a)
{
	const struct spdk_opts *opts = a->inv->cfg;
	const struct spdk_site *site = &a->load.site[a->load.hit.site];
	u64 sets = opts->sets ? opts->sets : ~0ULL;

	return sets & 1ULL << site->shape.set && spdk_takes_probe(opts, site->shape.name) &&
	       spdk_takes_process(opts, site->pid, site->comm);
}

static bool is_over(const struct again *a)
{
	u64 duration_ns = a->inv->common.run.duration_ns;
	const struct spdk_report *r = &a->report;

	return duration_ns && a->load.hit.ts_ns >= r->start_ns + duration_ns;
}

static bool stop_waiting(void *arg)
{
	struct again *a = arg;

	a->ending |= signals_end(a->signal_fd);
	return a->ending;
}

/* Hands out all hits, the one at hand first if @more is 1. 0 or -errno, reported. */
static int put_hits(struct again *a, int more)
{
	struct spdk_report *r = &a->report;
	struct spdk_load *l = &a->load;
	u64 n = 0;

	for (; more > 0; more = spdk_load_next(l)) {
		r->wall_offset_ns = l->wall_offset_ns;
		if (l->hit.ts_ns > r->end_ns && !is_over(a))
			r->end_ns = l->hit.ts_ns;
		if (!selected(a) || is_over(a) || a->ending)
			a->left_out++;
		else
			spdk_report_hit(r, l->process[l->hit.site], &l->site[l->hit.site], &l->hit);
		if (++n % 4096 == 0)
			stop_waiting(a);
		if (r->err || (r->o && out_error(r->o)))
			break;
	}
	return more < 0 ? more : r->err;
}

/*
 * The account is that of the recording, without what is not selected. A file that was cut has none:
 * then what was read counts.
 */
static int finish(struct again *a)
{
	struct spdk_report *r = &a->report;
	struct spdk_sum sum = { 0 };
	u64 end_ns = 0, duration_ns = a->inv->common.run.duration_ns;
	bool whole = spdk_load_end(&a->load, &sum, &end_ns);

	if (whole && end_ns > r->end_ns)
		r->end_ns = end_ns;
	if (duration_ns && r->end_ns > r->start_ns + duration_ns)
		r->end_ns = r->start_ns + duration_ns;
	for (u32 i = 0; i < SPDK_CAUSES; i++)
		*spdk_cause_of(&r->lost, i) += *spdk_cause_of(&sum.lost, i);
	sum.hits =
		whole ? sum.hits - a->left_out - r->over : r->emitted + spdk_lost_total(&r->lost);
	spdk_report_lost(r, r->end_ns);
	return spdk_report_end(r, sum.hits, a->load.sums, a->load.n_processes);
}

static int print_again(struct out *o, const void *ctx)
{
	struct again *a = (struct again *)ctx;
	struct spdk_report *r = &a->report;
	int err, more;

	r->recorded = replay_head(a->load.replay, 0);
	r->start_ns = r->end_ns = r->recorded->start_ns;
	r->wall_offset_ns = r->recorded->wall_offset_ns;
	/* Processes come before hits: the first one says whether there are several. */
	more = spdk_load_next(&a->load);
	err = spdk_report_begin(r, o, a->load.n_processes > 1);
	if (!err)
		spdk_report_processes(r, a->load.sums, a->load.n_processes);
	if (!err)
		err = put_hits(a, more);
	if (!err)
		err = finish(a);
	return !err && replay_damaged(a->load.replay) ? EXIT_AS(EXIT_NOTHING) : err;
}

/* Opens the recording. 0 or EXIT_AS(...) after a message. */
static int open_file(struct again *a)
{
	const struct opt_list *files = &a->inv->common.run.input;
	const char *holds;
	int err;

	if (files->n > 1)
		return fail_usage("recordings of probes are read one at a time", "name one",
				  "--input '%s'", files->word[1]);
	err = replay_open_any(&a->load.replay, files, 0, &a->wait);
	if (err)
		return err;
	holds = replay_head(a->load.replay, 0)->holds;
	if (holds && streq(holds, RECORD_PROBES))
		return 0;
	return fail(EXIT_AS(EXIT_NOTHING), "it holds no hits of probes",
		    "name a file written by 'nvmetool spdk -f nvt'", "cannot read '%s'",
		    files->word[0]);
}

int spdk_replay(const struct invocation *inv)
{
	struct again a = { .inv = inv, .signal_fd = signals_open() };
	int err = a.signal_fd < 0 ? a.signal_fd : 0;

	a.wait = (struct replay_wait){ a.signal_fd, stop_waiting, &a };
	if (!err)
		err = open_file(&a);
	if (!err)
		err = spdk_report_open(&a.report, inv);
	if (!err)
		err = spdk_records(inv) ? print_again(NULL, &a)
					: cmd_print(inv, spdk_schemas, print_again, &a);
	spdk_report_close(&a.report);
	spdk_load_free(&a.load);
	replay_close(a.load.replay);
	if (a.signal_fd >= 0)
		close(a.signal_fd);
	return err;
}
