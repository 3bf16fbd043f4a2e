// SPDX-License-Identifier: GPL-2.0-or-later
/* inflight: the commands that drives have now, without tracing. */
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "bpf/shared/filter.h"
#include "cmd/inflight/row.h"
#include "cmd/inflight/snapshot.h"
#include "cmd/inflight/submitters.h"
#include "lib/base/clock.h"
#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/btf/btf_types.h"
#include "lib/cli/cmd.h"
#include "lib/cli/expr.h"
#include "lib/cli/select.h"
#include "lib/host/device.h"
#include "lib/host/probe.h"
#include "lib/loader/btf.h"
#include "lib/loader/walker.h"
#include "lib/record/record.h"
#include "lib/session/meta.h"

enum order { ORDER_AGE, ORDER_LEFT, ORDER_DEV };

struct inflight_cfg_opts {
	u64 older_ns;
	u32 order; /* enum order */
	u32 rows; /* 0: all */
	u64 at_ns; /* of a recording; 0: live */
};

/* A run. */
struct run {
	const struct invocation *inv;
	const struct inflight_cfg_opts *opts;
	struct out *o;
	struct probe probe;
	struct kernel_features btf;
	struct filter filter;
	struct cgroup_table cgroups;
	struct walker *walker; /* NULL: lockdown hides the commands, or they are recorded */
	struct submitters *submitters; /* with INTERVAL; NULL: nothing is attached */
	int untraced; /* why, with INTERVAL: EXIT_AS(...), which was told */
	struct replay *replay; /* NULL: live */
	bool hidden; /* by lockdown */
	bool unrecorded; /* the recording may lack commands that were in flight */
	struct expr expr;
	int signal_fd;
	bool failed; /* --fail-if was true */
	bool torn; /* something was left out */
};

/* The columns of a recording that rows show. */
#define RECORDED                                                                                   \
	(NEED_IO | NEED_COMPLETE | NEED_SQE | NEED_PID | NEED_COMM | NEED_CGROUP | NEED_CMD_FLAGS)

static const struct schema *const schemas[] = { &inflight_schema, &inflight_sum_schema, NULL };

/* Whether the options select the command. What is not known of it never matches. */
static bool selected(const struct run *run, const struct inflight_row *row)
{
	const struct filter *f = &run->filter;
	const struct event *ev = &row->ev;
	bool admin = row->queue.admin;

	if (run->opts->older_ns && (!row->age_source || row->age_ns < run->opts->older_ns))
		return false;
	if (run->replay && !row->t.command)
		return filter_queue(f, row->queue.ctrl_id, admin) &&
		       filter_orphan(f, &row->queue, ev->qid);
	if (!row->t.command && (f->has_opcodes || f->n_size || f->n_lba))
		return false;
	return select_command(f, &run->inv->common.selection.cgroup, &row->view);
}

/* A command's place in the order asked for; equal ones by device, queue and tag. */
static int compare(const void *a, const void *b, void *order)
{
	const struct snapshot_cmd *x = a, *y = b;
	int diff = 0;

	if (*(const u32 *)order == ORDER_AGE)
		diff = (x->age_ns < y->age_ns) - (x->age_ns > y->age_ns);
	else if (*(const u32 *)order == ORDER_LEFT)
		diff = (x->left_ns > y->left_ns) - (x->left_ns < y->left_ns);
	if (!diff)
		diff = x->ctrl->ctrl->ctrl_id - y->ctrl->ctrl->ctrl_id;
	if (!diff)
		diff = strncmp(x->rq.disk, y->rq.disk, sizeof(x->rq.disk));
	if (!diff)
		diff = (x->qid > y->qid) - (x->qid < y->qid);
	return diff ? diff : x->rq.tag - y->rq.tag;
}

