// SPDX-License-Identifier: GPL-2.0-or-later
/* latency: histograms and percentiles, gathered in the kernel or from a recording. */
#include <errno.h>

#include "cmd/latency/latency_report.h"
#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/base/units.h"
#include "lib/cli/cmd.h"
#include "lib/cli/expr.h"
#include "lib/cli/select.h"
#include "lib/view/finding.h"
#include "lib/view/latency_count.h"
#include "lib/session/session.h"
#include "lib/view/picture.h"

#define ALL_PERCENTILES_COLUMNS                                                                    \
	110 /* width of a table with the default ones; 80 columns show as many as fit */

struct latency_opts {
	u64 by; /* bits 1 << enum key */
	u64 min_us;
	const char *split_size, *percentiles;
	u32 histogram, shift, max_inflight;
	u32 bits; /* when has_bits */
	bool has_bits;
	bool per_device, per_flags, admin, queued, phases, table, extension, cumulative;
	bool no_split, lbs512;
};

struct latency_state {
	struct latency_count count;
	struct latency_report report;
};

static int parse_bits(void *group, const char *word)
{
	struct latency_opts *opts = group;
	u64 bits;

	if (units_count(word, &bits) || bits > HIST_BITS_MAX)
		return fail_usage("expected a number, 0..6", NULL, "--hist-bits '%s'", word);
	opts->bits = (u32)bits;
	opts->has_bits = true;
	return 0;
}

#define PICTURE_NS (100 * NSEC_PER_MSEC) /* live: the shortest column of a picture */

static const char default_percentiles[] = "50,90,95,99,99.9,99.99,100";

/* clang-format off */
static const struct opt_word by_words[] = {
	GROUP_WORD(NONE) GROUP_ALL(GROUP_WORD)
	{ NULL },
};

static const struct opt_word histogram_words[] = {
	{ "bars", LATENCY_BARS, "table with bars" }, { "table", LATENCY_TABLE, "table alone" },
	{ "none", LATENCY_NO_HISTOGRAM, "figures alone" },
	{ "heat", LATENCY_HEAT, "a heat map: a line of cells for each INTERVAL" },
	{ "rows", LATENCY_ROWS, "CSV or JSON: a record per bucket, to be merged with other hosts'" }, { NULL },
};

static const struct opt_word latency_formats[] = {
	{ "svg", LATENCY_SVG, "a heat map of the whole run, over time" }, { NULL },
};

static const struct opt latency_opts[] = {
	OPT_SET_OF(struct latency_opts, by, .name = "by", .main = true, .letter = 'b', .arg = "LIST", .def = "ctrl,opcode",
		   .words = by_words, .brief = "a row per: dev, opcode, comm, size, qid, ...", .help = "a row for each combination of these"),
	OPT_FLAG(struct latency_opts, table, .name = "table", .main = true, .help = "one line per row, percentiles as columns"),
	OPT_FLAG(struct latency_opts, queued, .name = "queued", .main = true, .letter = 'Q',
		 .brief = "measure from block layer entry", .help = "measure from block layer entry; commands whose entry is not known are left out and counted"),
	OPT_STR(struct latency_opts, percentiles, .name = "percentiles", .letter = 'P', .arg = "LIST",
		.def = default_percentiles,
		.help = "percentiles to print"),
	OPT_ENUM(struct latency_opts, histogram, .name = "histogram", .letter = 'H', .arg = "KIND",
		 .def = "bars", .words = histogram_words, .help = "how to show the distribution"),
	OPT_FLAG(struct latency_opts, admin, .name = "admin", .letter = 'A', .help = "include admin commands"),
	OPT_FLAG(struct latency_opts, per_device, .name = "per-device", .letter = 'D', .help = "add dev to --by"),
	OPT_FLAG(struct latency_opts, per_flags, .name = "per-flags", .letter = 'F',
		 .help = "add opcode and flags to --by"),
	OPT_STR(struct latency_opts, split_size, .name = "split-size", .arg = "LIST", .optional = true,
		.def_absent = GROUP_SIZES, .help = "add size classes to --by, up to these sizes"),
	OPT_FLAG(struct latency_opts, phases, .name = "phases",
		 .help = "split into queue, scheduler, device, completion and total"),
	OPT_FLAG(struct latency_opts, extension, .name = "extension", .letter = 'e', .help = "add total and average"),
	OPT_FLAG(struct latency_opts, cumulative, .name = "cumulative", .help = "do not reset at each interval"),
	OPT_CALL(parse_bits, .name = "hist-bits", .arg = "K",
		 .help = "2^K buckets per power of two, 0 to 6 (fio has 6); without it 3, with --fail-if 6; text shows them joined"),
	OPT_U32(struct latency_opts, max_inflight, .name = "max-inflight", .arg = "N", .min = 1, .max = 1 << 20,
		.help = "only commands submitted with at most N outstanding"),
	OPT_U64(struct latency_opts, min_us, .name = "lat-min-us", .rare = true, .arg = "N", .max = 1000000000,
		.help = "finer buckets just above N microseconds"),
	OPT_U32(struct latency_opts, shift, .name = "lat-shift", .rare = true, .arg = "N", .max = 20,
		.help = "first bucket is 2^N microseconds wide"),
	OPT_FLAG(struct latency_opts, no_split, .name = "nosplit-size", .rare = true,
		 .help = "no size classes, the default"),
	OPT_FLAG(struct latency_opts, lbs512, .name = "lbs512", .rare = true,
		 .help = "no effect: sizes are in bytes for every LBA format"),
	OPT_DONE
};
/* clang-format on */

