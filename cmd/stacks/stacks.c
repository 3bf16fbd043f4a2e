// SPDX-License-Identifier: GPL-2.0-or-later
/* stacks: shows who causes the commands, by the stacks of their submissions. */
#include <errno.h>

#include "lib/session/kernel_maps.h"
#include "lib/view/flame.h"
#include "lib/view/picture.h"
#include "lib/view/fold.h"
#include "cmd/stacks/functions.h"
#include "cmd/stacks/stacks_draw.h"
#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/cli/expr.h"
#include "lib/event/counters.h"
#include "lib/group/table.h"
#include "lib/symbols/frames.h"
#include "lib/view/latency_count.h"

enum point { POINT_SUBMIT, POINT_QUEUE, POINT_ERROR };

struct stacks_opts {
	u64 by; /* bits 1 << enum key */
	struct opt_list probe;
	u32 at; /* enum point */
	u32 weight; /* enum stacks_weight */
	u32 depth;
	u32 rows; /* 0: all */
	bool kernel, user, hist, offsets, addresses;
};

struct stacks_state {
	struct stacks_cfg cfg;
	struct stacks_view view;
	struct frames *frames;
	struct group_table *table;
	struct flame *flame; /* -f svg */
	struct stacks_row row;
	struct stacks_functions functions;
};

/* clang-format off */
static const struct opt_word at_words[] = {
	{ "queue", POINT_QUEUE, "where the bio entered the block layer" },
	{ "submit", POINT_SUBMIT, "where the command was submitted" },
	{ "error", POINT_ERROR, "submissions of commands that failed" }, { NULL },
};

static const struct opt_word by_words[] = {
	STACKS_KEYS(GROUP_WORD)
	{ NULL },
};

static const struct opt_word weight_words[] = {
	{ "count", STACKS_COUNT, "commands" }, { "bytes", STACKS_BYTES, "bytes transferred" },
	{ "lat", STACKS_LAT, "nanoseconds of latency" }, { NULL },
};

static const struct opt stacks_opts[] = {
	OPT_FLAG(struct stacks_opts, kernel, .name = "kernel", .main = true, .letter = 'k',
		 .help = "kernel stacks, the default without -u"),
	OPT_FLAG(struct stacks_opts, user, .name = "user", .main = true, .letter = 'u', .help = "user stacks"),
	OPT_SET_OF(struct stacks_opts, by, .name = "by", .main = true, .letter = 'b', .arg = "LIST", .words = by_words,
		   .help = "a row for each stack and combination of these"),
	OPT_U32(struct stacks_opts, rows, .name = "rows", .letter = 'r', .arg = "N", .max = 1U << 20,
		.help = "only the N heaviest rows"),
	OPT_ENUM(struct stacks_opts, weight, .name = "weight", .arg = "WHAT", .def = "count",
		 .words = weight_words, .help = "value to sort rows by and to end folded lines with"),
	OPT_FLAG(struct stacks_opts, hist, .name = "hist", .help = "add a latency histogram of each stack"),
	OPT_ENUM(struct stacks_opts, at, .name = "at", .arg = "POINT", .def = "submit", .words = at_words,
		 .help = "where the stack is taken, and of which commands"),
	OPT_LIST(struct stacks_opts, probe, .name = "probe", .arg = "LIST",
		 .help = "count calls of these kernel functions, not commands"),
	OPT_FLAG(struct stacks_opts, offsets, .name = "offsets", .rare = true, .help = "show offsets in functions"),
	OPT_FLAG(struct stacks_opts, addresses, .name = "addr", .rare = true, .help = "show addresses in front of names"),
	OPT_U32(struct stacks_opts, depth, .name = "depth", .rare = true, .arg = "N", .def = "127", .min = 1,
		.max = VIEW_FRAMES, .help = "frames of a stack, from the innermost"),
	OPT_DONE
};

static const struct opt_word stacks_formats[] = {
	{ "folded", STACKS_FOLDED, "input of flame graph tools" },
	{ "svg", STACKS_SVG, "a flame graph of the whole run" }, { NULL },
};
/* clang-format on */