static void count(struct inflight_sum *sum, const struct snapshot_cmd *c)
{
	sum->inflight++;
	if (c->age_ns != UINT64_MAX && (sum->oldest_ns == UINT64_MAX || sum->oldest_ns < c->age_ns))
		sum->oldest_ns = c->age_ns;
	if (!c->timeout_ns)
		return;
	sum->overdue += c->left_ns < 0;
	if (c->left_ns < sum->left_ns)
		sum->left_ns = c->left_ns;
}

/* Leaves the commands that are selected, the first in order in front, and counts them in @sums. */
static void keep_selected(struct run *run, struct snapshot *s, const struct inflight_host *host,
			  struct inflight_sum *sums, struct inflight_row *row)
{
	u32 order = run->opts->order, kept = 0;

	for (u32 i = 0; i < s->n_cmds; i++) {
		inflight_row_fill(row, &s->cmds[i], host);
		if (!selected(run, row)) {
			free((void *)s->cmds[i].recorded);
			continue;
		}
		count(&sums[s->cmds[i].ctrl - s->ctrls], &s->cmds[i]);
		s->cmds[kept++] = s->cmds[i];
	}
	s->n_cmds = kept;
	if (kept)
		qsort_r(s->cmds, kept, sizeof(*s->cmds), compare, &order);
}

static void begin_sum(const struct run *run, struct inflight_sum *sum,
		      const struct snapshot_ctrl *c, const struct inflight_host *host)
{
	*sum = (struct inflight_sum){
		.wall_ns = c->now_ns + (u64)host->wall_offset_ns,
		.mono_ns = c->now_ns,
		.ctrl_id = c->ctrl->ctrl_id,
		.ctrl = c->ctrl->name,
		.state = c->gone	     ? "gone"
			 : c->ctrl->state[0] ? c->ctrl->state
					     : NULL,
		.inflight = run->hidden || c->gone ? UINT64_MAX : 0,
		.overdue = run->hidden || c->gone || run->replay ? UINT64_MAX : 0,
		.oldest_ns = UINT64_MAX,
		.left_ns = INT64_MAX,
		.host_inflight = c->host,
		.torn = c->torn,
		.complete = !run->hidden && !c->torn && !run->unrecorded,
	};
}

/* Ends a snapshot without controllers: nothing is in flight, which is an answer, too. */
static void put_no_sum(struct run *run, const struct inflight_host *host)
{
	u64 now_ns = run->replay ? replay_start_ns(run->replay) + run->opts->at_ns
				 : clock_ns(CLOCK_MONOTONIC);
	const struct inflight_sum none = {
		.wall_ns = now_ns + (u64)host->wall_offset_ns,
		.mono_ns = now_ns,
		.ctrl_id = -1,
		.oldest_ns = UINT64_MAX,
		.overdue = run->replay ? UINT64_MAX : 0,
		.left_ns = INT64_MAX,
		.host_inflight = UINT64_MAX,
		.complete = !run->hidden && !run->unrecorded,
	};

	if (out_opts(run->o)->format != OUT_TEXT)
		out_row(run->o, &inflight_sum_schema, &none);
}

static void put_line(struct out *o, const struct inflight_sum *sum)
{
	out_text(o, "%s %s", sum->ctrl, sum->state ? sum->state : "-");
	if (sum->inflight != UINT64_MAX)
		out_text(o, "  inflight %llu", (unsigned long long)sum->inflight);
	else if (sum->host_inflight != UINT64_MAX)
		out_text(o, "  inflight %llu by sysfs", (unsigned long long)sum->host_inflight);
	if (sum->oldest_ns != UINT64_MAX)
		out_text(o, "  oldest %.2fs", (double)sum->oldest_ns / 1e9);
	if (sum->overdue && sum->overdue != UINT64_MAX)
		out_text(o, "  overdue %llu", (unsigned long long)sum->overdue);
	out_text(o, "\n");
}

static void put_lines(struct run *run, const struct snapshot *s, const struct inflight_sum *sums)
{
	if (run->inv->common.output.columns)
		return;
	for (u32 i = 0; i < s->n_ctrls; i++)
		put_line(run->o, &sums[i]);
}