/* clang-format off */
static const struct example latency_examples[] = {
	{ "each second, ten times", "nvmetool latency 1 10" },
	{ "a line per device and opcode", "nvmetool latency --by dev,opcode --table 1" },
	{ "while fio runs", "nvmetool latency -- fio job.fio" },
	{ "a heat map: a line per second", "nvmetool latency -H heat 1" },
	{ "a heat map as a picture", "nvmetool latency -f svg -w nvme.svg" },
	{ "a recording, by process name", "nvmetool latency -i drive.nvt --by comm" },
	{ "before and since something that happened after 4 seconds",
	  "nvmetool latency -i drive.nvt --time 0-4,4-6 --by comm --table" },
	{ "a line per device and opcode, with these percentiles",
	  "nvmetool latency --by dev,opcode -P 50,99,99.9 --table 1" },
	{ "by transfer size, with finer buckets above 65 us",
	  "nvmetool latency -c 0 --split-size --lat-min-us 65" },
	{ "exit with status 6 if reads are slow or a command fails",
	  "nvmetool latency -Q --fail-if 'read.p99>2ms or errors>0' -- fio job.fio" },
	{ "one JSON object per row, after ten seconds", "nvmetool latency --json --no-meta 10 1" },
	{ "a CSV row per bucket, for SQL over many hosts", "nvmetool latency -H rows --csv 10" },
	{ NULL },
};
/* clang-format on */

/* Parses size classes; edges that are not used are ~0. */
static int parse_sizes(u64 size_edge[KEY_SIZES], const char *list)
{
	char word[32];
	size_t len;
	u32 n;
	u64 edge;

	memset(size_edge, 0xff, KEY_SIZES * sizeof(*size_edge));
	for (n = 0;; list += len + 1) {
		len = strcspn(list, ",");
		if (n == KEY_SIZES)
			return fail_usage("too many sizes", "name at most 7", "--split-size");
		snprintf(word, sizeof(word), "%.*s", (int)len, list);
		if (len >= sizeof(word) || units_size(word, &edge) ||
		    (n && edge <= size_edge[n - 1]))
			return fail_usage("expected sizes in rising order", "write it like 16k,64k",
					  "--split-size '%.*s'", (int)len, list);
		size_edge[n++] = edge;
		if (!list[len])
			return 0;
	}
}

#define DEFAULT_BY (1ULL << KEY_CTRL | 1ULL << KEY_OPCODE)

static bool is_picture(const struct out *o)
{
	return out_opts(o)->format == LATENCY_SVG;
}