/* clang-format off */
static const struct example stacks_examples[] = {
	{ "kernel stacks of ten seconds", "nvmetool stacks --duration 10" },
	{ "also user stacks, by process", "nvmetool stacks -k -u -b comm -- fio job.fio" },
	{ "a flame graph", "nvmetool stacks -f svg -w nvme.svg" },
	{ "who submitted what failed", "nvmetool stacks -i drive.nvt --at error" },
	{ "the five stacks that submit most, by process name and opcode",
	  "nvmetool stacks -k -u -b comm,opcode -r 5 -- fio job.fio" },
	{ "flame graph of latency, by user stacks",
	  "nvmetool stacks -u -f svg --weight lat -w nvme.svg" },
	{ "input of other flame graph tools", "nvmetool stacks -f folded -w nvme.folded" },
	{ "names of C++ as they are written", "nvmetool stacks -u -f folded | c++filt" },
	{ "where the block layer made the request, with histograms",
	  "nvmetool stacks --at queue --hist -b dev -d nvme0n1 1 10" },
	{ "who calls these functions of the driver",
	  "nvmetool stacks --probe nvme_queue_rq,nvme_queue_rqs --offsets --duration 5" },
	{ NULL },
};
/* clang-format on */

/* Rejects options about commands together with --probe: a call of a function has no command. */
static int check_functions(const struct session *s, const struct stacks_opts *opts)
{
	const struct selection *sel = &session_common(s)->selection;
	const char *what = NULL;

	if (opts->at != POINT_SUBMIT)
		what = "--at";
	if (opts->hist)
		what = "--hist";
	if (opts->weight != STACKS_COUNT)
		what = "--weight";
	if (opts->by & ~(u64)KEYS_TASK)
		what = "--by other keys than pid, comm and cgroup";
	if (sel->ctrl.n || sel->nsid.n || sel->device.n || sel->qid.n || sel->opcode.n ||
	    sel->size.n || sel->lba.n || sel->status.n || sel->min_lat_ns)
		what = "a selection of commands";
	if (what)
		return fail_usage("these are calls of functions, not commands",
				  "select them by -p, --comm or -g", "--probe with %s", what);
	if (session_is_replay(s))
		return fail(EXIT_AS(EXIT_NOTHING), "not in the recording", "drop the option",
			    "--probe");
	return 0;
}

/*
 * Rejects conditions of --fail-if on values that these rows do not have, though those of latency
 * do.
 */
static int check_condition(const struct session *s, const struct stacks_opts *opts)
{
	const char *text = session_common(s)->run.fail_if, *why = NULL;
	const struct expr *e = session_condition(s);

	if (expr_names_op(e) && !(opts->by & 1 << KEY_OPCODE))
		why = "add opcode to --by";
	for (u32 i = 0; i < e->n_terms; i++) {
		if (e->terms[i].name == EXPR_PERCENTILE && !opts->hist)
			why = "use avg, or a percentile with --hist";
		if (opts->probe.n &&
		    (e->terms[i].name < EXPR_COUNT || e->terms[i].name == EXPR_ERRORS))
			why = "calls have no latency, no size and no status: use count";
	}
	return why ? fail_usage("the rows do not have this value", why, "--fail-if '%s'", text) : 0;
}

static bool is_picture(const struct session *s)
{
	return session_common(s)->output.format == STACKS_SVG;
}

/* Rejects options that have no meaning in the format. */
static int check_format(const struct session *s)
{
	if (is_picture(s) && session_common(s)->run.interval_ns)
		return fail_usage("a flame graph is one picture of the whole run",
				  "leave INTERVAL out, or use --duration", "-f svg");
	return 0;
}

/* Text shows a stack, not columns. */
static int check_columns(const struct session *s)
{
	static const char why[] = "text shows a stack, not columns",
			  remedy[] = "add --csv or --json";
	const struct output_opts *output = &session_common(s)->output;

	if (!output->columns || output->format != OUT_TEXT)
		return 0;
	return output->format_word ? fail_usage(why, remedy, "--columns")
				   : fail_missing(why, remedy, "--columns");
}

static void fill_cfg(const struct session *s, struct stacks_cfg *cfg,
		     const struct stacks_opts *opts)
{
	hist_shape(&cfg->hist, latency_bits(s), 0, 0);
	if (opts->hist)
		cfg->flags |= STACKS_HIST;
	if (opts->at == POINT_ERROR)
		cfg->flags |= STACKS_ERRORS;
	if (opts->kernel || !opts->user)
		cfg->flags |= STACKS_KERNEL;
	if (opts->user)
		cfg->flags |= STACKS_USER;
}

static u32 needs_of(const struct stacks_view *view, const struct stacks_opts *opts)
{
	u32 needs = NEED_STATUS | group_needs(&view->group);

	needs |= view->cfg->flags & STACKS_KERNEL ? NEED_KSTACK : 0;
	needs |= view->cfg->flags & STACKS_USER ? NEED_USTACK | NEED_PID : 0;
	return needs | (opts->at == POINT_QUEUE ? NEED_ENTRY : 0);
}