static void put_rows(struct run *run, const struct snapshot *s, const struct inflight_host *host,
		     struct inflight_row *row)
{
	u32 max = run->opts->rows ? run->opts->rows : UINT32_MAX;

	for (u32 i = 0; i < s->n_cmds && i < max; i++) {
		inflight_row_fill(row, &s->cmds[i], host);
		out_row(run->o, &inflight_schema, row);
	}
}

/* Compares each controller with --fail-if, and prints its record, which text has as a line. */
static void put_sums(struct run *run, const struct snapshot *s, const struct inflight_sum *sums)
{
	for (u32 i = 0; i < s->n_ctrls; i++) {
		const struct inflight_sum *sum = &sums[i];
		const struct expr_row row = {
			.name = sum->ctrl,
			.wall_ns = sum->wall_ns,
			.count = sum->inflight,
			.oldest_ns = sum->oldest_ns,
			.overdue = sum->overdue,
			.left_ns = sum->left_ns,
		};

		if (out_opts(run->o)->format != OUT_TEXT)
			out_row(run->o, &inflight_sum_schema, sum);
		if (sum->torn)
			note("%s: %llu commands changed while they were read, and are left out",
			     sum->ctrl, (unsigned long long)sum->torn);
		run->torn |= sum->torn > 0;
		if (sum->inflight != UINT64_MAX)
			run->failed |= expr_check_and_tell(&run->expr, &row, out_opts(run->o)->utc);
	}
}

static int put_snapshot(struct run *run, struct snapshot *s)
{
	const struct inflight_host host = {
		.btf = &run->btf,
		.cgroups = &run->cgroups,
		.replay = run->replay,
		.wall_offset_ns = run->replay ? replay_head(run->replay, 0)->wall_offset_ns
					      : clock_wall_offset(),
	};
	struct inflight_sum *sums = calloc(s->n_ctrls + 1, sizeof(*sums));
	struct inflight_row *row = calloc(1, sizeof(*row));

	if (sums && row) {
		for (u32 i = 0; i < s->n_ctrls; i++)
			begin_sum(run, &sums[i], &s->ctrls[i], &host);
		keep_selected(run, s, &host, sums, row);
		out_report(run->o);
		put_lines(run, s, sums);
		put_rows(run, s, &host, row);
		put_sums(run, s, sums);
		if (!s->n_ctrls)
			put_no_sum(run, &host);
	}
	free(row);
	free(sums);
	return sums && row ? out_flush(run->o) : fail(-ENOMEM, NULL, NULL, "commands");
}

/* Takes the snapshot from the recording, and tells what that cannot have. */
static int take_recorded(struct run *run, struct snapshot *s)
{
	u64 start_ns = replay_start_ns(run->replay), end_ns = start_ns, last_ns;
	u64 at_ns = start_ns + run->opts->at_ns;
	int err = snapshot_recorded(s, run->replay, &run->filter, at_ns);
	struct counters total;

	if (err)
		return err;
	for (u32 i = 0; replay_head(run->replay, i); i++) {
		last_ns = replay_last_ns(run->replay, i);
		end_ns = last_ns > end_ns ? last_ns : end_ns;
	}
	if (at_ns > end_ns)
		return fail(EXIT_AS(EXIT_NOTHING), "the recording has no event so late",
			    "give an earlier time", "--at: %.3f s are recorded",
			    (double)(end_ns - start_ns) / 1e9);
	replay_counters(run->replay, &total);
	if (total.inflight_at_exit)
		note("%llu commands were still in flight at the end of the recording: it does not have them",
		     (unsigned long long)total.inflight_at_exit);
	run->unrecorded =
		total.inflight_at_exit || total.inflight_unknown || !counters_complete(&total);
	return 0;
}

static int look_once(struct run *run)
{
	struct snapshot s = { 0 };
	int err =
		run->replay ? take_recorded(run, &s) : snapshot_take(&s, run->walker, &run->filter);

	if (!err && run->submitters)
		submitters_fill(run->submitters, &s);
	if (!err)
		err = put_snapshot(run, &s);
	snapshot_free(&s);
	return err;
}