/* True if the output is a heat map, which is of all commands together. */
static bool is_heat(const struct latency_opts *opts, const struct out *o)
{
	bool text = out_opts(o)->format == OUT_TEXT;

	return (opts->histogram == LATENCY_HEAT && text) || is_picture(o);
}

/* Rejects options that have no meaning for a heat map. */
static int check_heat(struct session *s, const struct latency_opts *opts)
{
	const char *what = NULL;

	if (opts->by != DEFAULT_BY || opts->per_device || opts->per_flags || opts->split_size)
		what = "keys";
	else if (opts->phases)
		what = "--phases";
	else if (opts->has_bits || opts->min_us || opts->shift)
		what = "buckets of another shape";
	else if (opts->table || session_common(s)->output.columns)
		what = "columns";
	else if (opts->histogram == LATENCY_ROWS)
		what = "-H rows";
	else if (opts->cumulative || opts->extension || opts->percentiles != default_percentiles)
		what = "-e, -P or --cumulative";
	else if (expr_names_op(session_condition(s)))
		what = "a --fail-if by opcode";
	if (what)
		return fail_usage("it is of all commands together, with cells of its own",
				  "drop the option, or select commands with -O, -d and the like",
				  "a heat map with %s", what);
	if (is_picture(session_out(s)) && session_common(s)->run.interval_ns)
		return fail_usage("a heat map is one picture of the whole run",
				  "leave INTERVAL out, or use --duration", "-f svg");
	return 0;
}

/* Tells what the options need beside them: completion knows that it may come yet. */
static int check_missing(struct session *s, const struct latency_opts *opts)
{
	static const char why[] = "text has no records of buckets",
			  remedy[] = "add --csv or --json";
	const struct common *common = session_common(s);
	bool text = out_opts(session_out(s))->format == OUT_TEXT;

	if (opts->histogram == LATENCY_ROWS && text)
		return common->output.format_word ? fail_usage(why, remedy, "--histogram rows")
						  : fail_missing(why, remedy, "--histogram rows");
	if (opts->histogram == LATENCY_HEAT && text && !common->run.interval_ns &&
	    !session_times(s)->n)
		return fail_missing("a heat map has a line for each INTERVAL",
				    "add one, for instance 1", "-H heat");
	return group_check_condition(
		&((struct latency_state *)session_state(s))->report.view.group);
}

/* The keys of the command line. */
static u32 keys_of(const struct latency_opts *opts)
{
	u32 by = (u32)opts->by;

	if (opts->per_device)
		by |= 1 << KEY_DEV;
	if (opts->per_flags)
		by |= 1 << KEY_OPCODE | 1 << KEY_FLAGS;
	if (opts->split_size && !opts->no_split)
		by |= 1 << KEY_SIZE;
	if (opts->histogram == LATENCY_ROWS)
		by |= 1 << KEY_HOST;
	return by;
}

/* Says which latencies are counted, and the shape of the histogram. */
static void fill_count(const struct session *s, struct latency_count *count,
		       const struct latency_opts *opts)
{
	count->cfg.flags =
		(opts->queued ? LATENCY_QUEUED : 0) | (opts->phases ? LATENCY_WITH_PHASES : 0);
	count->max_inflight = opts->max_inflight;
	hist_shape(&count->cfg.hist, opts->has_bits ? opts->bits : latency_bits(s), opts->min_us,
		   opts->shift);
}

static void choose_style(struct latency_state *state, const struct latency_opts *opts,
			 struct out *o)
{
	state->report.draw =
		out_opts(o)->format == OUT_TEXT && !opts->table && !out_opts(o)->columns;
	state->report.style.histogram = opts->histogram;
	state->report.style.bits = opts->has_bits ? opts->bits : 0;
	state->report.style.extension = opts->extension;
	state->report.style.columns = hist_columns(out_fd(o));
	state->report.heat.fine =
		session_common(state->report.view.group.s)->run.interval_ns % NSEC_PER_SEC != 0 ||
		session_times(state->report.view.group.s)->n;
}

static void tell_no_effect(const struct latency_opts *opts)
{
	if (opts->lbs512)
		note("--lbs512 has no effect: sizes are taken in bytes");
	if (opts->no_split)
		note("--nosplit_size is the default");
}