static void configure_kernel(struct session_request *ask, const struct stacks_cfg *cfg, u32 depth)
{
	u32 frames = depth < VIEW_FRAMES ? depth + 1 : depth; /* one may be tracing's own */
	u32 value = sizeof(struct stacks_cell), rows;

	if (cfg->flags & STACKS_HIST)
		value += cfg->hist.slots * sizeof(u64);
	rows = STACKS_MAP_BYTES / value;
	rows = rows > STACKS_ROWS_MAX ? STACKS_ROWS_MAX : rows;
	rows = rows < STACKS_ROWS_MIN ? STACKS_ROWS_MIN : rows;
	ask->sections[0] = (struct session_section){ ".rodata.stacks", cfg, sizeof(*cfg) };
	ask->maps[0] = (struct session_map){ "rows", value, rows };
	ask->maps[1] = (struct session_map){ "spill", value, STACKS_BANKS + 1 };
	ask->maps[2] = (struct session_map){ "stacks", frames * sizeof(u64), WIRE_STACKS };
	if (cfg->flags & STACKS_USER)
		ask->maps[3] = (struct session_map){ "noticed", 0, STACKS_NOTICED };
	else
		ask->no_events = true; /* nothing is sent */
}

static int open_tables(struct session *s, struct stacks_state *state,
		       const struct stacks_opts *opts)
{
	const struct stacks_style style = { opts->depth, opts->offsets, opts->addresses };
	int err = 0;

	if (!session_is_replay(s))
		err = frames_open(&state->frames, state->cfg.flags & STACKS_KERNEL,
				  state->cfg.flags & STACKS_USER);
	if (!err)
		err = stacks_texts_open(&state->view.texts, state->frames, &style);
	if (err)
		return err;
	state->table = group_table_open(STACKS_KEY_BYTES, stacks_sum_bytes(&state->cfg),
					STACKS_TABLE_ROWS);
	state->flame = flame_open();
	return state->table && state->flame ? 0 : fail(-ENOMEM, NULL, NULL, "cannot keep stacks");
}

static void fill_view(struct session *s, struct stacks_state *state, const struct stacks_opts *opts)
{
	struct stacks_view *view = &state->view;

	group_init(&view->group, s, opts->by, NULL);
	view->group.apart |= state->functions.n > 0; /* whose calls have no owner */
	state->cfg.by = group_kernel_by(&view->group);
	view->cfg = &state->cfg;
	view->weight = opts->weight;
	view->functions = state->functions.n > 0;
	view->columns = hist_columns(out_fd(session_out(s)));
	stacks_columns(view, session_out(s));
}

static int stacks_check(struct session *s, struct session_request *ask)
{
	const struct stacks_opts *opts = session_cfg(s);
	struct stacks_state *state = session_state(s);
	int err = stacks_functions_parse(&state->functions, &opts->probe);

	if (!err)
		err = check_condition(s, opts);
	if (!err && state->functions.n)
		err = check_functions(s, opts);
	if (!err)
		err = check_format(s);
	if (err)
		return err;
	ask->admin = true;
	fill_cfg(s, &state->cfg, opts);
	fill_view(s, state, opts);
	ask->by_host = group_has(&state->view.group, KEY_HOST);
	ask->one_report = is_picture(s);
	return check_columns(s);
}

static int stacks_start(struct session *s, struct session_request *ask)
{
	const struct stacks_opts *opts = session_cfg(s);
	struct stacks_state *state = session_state(s);

	ask->required = needs_of(&state->view, opts);
	group_ask_owners(&state->view.group, ask);
	ask->probes = state->functions.list;
	ask->n_probes = state->functions.n;
	ask->none = ask->n_probes ? "call was seen" : "command was seen";
	configure_kernel(ask, &state->cfg, opts->depth);
	return open_tables(s, state, opts);
}

/* The number of a stack's text. The frames come from @v or, if it is NULL, from the kernel. */
static s32 stack_text(struct session *s, const struct view *v, const struct stacks_ref *ref)
{
	struct stacks_state *state = session_state(s);
	struct stacks_frames stack = { 0 };
	u64 frames[VIEW_FRAMES];
	s32 number = stacks_texts_known(state->view.texts, ref);

	if (number >= 0)
		return number;
	if (v) {
		stack = stacks_frames_of(v, ref->user);
	} else {
		stack.addr = frames;
		stack.n = session_stack(s, ref->id, frames);
	}
	number = stacks_texts_take(state->view.texts, ref, &stack);
	if (stack.n && number == STACKS_TEXT_LOST) /* there was no memory for the text */
		session_lost(s, STAT_STACKS_FULL, 1);
	return number;
}