static int open_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

/* Waits until CLOCK_MONOTONIC reaches @ns. False: a signal asks to end. */
static bool wait_until(const struct run *run, u64 ns)
{
	struct pollfd fd = { .fd = run->signal_fd, .events = POLLIN };
	u64 now_ns;

	while ((now_ns = clock_ns(CLOCK_MONOTONIC)) < ns) {
		const struct timespec left = { .tv_sec = (time_t)((ns - now_ns) / NSEC_PER_SEC),
					       .tv_nsec = (long)((ns - now_ns) % NSEC_PER_SEC) };

		if (ppoll(&fd, 1, &left, NULL) > 0)
			return false;
	}
	return true;
}

/* A snapshot at each interval, on a grid that late ones do not move; without INTERVAL one. */
static int look_on(struct run *run)
{
	u64 step_ns = run->inv->common.run.interval_ns, count = run->inv->common.run.count;
	u64 next_ns = clock_ns(CLOCK_MONOTONIC), now_ns;
	int err;

	for (u64 i = 1;; i++) {
		err = look_once(run);
		if (err || !step_ns || i == count)
			return err;
		now_ns = clock_ns(CLOCK_MONOTONIC);
		next_ns += step_ns * (1 + (now_ns - next_ns) / step_ns);
		if (!wait_until(run, next_ns))
			return 0;
	}
}

static void tell_limits(const struct run *run)
{
	if (!run->walker)
		return;
	if (!run->btf.sqe_in_request)
		note("this kernel does not keep what was sent: CID is unknown, and only reads, writes and flushes have an opcode");
	if (walker_blind(run->walker))
		note("the kernel hides the addresses of its functions, so PID and COMM are known of few commands; %s",
		     probe_kptr_remedy(&run->probe));
	if (!run->btf.stack_area)
		note("this kernel does not tell how large its stacks are (CONFIG_VMAP_STACK), so PID and COMM are unknown where a process waits on its stack");
}

static int look(struct out *o, const void *ctx)
{
	struct run *run = (struct run *)ctx;
	int err = out_begin(o);

	if (err)
		return err;
	run->o = o;
	meta_put(o, run->inv, run->replay ? replay_head(run->replay, 0) : NULL);
	tell_limits(run);
	err = look_on(run);
	if (err == -EPIPE)
		return 0;
	out_ends(o);
	if (!err && run->hidden)
		err = probe_locked_down("commands in flight");
	if (!err && run->failed)
		err = EXIT_AS(EXIT_CONDITION);
	if (!err)
		err = run->untraced;
	if (!err && (run->torn || run->unrecorded) && run->inv->common.run.strict)
		err = EXIT_AS(EXIT_INCOMPLETE);
	if (!err && run->replay && replay_damaged(run->replay))
		err = EXIT_AS(EXIT_NOTHING);
	return err;
}

/*
 * Has programs note who submits from now on. Without them fewer commands have a submitter: what
 * hangs is shown all the same, and the exit status tells.
 */
static void open_submitters(struct run *run)
{
	run->untraced = submitters_open(&run->submitters, &run->btf, &run->probe,
					&run->inv->common.internal);
	if (!run->untraced)
		return;
	submitters_close(run->submitters);
	run->submitters = NULL;
	note("goes on without tracing: PID and COMM are known of fewer commands");
}

/* Loads the program, unless lockdown makes that useless. */
static int open_walker(struct run *run)
{
	const char *btf = run->inv->common.internal.btf;
	struct btf_types types = { 0 };
	int err;

	probe_read(&run->probe);
	err = features_read_own(&run->btf, btf, &types);
	if (err || run->probe.lockdown != LOCKDOWN_CONFIDENTIALITY || run->btf.rdonly_cast)
		err = probe_before(&run->probe, &run->btf, err, btf);
	else if (!err) {
		btf_types_free(&types);
		run->hidden = true;
		return 0;
	}
	if (loader_btf_open(&types, &run->btf) && !err)
		err = fail(-ENOMEM, NULL, NULL, "session");
	if (!err)
		err = walker_open(&run->walker, &run->btf, &run->probe,
				  run->inv->common.internal.verbose);
	if (!err && run->inv->common.run.interval_ns)
		open_submitters(run);
	loader_btf_close();
	return err;
}