/* The percentiles of -P; without -P, for a table, those that fit the terminal. */
static const char *percentiles_of(const struct latency_opts *opts, const struct out *o)
{
	bool table = opts->table && out_opts(o)->format == OUT_TEXT && !out_opts(o)->columns;

	if (opts->percentiles == default_percentiles && table &&
	    hist_columns(out_fd(o)) < ALL_PERCENTILES_COLUMNS)
		return "50,99,99.9,100";
	return opts->percentiles;
}

static int latency_check(struct session *s, struct session_request *ask)
{
	const struct latency_opts *opts = session_cfg(s);
	struct latency_state *state = session_state(s);
	struct latency_view *view = &state->report.view;
	bool buckets = opts->histogram == LATENCY_ROWS, heat = is_heat(opts, session_out(s));
	int err =
		latency_percentiles(view->pct, &view->n_pct, percentiles_of(opts, session_out(s)));

	ask->admin = opts->admin;
	ask->none = "command completed";
	ask->one_report = is_picture(session_out(s)) || opts->cumulative;
	if (!err && heat)
		err = check_heat(s, opts);
	if (err)
		return err;
	group_init(&view->group, s, heat ? 0 : keys_of(opts), "(other)");
	ask->by_host = group_has(&view->group, KEY_HOST);
	if (opts->split_size)
		err = parse_sizes(view->group.size_edge, opts->split_size);
	if (err)
		return err;
	fill_count(s, &state->count, opts);
	state->count.group = &view->group;
	state->count.gives_back = true;
	view->cfg = &state->count.cfg;
	latency_columns(view, session_out(s), opts->extension, buckets);
	choose_style(state, opts, session_out(s));
	return check_missing(s, opts);
}

static int latency_start(struct session *s, struct session_request *ask)
{
	struct latency_state *state = session_state(s);

	tell_no_effect(session_cfg(s));
	if (is_picture(session_out(s))) {
		ask->interval_ns = session_is_replay(s) ? 0 : PICTURE_NS;
		state->report.map = heat_map_open(&state->count.cfg.hist);
		if (!state->report.map)
			return fail(-ENOMEM, NULL, NULL, "cannot keep latencies");
	}
	return latency_count_start(&state->count, s, ask);
}

/* The picture, which begins with the run: that has no time before there is something to add. */
static struct heat_map *map_of(struct session *s)
{
	const struct latency_state *state = session_state(s);

	heat_map_begin(state->report.map, session_from_ns(s));
	return state->report.map;
}

static int latency_event(struct session *s, const struct view *v)
{
	struct latency_state *state = session_state(s);

	if (latency_count_event(&state->count, v) && state->report.map)
		heat_map_add(map_of(s), v->ev->ts_ns,
			     latency_of(v->ev, state->count.cfg.flags & LATENCY_QUEUED));
	return 0;
}

/* Adds a column to the picture. Its one row is of the whole run. */
static void add_column(struct session *s, const struct tick *t)
{
	struct latency_state *state = session_state(s);
	struct group_table *table = state->count.table;
	struct hist h = { 0 };

	if (group_table_sort(table, NULL, NULL))
		h = latency_sum_hist(group_table_at(table, 0), &state->count.cfg.hist);
	heat_map_take(map_of(s), t->end_ns, &h);
}

static int latency_tick(struct session *s, const struct tick *t)
{
	const struct latency_opts *opts = session_cfg(s);
	struct latency_state *state = session_state(s);
	bool picture = is_picture(session_out(s));
	char where[PICTURE_WHERE];

	latency_count_collect(&state->count);
	if (picture && !session_is_replay(s))
		add_column(s, t);
	if (picture && !t->last)
		return 0;
	group_interval(&state->report.view.group, t);
	if (opts->cumulative || picture)
		state->report.view.group.start_ns = session_from_ns(s);
	latency_report(&state->report, state->count.table);
	if (picture)
		heat_map_draw(state->report.map, session_out(s), t->end_ns, t->wall_ns - t->end_ns,
			      picture_where(s, t->end_ns, where));
	if (t->reset && !opts->cumulative)
		group_table_reset(state->count.table);
	return 0;
}