/* Puts the numbers of the stacks' texts into a key. */
static void key_stacks(struct stacks_sum *key, struct session *s, const struct view *v,
		       const struct stacks_key *from)
{
	const struct stacks_state *state = session_state(s);
	const struct stacks_ref kernel = { .id = from->kstack_id };
	const struct stacks_ref user = { .id = from->ustack_id, .pid = from->pid, .user = true };

	if (state->cfg.flags & STACKS_KERNEL)
		key->kstack = stack_text(s, v, &kernel);
	if (state->cfg.flags & STACKS_USER)
		key->ustack = stack_text(s, v, &user);
	key->worker = from->worker;
}

/* The row of @key. If there is no room for it: "(other)", and @commands are counted as lost. */
static struct stacks_sum *row_of(struct session *s, const struct stacks_sum *key, u64 commands)
{
	struct stacks_state *state = session_state(s);
	struct stacks_sum *row = group_table_row(state->table, key);

	if (key && row->key.other)
		session_lost(s, STAT_KEYS_FULL, commands);
	return row;
}

/* Counts a command of a recording. */
static void add_command(struct session *s, const struct view *v)
{
	const struct stacks_state *state = session_state(s);
	const struct event *ev = v->ev;
	const struct stacks_key stacks = {
		.kstack_id = ev->kstack_id < 0 ? STACKS_NONE : ev->kstack_id,
		.ustack_id = ev->ustack_id < 0 ? STACKS_NONE : ev->ustack_id,
		.pid = ev->pid,
		.worker = (ev->flags & EVENT_WORKER) != 0,
	};
	bool error = event_failed(ev);
	struct stacks_sum key = { 0 };

	if (state->cfg.flags & STACKS_ERRORS && !error) {
		session_left_out(s, 1);
		return;
	}
	group_key_fill(&key.key, &state->view.group, v);
	key_stacks(&key, s, v, &stacks);
	stacks_sum_add(row_of(s, &key, 1), &state->cfg, event_lat_ns(ev), ev->bytes, error);
	session_account(s, 1, error);
}

static int stacks_event(struct session *s, const struct view *v)
{
	const struct stacks_ref ref = { .id = v->ev->ustack_id, .pid = v->ev->pid, .user = true };

	if (v->ev->kind == EVENT_IO)
		add_command(s, v);
	else if (v->ev->kind == EVENT_STACK) /* now: its process may end soon */
		stack_text(s, v, &ref);
	return 0;
}

/* The argument of take_row(). */
struct collecting {
	struct session *s;
	u32 bank;
};

static void account(struct session *s, const struct stacks_cell *cell)
{
	const struct stacks_state *state = session_state(s);

	if (!state->functions.n) /* the account counts commands alone */
		session_account(s, cell->count, cell->errors);
	else if (cell->count)
		session_matched(s);
}

static bool take_row(void *ctx, const void *from, const void *value)
{
	const struct collecting *c = ctx;
	const struct stacks_state *state = session_state(c->s);
	const struct stacks_cell *cell = value;
	struct stacks_sum key;

	if (((const struct stacks_key *)from)->bank != c->bank)
		return false;
	if (!cell->count)
		return true;
	memset(&key, 0, sizeof(key));
	group_key_of(&key.key, &state->view.group, &((const struct stacks_key *)from)->key);
	key_stacks(&key, c->s, NULL, from);
	stacks_sum_merge(row_of(c->s, &key, cell->count), &state->cfg, cell);
	account(c->s, cell);
	return true;
}

static int collect(struct session *s)
{
	struct stacks_state *state = session_state(s);
	struct collecting c = { .s = s };
	struct stacks_cell *cell;
	size_t size = 0, stride;
	char *spill;
	int err;

	spill = session_map_memory(s, "spill", &size);
	if (!spill)
		return fail(-ENOMEM, NULL, NULL, "cannot read the sums of the programs");
	stride = size / (STACKS_BANKS + 1);
	c.bank = session_flip_bank(s);
	/* The programs of --at error leave out the others, and do not say which of these match. */
	if (state->cfg.flags & STACKS_ERRORS && session_counters(s)->completed)
		session_matched(s);
	err = session_walk_map(s, "rows", take_row, &c);
	cell = (void *)(spill + c.bank * stride);
	if (cell->count)
		stacks_sum_merge(row_of(s, NULL, 0), &state->cfg, cell);
	account(s, cell);
	memset(cell, 0, stride);
	return err ? fail(err, NULL, NULL, "cannot read the sums of the programs") : 0;
}