static int read_selection(struct run *run)
{
	struct selection sel = run->inv->common.selection;
	struct device_dir dir = { 0 };
	struct sysfs sysfs = { 0 };
	int err = sysfs_read(&sysfs, NULL);

	sel.admin = true;
	if (err && err != -ENOENT)
		err = fail(err, NULL, NULL, SYSFS_DIR "/class/nvme");
	else if (device_add_sysfs(&dir, &sysfs))
		err = fail(-ENOMEM, NULL, NULL, "devices");
	else
		err = select_filter(&run->filter, &sel, &dir);
	device_dir_free(&dir);
	sysfs_free(&sysfs);
	cgroup_init(&run->cgroups, NULL);
	return err;
}

/* Opens the recording. */
static int open_replay(struct run *run)
{
	const struct opt_list *input = &run->inv->common.run.input;
	struct selection sel = run->inv->common.selection;
	struct device_dir dir = { 0 };
	int err = 0;

	sel.admin = true;
	if (sel.ctrl.n || sel.nsid.n || sel.device.n)
		err = replay_devices(input, &dir, NULL);
	if (!err)
		err = select_filter(&run->filter, &sel, &dir);
	device_dir_free(&dir);
	if (!err)
		err = replay_open(&run->replay, input, RECORDED, NULL);
	if (!err && replay_hosts(run->replay))
		err = fail_usage("they are of several hosts", "give those of one",
				 "the recordings of -i");
	return err;
}

static int open_live(struct run *run)
{
	int err = open_walker(run);

	return err ? err : read_selection(run);
}

/* Checks the words about a recording, which knows neither timeouts nor more than one moment. */
static int check_recorded(const struct run *run)
{
	const struct run_opts *words = &run->inv->common.run;

	if (!words->input.n)
		return run->opts->at_ns
			       ? fail_usage("there is no recording", "give one with -i", "--at")
			       : 0;
	if (!run->opts->at_ns)
		return fail_usage("a recording has many moments",
				  "say with --at how long after its beginning", "-i");
	if (words->interval_ns)
		return fail_usage("a recording is looked at once", "drop it", "INTERVAL with -i");
	for (u32 i = 0; i < run->expr.n_terms; i++) {
		if (run->expr.terms[i].name == EXPR_LEFT || run->expr.terms[i].name == EXPR_OVERDUE)
			return fail_usage("a recording does not know timeouts",
					  "use count and oldest", "--fail-if '%s'", words->fail_if);
	}
	return 0;
}

static int check_words(struct run *run)
{
	const struct selection *sel = &run->inv->common.selection;
	const char *fail_if = run->inv->common.run.fail_if;
	int err = 0;

	if (sel->min_lat_ns)
		return fail_usage("a command in flight has no latency yet", "use --older-than",
				  "--min-lat");
	if (sel->status.n)
		return fail_usage("a command in flight has no status yet", "drop it", "--status");
	if (fail_if)
		err = expr_parse(&run->expr, fail_if, EXPR_INFLIGHT);
	return err ? err : check_recorded(run);
}

static int inflight_run(struct invocation *inv)
{
	struct run run = { .inv = inv, .opts = inv->cfg, .signal_fd = -1 };
	int err = check_words(&run);

	if (!err)
		err = inv->common.run.input.n ? open_replay(&run) : open_live(&run);
	if (!err) {
		run.signal_fd = open_signals();
		err = cmd_print(inv, schemas, look, &run);
	}
	if (run.signal_fd >= 0)
		close(run.signal_fd);
	submitters_close(run.submitters);
	walker_close(run.walker);
	replay_close(run.replay);
	cgroup_free(&run.cgroups);
	return err;
}