static void latency_stop(struct session *s)
{
	struct latency_state *state = session_state(s);

	finding_hint(s);
	heat_map_close(state->report.map);
	latency_count_stop(&state->count);
}

static const struct schema *const latency_schemas[] = { &latency_schema, &latency_bucket_schema,
							NULL };

const struct cmd cmd_latency = {
	.name = "latency",
	.summary = "show histograms and percentiles of command latency",
	.about =
		"Latency is the time from the driver's set-up of a command to its completion, by "
		"one clock. With -Q it begins when the I/O entered the block layer. Histograms "
		"are kept in the kernel and miss no command: count, sum, minimum and maximum are "
		"exact.\n\n"
		"A percentile, here and in every command, is the upper edge of the bucket that the "
		"command of nearest rank is in, but not beyond the minimum and the maximum. --hist-bits "
		"6, which --fail-if, diff, report and record --trigger have, makes it at most 1/64 more "
		"than that command took, the default 1/8.\n\n"
		"--table prints the percentiles that fit the terminal unless -P names others; "
		"--columns implies --table. The number of rows is limited: commands that find no "
		"row are counted in the row \"(other)\". A row without a command in an INTERVAL makes "
		"room for another.\n\n"
		"-H heat prints a line for each interval: cells from left to right stand for ever "
		"longer latencies, and show how many of the interval's commands took so "
		"long. -f svg draws the same of the whole run, with time from left to right.\n\n"
		"--by cgroup is the cgroup that caused a command, where a recording has no owners that "
		"of the task that submitted it; --by cgroup,owner tells both. Of writeback the owner is that of the "
		"inode, which has one owner, and it is as fine as the io controller is enabled "
		"(cgroup.subtree_control). --by sched is the I/O scheduler that held a command; "
		"flushes and passthrough go through none. The phase scheduler ends when the "
		"driver sets the command up, about a microsecond before the block layer calls it "
		"issued. --by during is the admin command that was in flight on the same "
		"controller at any time between submission and completion, the first of "
		"several; keep-alives and what was sent before nvmetool began count for "
		"nothing. That they overlap is no proof of cause.\n\n"
		"--by file is the file whose data a command moves, by the page cache or direct "
		"I/O, where the kernel's own objects prove it: not on btrfs, f2fs, RAID 5 and 6, "
		"not on what is mounted later, nor before Linux 5.11 on LVM, dm-crypt and md. "
		"A new file with the inode number of an old one has a row of its own: ino_gen tells them apart. "
		"The path is that of the moment, with (deleted) behind a deleted file's. It takes "
		"CAP_DAC_READ_SEARCH and the file system, mounted as a whole where nvmetool runs; else a process that "
		"has the file open, and the right to look at it. Of exFAT and UDF no path is found. "
		"Metadata counts for the block device.\n\n"
		"--by syncer is, of a flush or a write with FUA, the process inside fsync(), fdatasync(), "
		"syncfs(), sync(), msync() or a write with O_SYNC on a file system of the drive meanwhile, through "
		"partitions, LVM and md; of several the one that went in first. Nobody is named while more than 64 "
		"such calls are under way, nor for a kernel worker (aio, loop devices), a log on another drive, "
		"a direct write with O_SYNC on Linux 5.14 to 6.5, nor always for a 32-bit program. When a program is "
		"attached to such a call, who is in it may be named for a fifth of a second longer.",
	.examples = latency_examples,
	.takes = TAKES_TRACING | TAKES_UNIT | COUNTS_IN_KERNEL,
	.rows = EXPR_LATENCIES,
	.opts = latency_opts,
	.cfg_size = sizeof(struct latency_opts),
	.formats = latency_formats,
	.schemas = latency_schemas,
	.bpf = "latency",
	.state_size = sizeof(struct latency_state),
	.check = latency_check,
	.start = latency_start,
	.event = latency_event,
	.tick = latency_tick,
	.stop = latency_stop,
};