static void print_row(struct session *s, struct stacks_state *state)
{
	struct out *o = session_out(s);

	if (is_picture(s)) {
		if (flame_add(state->flame, &state->view, &state->row))
			session_lost(s, STAT_STACKS_FULL, state->row.count);
	} else if (out_opts(o)->format == STACKS_FOLDED) {
		stacks_fold(o, &state->view, &state->row);
	} else if (out_opts(o)->format == OUT_TEXT) {
		stacks_draw(o, &state->view, &state->row);
	} else {
		out_row(o, &stacks_schema, &state->row);
	}
}

static void report(struct session *s, struct stacks_state *state)
{
	const struct stacks_opts *opts = session_cfg(s);
	struct stacks_view *view = &state->view;
	u32 n = group_table_sort(state->table, stacks_compare, view);

	view->total = 0;
	for (u32 i = 0; i < n; i++)
		view->total += stacks_weigh(group_table_at(state->table, i), view->weight);
	if (n && out_opts(session_out(s))->format == OUT_TEXT)
		out_text_time(session_out(s), view->group.wall_ns);
	for (u32 i = 0; i < n; i++) {
		stacks_row_fill(&state->row, view, group_table_at(state->table, i));
		stacks_check_row(view, &state->row);
		if (!opts->rows || i < opts->rows)
			print_row(s, state);
	}
	if (!n)
		group_check(&view->group, NULL,
			    &(struct expr_row){ .some_op = state->cfg.flags & STACKS_ERRORS });
}

static const char *picture_title(const struct stacks_opts *opts)
{
	if (opts->probe.n)
		return "Who calls these functions";
	if (opts->at == POINT_ERROR)
		return "Who sent the NVMe commands that failed";
	return opts->at == POINT_QUEUE ? "Who makes requests for NVMe drives"
				       : "Who sends NVMe commands";
}

static int stacks_tick(struct session *s, const struct tick *t)
{
	struct stacks_state *state = session_state(s);
	int err = session_is_replay(s) ? 0 : collect(s);
	char where[PICTURE_WHERE];

	if (err || (is_picture(s) && !t->last)) /* a picture is of the whole run */
		return err;
	group_interval(&state->view.group, t);
	report(s, state);
	if (is_picture(s))
		flame_draw(state->flame, session_out(s), &state->view,
			   (struct svg_head){ .title = picture_title(session_cfg(s)),
					      .where = picture_where(s, t->end_ns, where) });
	if (t->reset)
		group_table_reset(state->table);
	return 0;
}

static void stacks_stop(struct session *s)
{
	struct stacks_state *state = session_state(s);

	flame_close(state->flame);
	group_table_close(state->table);
	stacks_texts_close(state->view.texts);
	frames_close(state->frames);
}

static const struct schema *const stacks_schemas[] = { &stacks_schema, NULL };

const struct cmd cmd_stacks = {
	.name = "stacks",
	.summary = "show which code submits commands, by stack",
	.about =
		"Counts completed commands, I/O and admin, by the stack of their submission, and "
		"adds up their bytes and latencies. The stack is taken in nvme_setup_cmd. If a "
		"scheduler or a full queue held the request back and a worker submits it later, "
		"the stack is that of the insert instead: of the process that entered the block "
		"layer. --at queue takes the stack where the block layer made the request, before "
		"plugging; passthrough commands, which have no bio, keep the stack of the "
		"submission. --at error counts only commands that failed.\n\n"
		"[worker] marks a submission by a kernel worker, such as writeback, when the "
		"process behind it is not known. User functions have the names in the symbols of "
		"the process' files; [fio (deleted)] is a file that was removed, [exited] a "
		"process that ended first. [no frame pointers] marks user stacks of one frame. "
		"[lost] counts the commands that found no room, so that the counts add up.\n\n"
		"Code that a process compiles at run time has the names of /tmp/perf-PID.map, which "
		"Node.js (--perf-basic-prof), the JVM and .NET write when asked; the file must "
		"belong to root, to the user of the process, or to yours. Names of C++ and Rust are "
		"as the linker has them: pipe -f folded into c++filt.",
	.examples = stacks_examples,
	.takes = TAKES_TRACING | TAKES_UNIT | COUNTS_IN_KERNEL,
	.rows = EXPR_STACKS,
	.opts = stacks_opts,
	.cfg_size = sizeof(struct stacks_opts),
	.formats = stacks_formats,
	.schemas = stacks_schemas,
	.bpf = "stacks",
	.state_size = sizeof(struct stacks_state),
	.check = stacks_check,
	.start = stacks_start,
	.event = stacks_event,
	.tick = stacks_tick,
	.stop = stacks_stop,
};