/* clang-format off */
static const struct opt_word order_words[] = {
	{ "age", ORDER_AGE, "the oldest first" },
	{ "left", ORDER_LEFT, "the one that expires next first" },
	{ "dev", ORDER_DEV, "by device, queue and tag" },
	{ NULL },
};

static const struct opt inflight_opts[] = {
	OPT_TIME(struct inflight_cfg_opts, older_ns, .name = "older-than", .main = true, .arg = "TIME",
		 .help = "only commands in flight for at least so long: 5s"),
	OPT_ENUM(struct inflight_cfg_opts, order, .name = "sort", .letter = 's', .main = true, .arg = "KEY", .def = "age",
		 .words = order_words, .help = "order of the commands"),
	OPT_U32(struct inflight_cfg_opts, rows, .name = "rows", .letter = 'r', .main = true, .arg = "N", .min = 1, .max = 1000000,
		.help = "show only the first N commands; all are counted"),
	OPT_TIME(struct inflight_cfg_opts, at_ns, .name = "at", .main = true, .arg = "TIME", .min = 1,
		 .help = "with -i: what was in flight so long after the recording began: 1.5s"),
	OPT_DONE,
};

static const struct example examples[] = {
	{ "what is in flight now", "nvmetool inflight" },
	{ "what hangs", "nvmetool inflight --older-than 5s" },
	{ "a check for cron or Nagios", "nvmetool inflight --fail-if 'oldest>5s'" },
	{ "one drive, each second", "nvmetool inflight -d nvme0n1 1" },
	{ "what was in flight at a moment of a recording", "nvmetool inflight -i load.nvt --at 900ms" },
	{ "the process that waits longest", "nvmetool inflight --json --no-meta -r 1 | jq '.pid, .comm'" },
	{ NULL },
};
/* clang-format on */

const struct cmd cmd_inflight = {
	.name = "inflight",
	.summary = "show the commands in flight now, and who waits for them",
	.about =
		"Shows the commands in flight at this moment, I/O and admin, also those that were "
		"sent before nvmetool started: since when, how long until the timeout, and whose "
		"they are. It reads the kernel's own tables by a BPF program that runs once in "
		"nvmetool itself. Nothing is attached, no device is opened and no command is sent, "
		"so it neither costs anything on the way of a command nor waits for a drive that "
		"hangs.\n\n"
		"With INTERVAL it looks again and again, and attaches programs as errors does, so "
		"that PID and COMM of all commands sent from then on are known. Where it cannot "
		"attach, it says why, shows what it can, and ends with the exit status for that.\n\n"
		"A line for each controller has its state: a controller that is not live holds "
		"commands back. Commands are taken one after the other, so those of one moment may "
		"be some microseconds apart. PID and COMM are shown where the kernel's own objects "
		"prove them: direct I/O and passthrough. Buffered I/O has the inode and its device "
		"instead. AGE counts from when the request was made. Where the kernel does not note "
		"that, it counts from the last start of the command's timer (age_source is then "
		"deadline), or with INTERVAL from when the command was sent (trace).\n\n"
		"--fail-if knows, for each controller: count, oldest and left (the age of the "
		"oldest and the least time left, with a unit), overdue (commands whose timeout has "
		"passed).\n\n"
		"With -i and --at it shows what was in flight at a moment of a recording. A "
		"recording knows neither timeouts nor the controller's state, and it has no "
		"command that had not completed when it ended, but tells how many there were. A "
		"command that was sent before the recording began has neither age nor opcode.",
	.examples = examples,
	.takes = TAKES_SELECTION | TAKES_OUTPUT | TAKES_TIMES | TAKES_INTERVAL | TAKES_CHECKS |
		 TAKES_INPUT | TAKES_BTF,
	.opts = inflight_opts,
	.cfg_size = sizeof(struct inflight_cfg_opts),
	.schemas = schemas,
	.run = inflight_run,
};
